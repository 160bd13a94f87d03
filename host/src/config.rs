//! `portcullis.toml`: what it says, checked, with every path made absolute. It opens no component and no tool.
//!
//! Every key has a default. An unknown key or value is an error that names the nearest known one, if one is near.

use crate::bounded::{self, ReadError};
use bytesize::ByteSize;
use jiff::SignedDuration;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name that is looked for, from the working folder upward.
pub const FILE_NAME: &str = "portcullis.toml";

/// Larger files are refused before they are read.
const SIZE_LIMIT: u64 = 1024 * 1024;

/// As much of one line of a message is shown.
const EXCERPT_CHARS: usize = 240;

/// The whole configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Which component serves each node.
    pub nodes: Nodes,
    /// Candidates, which are compared with the components that serve and never used.
    pub shadow: Shadow,
    /// Who answers for each node.
    pub agents: Agents,
    pub tools: Tools,
    pub store: Store,
    pub run: Run,
    /// The file that it came from.
    #[serde(skip)]
    pub source: Option<PathBuf>,
}

/// One entry for each replaceable component: four adapters and four parsers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Nodes {
    pub planner: Component,
    pub executor: Component,
    pub verifier: Component,
    pub composer: Component,
    pub plan_parser: Component,
    pub evidence_parser: Component,
    pub verification_parser: Component,
    pub answer_parser: Component,
}

/// At most one candidate for each replaceable component.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Shadow {
    pub planner: Option<Candidate>,
    pub executor: Option<Candidate>,
    pub verifier: Option<Candidate>,
    pub composer: Option<Candidate>,
    pub plan_parser: Option<Candidate>,
    pub evidence_parser: Option<Candidate>,
    pub verification_parser: Option<Candidate>,
    pub answer_parser: Option<Candidate>,
}

/// A component that is named: there is no default candidate.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Component")]
pub struct Candidate(pub Component);

impl TryFrom<Component> for Candidate {
    type Error = &'static str;

    fn try_from(component: Component) -> Result<Self, Self::Error> {
        match component.component {
            Some(_) => Ok(Self(component)),
            None => Err("a candidate in the shadow needs `component`, its file"),
        }
    }
}

/// A component by path, or the embedded default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Component {
    /// Absent: the embedded default.
    pub component: Option<PathBuf>,
    /// Lower-case hex of the file's digest. A file that differs is refused.
    pub sha256: Option<String>,
    pub wasi: Wasi,
    /// What it may import of its world. Absent: all of it.
    pub rights: Option<Vec<Right>>,
    pub limits: ComponentLimits,
}

/// An import that carries authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    Log,
    Invoker,
    Tools,
}

/// What of WASI a component is granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wasi {
    #[default]
    None,
    /// Clocks, random numbers and captured output; no file, environment, argument or network.
    Sandboxed,
}

/// Limits of one attempt. What is absent has the host's default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ComponentLimits {
    #[serde(deserialize_with = "size")]
    pub memory: Option<u64>,
    #[serde(deserialize_with = "duration")]
    pub compute: Option<Duration>,
    #[serde(deserialize_with = "duration")]
    pub wall: Option<Duration>,
    #[serde(deserialize_with = "size")]
    pub output: Option<u64>,
    pub invocations: Option<u32>,
}

/// One agent a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Agents {
    pub planner: Agent,
    pub executor: Agent,
    pub verifier: Agent,
    pub composer: Agent,
}

/// Who answers for a node.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "AgentTable")]
pub enum Agent {
    /// A sandboxed component; the default one is the embedded analyst.
    Component(Component),
    /// Recorded replies, for tests.
    Script { script: PathBuf },
}

/// An agent as it is written: the keys of all backends side by side, so that `backend` has a default too.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentTable {
    #[serde(default)]
    backend: Backend,
    component: Option<PathBuf>,
    sha256: Option<String>,
    wasi: Option<Wasi>,
    rights: Option<Vec<Right>>,
    limits: Option<ComponentLimits>,
    script: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Backend {
    #[default]
    Component,
    Script,
}

impl TryFrom<AgentTable> for Agent {
    type Error = String;

