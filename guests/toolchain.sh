# Chooses what builds for wasm32-unknown-unknown. Sourced by build.sh and templates.sh, which set `root`.
# Takes the first toolchain that works, and says which: an installed target, rustup, Debian's packages.
# GUEST_TOOLCHAIN=installed|rustup|debian decides instead.
# shellcheck shell=sh disable=SC2154 # `root` is set where this is sourced

target=wasm32-unknown-unknown
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
remembered=$root/target/guests-build/toolchain

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
mkdir -p "$root/target/guests-build"
echo "$toolchain" >"$remembered"

case $toolchain in
installed) say "using $(rustc --version), which has $target" ;;
rustup) say "using $(rustc --version), to which rustup added $target" ;;
debian) say "using Debian's $(/usr/bin/rustc --version): std is built too, once" ;;
esac

# `cargo build --release` for the target, with the chosen toolchain.
build_for_wasm() {
    set -- build --release --target "$target" "$@"
    if [ "$toolchain" = debian ]; then
        RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld \
            /usr/bin/cargo "$@" -Zbuild-std=std,panic_abort
    else
        cargo "$@"
    fi
}
