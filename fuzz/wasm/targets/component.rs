//! Loading a component: any bytes are an error with a way out, or a component that fits its world.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_plugins::{
    AnswerParser, Composer, Engine, EngineSettings, LoadError, Role, Settings, Source, WasiGrant,
};
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(EngineSettings { pooling: false, ..EngineSettings::default() }).unwrap());

fn holds(loaded: Result<(), LoadError>) {
    let Err(error) = loaded else { return };
    let said = error.to_string();
    assert!(said.contains(". Fix: ") && said.len() < 4096 && !said.contains('\u{1b}'), "{said}");
}

fuzz_target!(|bytes: &[u8]| {
    let source = Source { name: "guest", bytes, origin: "guest.wasm" };
    let sandboxed = Settings { wasi: WasiGrant::Sandboxed, ..Settings::of(Role::Composer) };
    holds(Composer::load(&ENGINE, source, sandboxed).map(drop));
    holds(AnswerParser::load(&ENGINE, source, Settings::of(Role::AnswerParser)).map(drop));
});