    fn try_from(table: AgentTable) -> Result<Self, String> {
        let AgentTable { backend, component, sha256, wasi, rights, limits, script } = table;
        match (backend, script) {
            (Backend::Component, None) => {
                let (wasi, limits) = (wasi.unwrap_or_default(), limits.unwrap_or_default());
                Ok(Self::Component(Component { component, sha256, wasi, rights, limits }))
            }
            (Backend::Component, Some(_)) => {
                Err("`script` belongs to another backend: add backend = \"script\"".to_owned())
            }
            (Backend::Script, None) => Err("backend = \"script\" needs `script`, the file with the replies".to_owned()),
            (Backend::Script, Some(script)) => {
                let foreign = [
                    ("component", component.is_some()),
                    ("sha256", sha256.is_some()),
                    ("wasi", wasi.is_some()),
                    ("rights", rights.is_some()),
                    ("limits", limits.is_some()),
                ];
                match foreign.into_iter().find(|(_, is_given)| *is_given) {
                    Some((key, _)) => {
                        Err(format!("`{key}` belongs to backend = \"component\", not to backend = \"script\""))
                    }
                    None => Ok(Self::Script { script }),
                }
            }
        }
    }
}

impl Default for Agent {
    fn default() -> Self {
        Self::Component(Component::default())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tools {
    /// An incident bundle.
    pub incident: Option<PathBuf>,
    /// Glob patterns of tool names that agents may call.
    pub allow: Vec<String>,
    pub limits: ToolLimits,
}

impl Default for Tools {
    fn default() -> Self {
        Self { incident: None, allow: vec!["*".into()], limits: ToolLimits::default() }
    }
}

/// Limits of one run's tool calls.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolLimits {
    pub calls: u32,
    pub identical_calls: u32,
    #[serde(deserialize_with = "plain_size")]
    pub output: u64,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self { calls: 40, identical_calls: 3, output: 256 * 1024 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    /// A database file, or `memory`, which keeps nothing.
    pub path: PathBuf,
}

impl Store {
    /// The value of `path` that keeps nothing.
    pub const MEMORY: &str = "memory";

    pub fn is_memory(&self) -> bool {
        self.path == Path::new(Self::MEMORY)
    }
}

impl Default for Store {
    fn default() -> Self {
        Self { path: "portcullis.db".into() }
    }
}

/// Budgets of a whole run. Their end is the safe fallback.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    #[serde(deserialize_with = "plain_duration")]
    pub wall: Duration,
    /// Agent invocations.
    pub invocations: u32,
}

impl Default for Run {
    fn default() -> Self {
        Self { wall: Duration::from_mins(15), invocations: 32 }
    }
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the configuration {}: {source}; name another one with --config FILE", path.display())]
    Unreadable { path: PathBuf, source: ReadError },
    #[error("{}:{line}: is not UTF-8; save the file as UTF-8", path.display())]
    NotUtf8 { path: PathBuf, line: usize },
    #[error("{}: {message}{}", path.display(), nearest.as_ref().map_or(String::new(), |key| format!("did you mean `{key}`?\n")))]
    Invalid { path: PathBuf, message: String, nearest: Option<String> },
}

impl Config {
    /// Reads `explicit`, or the first [`FILE_NAME`] from `folder` upward, or takes the defaults.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the file and the place.
    pub fn load(explicit: Option<&Path>, folder: &Path) -> Result<Self, ConfigError> {
        match explicit.map(Path::to_owned).or_else(|| find_upward(folder)) {
            Some(path) => Self::read(&path),
            None => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> Result<Self, ConfigError> {
        Self::from_text(&Self::text(path)?, path)
    }

    /// The text of a configuration.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the file.
    pub fn text(path: &Path) -> Result<String, ConfigError> {
        let bytes = bounded::file(path, SIZE_LIMIT)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
            ConfigError::NotUtf8 { path: path.to_owned(), line: 1 + valid.filter(|&&byte| byte == b'\n').count() }
        })
    }

    /// What that text says if it stands at `path`.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the place.
    pub fn from_text(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let mut config = Self::parse(text, path)?;
        config.resolve(path.parent().unwrap_or(Path::new(".")));
        config.source = Some(path.to_owned());
        Ok(config)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|error| {
            let message = error.to_string();
            ConfigError::Invalid { path: path.to_owned(), nearest: nearest_known(&message), message: excerpt(&message) }
        })?;
        if let Some(pattern) = config.tools.allow.iter().find(|pattern| glob::Pattern::new(pattern).is_err()) {
            return Err(ConfigError::Invalid {
                path: path.to_owned(),
                message: format!("tools.allow: `{pattern}` is not a glob pattern\n"),
                nearest: None,
            });
        }
        Ok(config)
    }

