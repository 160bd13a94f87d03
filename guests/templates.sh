#!/bin/sh
# Tries the projects that `portcullis node new` writes in Rust, one for each role: makes it, runs the two commands of its
# README, and prints what came of it: the tests that passed, the size of the component, and whether the host loads it.
# Then three runs: one of the defaults, one with all the new adapters and parsers, which has to be the same, and one with
# the new agents. Needs target/release/portcullis; takes a toolchain as build.sh does.
set -eu

guests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$guests")
# shellcheck source=guests/toolchain.sh
. "$guests/toolchain.sh"

portcullis=$root/target/release/portcullis
projects=$root/target/templates
incident=$root/incidents/checkout-latency
nodes='planner executor verifier composer plan-parser evidence-parser verification-parser answer-parser'
agents='thinker investigator'
size_max=307200
export CARGO_TARGET_DIR="$root/target/templates-build"
built=$CARGO_TARGET_DIR/$target/release

rm -rf "$projects"
mkdir -p "$projects"
cd "$projects"

component() { echo "$built/own_$(echo "$1" | tr - _).wasm"; }

# run_or_show LOG COMMAND...: what a step says is shown when it fails.
run_or_show() {
    log=$1
    shift
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        fail "failed: $*"
    }
}

# serve TABLE FILE: one component in its place.
serve() { printf '[%s]\ncomponent = "%s"\n' "$1" "$2"; }

# The place of a role in portcullis.toml; a thinker stands for its three.
table() {
    case $1 in
    thinker) echo agents.planner ;;
    investigator) echo agents.executor ;;
    *) echo "nodes.$1" ;;
    esac
}

printf '%-20s %6s %8s  %s\n' role tests bytes loads
for role in $nodes $agents; do
    project=own-$role
    run_or_show "$role.log" "$portcullis" node new --role "$role" --lang rust "$project"
    # The crates that the guests use: nothing is fetched that they did not need.
    cp "$guests/Cargo.lock" "$project/"
    run_or_show "$role.log" cargo test --manifest-path "$project/Cargo.toml"
    tests=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$role.log")
    run_or_show "$role.log" build_for_wasm --manifest-path "$project/Cargo.toml"
    run_or_show "$role.log" cargo fmt --check --manifest-path "$project/Cargo.toml"
    bytes=$(wc -c <"$(component "$role")")
    [ "$bytes" -le "$size_max" ] || fail "$role has $bytes bytes, more than $size_max"
    serve "$(table "$role")" "$(component "$role")" >"$role.toml"
    run_or_show "$role.log" "$portcullis" --config "$role.toml" node list
    printf '%-20s %6s %8s  %s\n' "$role" "$tests" "$bytes" yes
done

# try NAME < CONFIGURATION: one run; 3 is an answer too.
try() {
    cat >"$1.toml"
    code=0
    "$portcullis" --config "$1.toml" --store "$1.db" run --incident "$incident" >"$1.answer" 2>"$1.log" || code=$?
    case $code in
    0 | 3) ;;
    *)
        cat "$1.log" >&2
        fail "the run $1 ended with $code"
        ;;
    esac
    run_or_show "$1.shown" "$portcullis" --config "$1.toml" --store "$1.db" runs show last
    # Times differ, and so do the ids of tool calls, which the verifier's input holds.
    sed -n '/^Steps:/,/^$/p' "$1.shown" | sed -E 's/, [0-9]+ ms$//; / verifier /s/ \(sha256 [0-9a-f]+\)//' >"$1.steps"
    printf 'run %-8s exit %s, %s\n' "$1" "$code" "$(sed -n 's/^Proof: //p' "$1.shown")"
}

try default </dev/null
for node in $nodes; do serve "nodes.$node" "$(component "$node")"; done | try nodes
diff default.steps nodes.steps >&2 || fail "the new adapters and parsers do something else than the defaults"
{
    for agent in planner verifier composer; do serve "agents.$agent" "$(component thinker)"; done
    serve agents.executor "$(component investigator)"
} | try agents
