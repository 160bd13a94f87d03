#!/bin/sh
# Builds the guests for wasm32-unknown-unknown and leaves one core module each in target/guests/.
# Takes the first toolchain that works, and says which: an installed target, rustup, Debian's packages.
# GUEST_TOOLCHAIN=installed|rustup|debian decides instead.
set -eu

guests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$guests")
# shellcheck source=guests/toolchain.sh
. "$guests/toolchain.sh"

out=$root/target/guests
build=$root/target/guests-build
names='planner executor verifier composer
    plan-parser evidence-parser verification-parser answer-parser
    thinker investigator'
mkdir -p "$out"

# Paths of this machine must not get into a module: it shall have the same digest everywhere.
unit=$(printf '\037')
CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$root=.$unit--remap-path-prefix=${CARGO_HOME:-${HOME:-}/.cargo}=cargo"
export CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR="$build"

set -- --locked --manifest-path "$guests/Cargo.toml"
for name in $names; do set -- "$@" -p "portcullis-$name"; done
build_for_wasm "$@"

# A file that did not change keeps its time, so that nothing that depends on it is built again. One that did is replaced
# in one step, under a name of its own: two builds may run at once.
for name in $names; do
    built=$build/$target/release/portcullis_$(echo "$name" | tr - _).wasm
    if ! cmp -s "$built" "$out/$name.wasm"; then
        cp "$built" "$out/$name.wasm.$$"
        mv -f "$out/$name.wasm.$$" "$out/$name.wasm"
        say "$name.wasm, $(wc -c <"$built") bytes"
    fi
done