    /// Paths in a file mean places beside that file.
    fn resolve(&mut self, folder: &Path) {
        let Self { nodes, shadow, agents, tools, store, run: _, source: _ } = self;
        let beside = |path: &mut PathBuf| *path = folder.join(&*path);
        for component in nodes.all_mut().into_iter().chain(shadow.all_mut()) {
            component.component.iter_mut().for_each(beside);
        }
        for agent in [&mut agents.planner, &mut agents.executor, &mut agents.verifier, &mut agents.composer] {
            match agent {
                Agent::Component(agent) => agent.component.iter_mut().for_each(beside),
                Agent::Script { script } => beside(script),
            }
        }
        tools.incident.iter_mut().for_each(beside);
        if !store.is_memory() {
            beside(&mut store.path);
        }
    }
}

impl Nodes {
    fn all_mut(&mut self) -> [&mut Component; 8] {
        let Self {
            planner,
            executor,
            verifier,
            composer,
            plan_parser,
            evidence_parser,
            verification_parser,
            answer_parser,
        } = self;
        [planner, executor, verifier, composer, plan_parser, evidence_parser, verification_parser, answer_parser]
    }
}

impl Shadow {
    fn all_mut(&mut self) -> impl Iterator<Item = &mut Component> {
        let Self {
            planner,
            executor,
            verifier,
            composer,
            plan_parser,
            evidence_parser,
            verification_parser,
            answer_parser,
        } = self;
        [planner, executor, verifier, composer, plan_parser, evidence_parser, verification_parser, answer_parser]
            .into_iter()
            .flatten()
            .map(|Candidate(component)| component)
    }
}

fn find_upward(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file())
}

/// The message quotes the line of the file, which may be of any length.
fn excerpt(message: &str) -> String {
    message.lines().flat_map(|line| line.chars().take(EXCERPT_CHARS).chain(['\n'])).collect()
}

/// serde lists every known key or value; a person wants the one that was meant.
fn nearest_known(message: &str) -> Option<String> {
    let (_, rest) = ["unknown field `", "unknown variant `"].iter().find_map(|words| message.split_once(words))?;
    let (unknown, rest) = rest.split_once('`')?;
    let known = rest.split('`').skip(1).step_by(2);
    known
        .map(|key| (strsim::normalized_damerau_levenshtein(unknown, key), key))
        .filter(|(likeness, _)| *likeness > 0.4)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, key)| key.to_owned())
}

fn size<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    plain_size(deserializer).map(Some)
}

/// `"64MiB"`, or a number of bytes.
fn plain_size<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    use serde::de::Error as _;
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a size is a number of bytes, or a text such as \"64MiB\"")]
    enum Size {
        Bytes(u64),
        Text(String),
    }
    match Size::deserialize(deserializer)? {
        Size::Bytes(bytes) => Ok(bytes),
        Size::Text(text) => size_of_text(&text).map_err(D::Error::custom),
    }
}

/// Bytes of a text such as `64MiB`. The command line reads sizes in the same way.
pub(crate) fn size_of_text(text: &str) -> Result<u64, String> {
    match text.parse().map(|size: ByteSize| size.as_u64()) {
        // What no number of bytes holds is read as the most that one holds.
        Ok(u64::MAX) => Err(format!("`{text}` is too large for a size")),
        Ok(bytes) => Ok(bytes),
        Err(_) => Err(format!("`{text}` is no size; a size is a text such as \"64MiB\"")),
    }
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    plain_duration(deserializer).map(Some)
}

