#!/bin/sh
# Swaps the composer by configuration alone: one incident, three times, with the default composer, with one in Python
# and with one in JavaScript. Shows who served and that the answer stays the same. Needs what nodes.sh builds.
set -eu

guests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$guests")
portcullis=${PORTCULLIS:-$root/target/release/portcullis}
demo=$root/target/nodes/demo
incident=$root/incidents/checkout-latency

mkdir -p "$demo"
cd "$demo"

# configure LANGUAGE: the whole difference between the runs. A default composer needs no entry.
configure() {
    printf '[tools]\nincident = "%s"\n\n[store]\npath = "memory"\n' "$incident"
    [ "$1" = default ] || printf '\n[nodes.composer]\ncomponent = "../%s-composer.wasm"\n' "$1"
}

for language in default python javascript; do
    configure "$language" >"$language.toml"
    printf '\n# %s.toml\n' "$language"
    sed -n '/^\[nodes/,$p' "$language.toml"
    "$portcullis" --config "$language.toml" node list | grep '^composer '
    "$portcullis" --config "$language.toml" run >"$language.answer" 2>"$language.log" || {
        cat "$language.log" >&2
        exit 1
    }
    # The ids of a run and of its tool calls are never those of another run.
    sed -E '/^Run /d; s/(invocation) inv-[0-9a-f-]+/\1 …/' "$language.answer" >"$language.compared"
    sed -n '1p' "$language.answer"
    cmp "$language.compared" default.compared
done
printf '\nThe three answers are the same, but for the ids of the tool calls.\n'
