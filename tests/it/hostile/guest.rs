//! `guests/hostile/NAME.wat`: a misbehaviour in WebAssembly text, made into a component for each world that it is of.
//!
//! The file's own `guests/hostile/README.md` says what its first lines mean.

use crate::sandbox::{component, encode, module_with};
use bytesize::ByteSize;
use portcullis_plugins::{Role, Settings, WasiGrant};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A misbehaviour.
pub(super) struct Guest {
    pub(super) name: String,
    wat: String,
    header: BTreeMap<String, String>,
}

/// What a file leaves out is well-behaved.
const DEFAULTS: [(&str, &str); 5] = [
    (
        "$realloc",
        "(func $realloc (param $size i32) (result i32) (local $at i32)
           (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
           (global.set $heap (i32.add (local.get $at) (local.get $size)))
           (local.get $at))",
    ),
    ("$prepare", "(func $prepare (result i32) (i32.const 64))"),
    (
        "$attempt",
        "(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
           (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
           (call $drop (local.get $config)) (i32.const 80))",
    ),
    ("$parse", "(func $parse (param $text i32) (param $length i32) (result i32) (i32.const 64))"),
    (
        "$respond",
        "(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
           (call $drop (local.get $config)) (i32.const 64))",
    ),
];

/// What a line of the header can be about.
const KEYS: [&str; 11] =
    ["worlds", "does", "ends by", "limits", "agent", "tools", "wasi", "wit", "says", "run", "differs"];

pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../guests/hostile")
}

/// All of them, by name.
pub(super) fn all() -> Vec<Guest> {
    let paths = folder().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut guests: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|it| it == "wat")).map(|path| Guest::read(&path)).collect();
    guests.sort_by(|one, other| one.name.cmp(&other.name));
    guests
}

impl Guest {
    fn read(path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let wat = std::fs::read_to_string(path).unwrap();
        let lines = wat.lines().map_while(|line| line.strip_prefix(";; "));
        let header: BTreeMap<_, _> = lines
            .map(|line| line.split_once(": ").unwrap_or_else(|| panic!("{name}: `{line}`")))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        for key in header.keys() {
            assert!(KEYS.contains(&key.as_str()), "{name}: nobody knows `{key}`");
        }
        for key in ["worlds", "does", "ends by"] {
            assert!(header.contains_key(key), "{name}: its header does not say `{key}`");
        }
        Self { name, wat, header }
    }

    pub(super) fn says(&self, key: &str) -> Option<&str> {
        self.header.get(key).map(String::as_str)
    }

    pub(super) fn roles(&self) -> Vec<Role> {
        let role = |world| Role::from_world(world).unwrap_or_else(|| panic!("{}: no world `{world}`", self.name));
        self.header["worlds"].split(' ').map(role).collect()
    }

    /// The role's own limits, but those of the header.
    pub(super) fn settings(&self, role: Role) -> Settings {
        let mut settings = Settings::of(role);
        if self.says("wasi") == Some("sandboxed") {
            settings.wasi = WasiGrant::Sandboxed;
        }
        for limit in self.says("limits").into_iter().flat_map(|limits| limits.split(' ')) {
            let limits = &mut settings.limits;
            let bytes = |text: &str| text.parse::<ByteSize>().unwrap().as_u64();
            match limit.split_once('=').unwrap() {
                ("memory", value) => limits.memory = bytes(value),
                ("output", value) => limits.output = usize::try_from(bytes(value)).unwrap(),
                ("compute", value) => limits.compute = milliseconds(value),
                ("wall", value) => limits.wall = milliseconds(value),
                (other, _) => panic!("{}: nobody knows the limit `{other}`", self.name),
            }
        }
        settings
    }

    /// As a file for `role`. Where the header has `{{id}}`, `id` is put in.
    pub(super) fn build(&self, role: Role, id: &str) -> Vec<u8> {
        if self.wat.contains("\n(component") {
            return wat::parse_str(&self.wat).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        }
        let wat = self.module(role, id);
        if let Some(world) = self.says("wit") {
            return encode(&module_with(&extra_wit(), world, &wat));
        }
        if self.says("wasi").is_some() {
            return encode(&module_with(&extra_wit(), "test:guest/parser", &wat));
        }
        component(role.world(), &wat)
    }

    /// The text of its core module: what its world gives it, what it is, and what it left out.
    fn module(&self, role: Role, id: &str) -> String {
        if self.wat.contains("\n(module") {
            return self.wat.clone();
        }
        let world = |name: &str| std::fs::read_to_string(folder().join(format!("worlds/{name}.wat"))).unwrap();
        let (imports, exports) = match role {
            Role::Planner | Role::Executor | Role::Verifier | Role::Composer => (world("adapter"), world(role.world())),
            Role::Thinker | Role::Investigator => (world(role.world()), world("agent")),
            Role::PlanParser | Role::EvidenceParser | Role::VerificationParser | Role::AnswerParser => {
                (self.says("wasi").map_or(String::new(), |_| world("wasi")), world(role.world()))
            }
        };
        let called = format!("{exports}{}", world("memory"));
        let left_out = DEFAULTS.iter().filter(|(name, _)| {
            let is_called = called.contains(&format!("(call {name} ")) || called.contains(&format!("(call {name})"));
            is_called && !self.wat.contains(&format!("(func {name} "))
        });
        let left_out: Vec<_> = left_out.map(|(_, wat)| *wat).collect();
        let says = self.says("says").map_or(String::new(), |text| say(&text.replace("{{id}}", id)));
        [&imports, &world("memory"), &exports, &self.wat, &says, &left_out.join("\n")].map(String::as_str).join("\n")
    }
}

/// `$say`, which makes `ok(text)` and gives its address.
fn say(text: &str) -> String {
    let length = text.len();
    format!(
        r#"(data (i32.const 2048) "{}")
           (func $say (result i32)
             (i32.store (i32.const 68) (i32.const 2048)) (i32.store (i32.const 72) (i32.const {length}))
             (i32.const 64))"#,
        text.replace('"', "\\\"")
    )
}

fn extra_wit() -> String {
    std::fs::read_to_string(folder().join("worlds/extra.wit")).unwrap()
}

fn milliseconds(text: &str) -> Duration {
    Duration::from_millis(text.strip_suffix("ms").unwrap().parse().unwrap())
}