/// `"120s"`, `"15m"`, `"1h 30m"`; more than nothing.
fn plain_duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    use serde::de::Error as _;
    let signed = SignedDuration::deserialize(deserializer)?;
    match Duration::try_from(signed) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        Ok(_) | Err(_) => Err(D::Error::custom("a time limit must be longer than zero")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(text, Path::new("portcullis.toml"))
    }

    #[test]
    fn an_empty_file_is_the_default() {
        // R-HOST-01
        assert_eq!(parse("").unwrap(), Config::default());
    }

    #[test]
    fn each_part_is_read() {
        // R-HOST-01 R-HOST-04
        let config = parse(
            r#"
            [nodes.plan-parser]
            component = "nodes/plan.wasm"
            sha256 = "00"
            wasi = "sandboxed"
            limits = { memory = "128MiB", compute = "3s", wall = "1m 30s", output = 1000, invocations = 2 }
            [shadow.answer-parser]
            component = "nodes/next.wasm"
            limits = { compute = "1s" }
            [agents.executor]
            backend = "script"
            script = "replies.json"
            [tools]
            incident = "incident"
            allow = ["query_*"]
            limits = { calls = 5 }
            [store]
            path = "memory"
            [run]
            wall = "2m"
            "#,
        )
        .unwrap();
        let node = config.nodes.plan_parser;
        assert_eq!(node.wasi, Wasi::Sandboxed);
        assert_eq!(node.limits.memory, Some(128 * 1024 * 1024));
        assert_eq!(node.limits.wall, Some(Duration::from_secs(90)));
        assert_eq!(node.limits.output, Some(1000));
        let Some(Candidate(candidate)) = config.shadow.answer_parser else { panic!("no candidate") };
        assert_eq!(candidate.component, Some("nodes/next.wasm".into()));
        assert_eq!(candidate.limits.compute, Some(Duration::from_secs(1)));
        assert_eq!(config.shadow.composer, None);
        assert_eq!(config.agents.executor, Agent::Script { script: "replies.json".into() });
        assert_eq!((config.tools.limits.calls, config.tools.limits.identical_calls), (5, 3));
        assert!(config.store.is_memory());
        assert_eq!(config.run.wall, Duration::from_mins(2));
    }

    #[test]
    fn errors_name_the_place_and_the_nearest_key() {
        // R-HOST-01
        for (text, words) in [
            ("[nodes.composer]\ncompnent = 'x'", "did you mean `component`?"),
            ("[nodes.composer]\ncompnent = 'x'", "line 2"),
            ("[nodes.compser]", "did you mean `composer`?"),
            ("[shadow.compser]", "did you mean `composer`?"),
            ("[shadow.composer]\ncomponent = 'x'\nwais = 'none'", "did you mean `wasi`?"),
            ("[shadow.composer]\nwasi = 'none'", "needs `component`"),
            ("[shadow.composer]", "line 1"),
            ("[run]\nwall = '-1s'", "longer than zero"),
            ("[run]\nwall = 'soon'", "line 2"),
            ("[tools.limits]\noutput = -1", "a size is a number of bytes"),
            ("[tools.limits]\noutput = '64 parsecs'", "`64 parsecs` is no size"),
            ("[tools.limits]\noutput = '99999999999999999999EiB'", "`99999999999999999999EiB` is too large"),
            ("[nodes.planner]\nlimits = { memory = '16EiB' }", "`16EiB` is too large"),
            ("[nodes.planner]\nwasi = 'all'", "unknown variant `all`"),
            ("[agents.planner]\nbackend = 'opneai'", "unknown variant `opneai`"),
            ("[agents.planner]\nbackend = 'scirpt'", "did you mean `script`?"),
            ("[nodes.planner]\nwasi = 'sandbox'", "did you mean `sandboxed`?"),
            ("[nodes.planner]\nwasi = 'full'", "expected `none` or `sandboxed`"),
            ("[agents.planner]\nscript = 'x'", "add backend = \"script\""),
            ("[agents.planner]\nbackend = 'script'", "needs `script`"),
            ("[agents.planner]\nbackend = 'script'\nscript = 'x'\nlimits = {}", "`limits` belongs to"),
            ("[agents.planner]\nbackend = 'script'\nscript = 'x'\nwasi = 'none'", "`wasi` belongs to"),
            ("[agents.planner]\nscirpt = 'x'", "did you mean `script`?"),
            ("[tools]\nallow = ['[']", "not a glob pattern"),
            ("[nodes", "line 1"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains("portcullis.toml") && error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn an_agent_without_a_backend_is_a_component() {
        // R-HOST-01
        let config = parse("[agents.executor]\nlimits = { wall = '10s' }\n[agents.planner]").unwrap();
        let Agent::Component(Component { component: None, limits, .. }) = config.agents.executor else {
            panic!("not the default")
        };
        assert_eq!(limits.wall, Some(Duration::from_secs(10)));
        assert_eq!(config.agents.planner, Agent::default());
    }

    #[test]
    fn the_file_is_found_upward_and_its_paths_mean_places_beside_it() {
        // R-HOST-01
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let text = "[nodes.composer]\ncomponent = 'c.wasm'\n[shadow.planner]\ncomponent = 'p.wasm'";
        std::fs::write(folder.path().join(FILE_NAME), text).unwrap();
        let config = Config::load(None, &inner).unwrap();
        let Some(Candidate(planner)) = &config.shadow.planner else { panic!("no candidate") };
        assert_eq!(planner.component, Some(folder.path().join("p.wasm")));
        assert_eq!(config.nodes.composer.component, Some(folder.path().join("c.wasm")));
        assert_eq!(config.store.path, folder.path().join("portcullis.db"));
        assert!(Config::load(Some(&inner.join("none.toml")), &inner).is_err());
    }
}
