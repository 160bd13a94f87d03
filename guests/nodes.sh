#!/bin/sh
# Makes nodes in Python and JavaScript from nothing, as their author would: `portcullis node new`, the unit tests, the
# two commands of the project's README, and `portcullis node test` on what they built. The components stay in
# target/nodes, one LANGUAGE-ROLE.wasm each. What did not change is not built again.
# Needs target/release/portcullis; says what else is missing, and installs it where it may.
set -eu

guests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$guests")
portcullis=${PORTCULLIS:-$root/target/release/portcullis}
out=$root/target/nodes
nodes='python:composer python:executor python:plan-parser
    javascript:composer javascript:executor javascript:answer-parser'

say() { echo "nodes: $*" >&2; }
fail() {
    say "$*"
    exit 1
}

# run_or_show LOG COMMAND...: what a step says is shown when it fails.
run_or_show() {
    log=$1
    shift
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        fail "failed: $*"
    }
}

# need CHECK PACKAGES PURPOSE: what the machine lacks is installed from Debian's packages, or named.
need() {
    if sh -c "$1" >/dev/null 2>&1; then return 0; fi
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing Debian's $2"
        export DEBIAN_FRONTEND=noninteractive
        # shellcheck disable=SC2086 # a list of words
        { apt-get update -qq && apt-get install -y -qq $2; } >&2 || true
        if sh -c "$1" >/dev/null 2>&1; then return 0; fi
    fi
    fail "$3 is missing: as root 'apt-get install $2', or install it as your system has it"
}

need 'python3 -c "import ensurepip, venv"' 'python3 python3-venv' 'Python 3.9 or later with venv and pip'
need 'node -e "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)" && npm --version' 'nodejs npm' \
    'Node.js 18 or later with npm'
[ -x "$portcullis" ] || fail "$portcullis is missing: make build"

# The commands that a project's README gives to build it: the first sets up, the second builds.
commands() { sed -n '/^```console$/,/^```$/{/^```/d;p;};/^```$/q' "$1/README.md"; }
set_up_of() { commands "$1" | sed -n 1p; }
build_of() { commands "$1" | sed -n 2p; }

# What a project asks its language's registry for, and where its set-up leaves that.
pins() {
    case $1 in
    python) cat "$2/requirements.txt" ;;
    javascript) sed -n '/"devDependencies"/,/}/p' "$2/package.json" ;;
    esac
}
installed() {
    case $1 in
    python) echo .venv ;;
    javascript) echo node_modules ;;
    esac
}

unit_tests() {
    case $1 in
    python) python3 -m unittest ;;
    javascript) node --test ;;
    esac
}

# What the set-up fetches is large and the same for each project of a language: it is done once, and linked to.
set_up() {
    tools=$out/tools/$1
    if ! pins "$1" "$2" | cmp -s - "$tools/pins"; then
        say "$1: $(set_up_of "$2")"
        rm -rf "$tools"
        mkdir -p "$tools"
        cp "$2/requirements.txt" "$2/package.json" "$tools" 2>/dev/null || true
        (cd "$tools" && run_or_show "$tools/log" sh -c "$(set_up_of "$2")")
        pins "$1" "$2" >"$tools/pins"
    fi
    ln -sfn "$tools/$(installed "$1")" "$2/$(installed "$1")"
}

seconds() { date +%s; }

mkdir -p "$out/projects" "$out/logs"
for node in $nodes; do
    language=${node%%:*} role=${node#*:}
    name=$language-$role
    project=$out/projects/$name
    component=$out/$name.wasm

    rm -rf "$out/new"
    run_or_show "$out/logs/$name" "$portcullis" node new --role "$role" --lang "$language" "$out/new/$name"
    if [ -e "$component" ] &&
        diff -r -x .venv -x node_modules -x __pycache__ "$out/new/$name" "$project" >/dev/null 2>&1; then
        say "$name is built already"
    else
        rm -rf "$project" "$component"
        mv "$out/new/$name" "$project"
        (cd "$project" && run_or_show "$out/logs/$name" unit_tests "$language")
        set_up "$language" "$project"
        say "$name: $(build_of "$project")"
        begun=$(seconds)
        (cd "$project" && run_or_show "$out/logs/$name" sh -c "$(build_of "$project")")
        mv "$project/$name.wasm" "$component"
        say "$name took $(($(seconds) - begun)) s and has $(wc -c <"$component") bytes"
    fi
done
rm -rf "$out/new"

for node in $nodes; do
    language=${node%%:*} role=${node#*:}
    # A MiB of brackets takes an interpreter some seconds.
    case $role in
    *-parser) compute='20s' ;;
    *) compute='2s' ;;
    esac
    "$portcullis" node test "$out/$language-$role.wasm" --role "$role" --compute "$compute" ||
        fail "$language-$role does not conform"
done
