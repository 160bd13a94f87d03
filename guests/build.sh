#!/bin/sh
# Builds the guests for wasm32-unknown-unknown and leaves one core module each in target/guests/.
# Takes the first toolchain that works, and says which: an installed target, rustup, Debian's packages.
# GUEST_TOOLCHAIN=installed|rustup|debian decides instead.
set -eu

target=wasm32-unknown-unknown
guests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$guests")
out=$root/target/guests
build=$root/target/guests-build
names='planner executor verifier composer
    plan-parser evidence-parser verification-parser answer-parser
    thinker investigator'
debian_packages='rustc-web cargo-web rust-web-src lld'

say() { echo "guests: $*" >&2; }
fail() {
    say "$*"
    exit 1
}

# A cargo that calls this script hands down what is meant for its own build.
unset CARGO RUSTC RUSTDOC RUSTFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET

has_target() { [ -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ]; }

add_by_rustup() {
    command -v rustup >/dev/null || return 1
    say "trying: rustup target add $target (at most 60 s)"
    timeout 60 rustup target add "$target" >/dev/null 2>&1 && has_target
}

has_debian() {
    [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] && command -v wasm-ld >/dev/null &&
        [ -f "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/std/Cargo.toml" ]
}

add_by_debian() {
    if has_debian; then return 0; fi
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then return 1; fi
    say "installing Debian's $debian_packages"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list of words
    apt-get update -qq >&2 && apt-get install -y -qq $debian_packages >&2 && has_debian
}

# What the last build took. rustup's refusal is remembered by it, so that a build without network does not wait again.
remembered=$build/toolchain

choose() {
    if has_target; then
        echo installed
    elif [ "$(cat "$remembered" 2>/dev/null)" = debian ] && has_debian; then
        echo debian
    elif add_by_rustup; then
        echo rustup
    elif add_by_debian; then
        echo debian
    else
        fail "no Rust for $target: run 'rustup target add $target', or as root 'apt-get install $debian_packages'"
    fi
}

case ${GUEST_TOOLCHAIN:-} in
'') toolchain=$(choose) ;;
installed) toolchain=installed && { has_target || fail "$(command -v rustc || echo 'no rustc') has no $target"; } ;;
rustup) toolchain=rustup && { add_by_rustup || fail "rustup could not add $target"; } ;;
debian) toolchain=debian && { add_by_debian || fail "as root: apt-get install $debian_packages"; } ;;
*) fail "GUEST_TOOLCHAIN is '$GUEST_TOOLCHAIN': use installed, rustup or debian" ;;
esac
mkdir -p "$out" "$build"
echo "$toolchain" >"$remembered"

# Paths of this machine must not get into a module: it shall have the same digest everywhere.
unit=$(printf '\037')
CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$root=.$unit--remap-path-prefix=${CARGO_HOME:-${HOME:-}/.cargo}=cargo"
export CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR="$build"

set -- build --release --locked --target "$target" --manifest-path "$guests/Cargo.toml"
for name in $names; do set -- "$@" -p "portcullis-$name"; done

case $toolchain in
installed) say "using $(rustc --version), which has $target" ;;
rustup) say "using $(rustc --version), to which rustup added $target" ;;
debian) say "using Debian's $(/usr/bin/rustc --version): std is built too, once" ;;
esac
if [ "$toolchain" = debian ]; then
    RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld \
        /usr/bin/cargo "$@" -Zbuild-std=std,panic_abort
else
    cargo "$@"
fi

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
