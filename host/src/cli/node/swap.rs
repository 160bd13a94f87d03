//! `portcullis node use ROLE FILE`: tries a component as a running host would, then names it in the configuration.

use super::super::Context;
use super::super::error::{CliError, Exit};
use crate::bounded;
use crate::config::{self, Config, FILE_NAME};
use crate::digest::sha256_hex;
use crate::replace::replace;
use crate::setup::{Change, Refused, SetupError, Shared, Slot};
use crate::toml_text;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use portcullis_plugins::{EngineSettings, LoadError, Problem, Right};
use serde_json::json;
use std::path::{Component as Part, Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// What it is to serve as
    #[arg(value_name = "ROLE", value_parser = slot_parser())]
    slot: Slot,
    /// The component
    #[arg(required_unless_present = "default")]
    file: Option<PathBuf>,
    /// Go back to the built-in component, and take back what was allowed
    #[arg(long, conflicts_with_all = ["file", "allow", "wasi", "memory"])]
    default: bool,
    /// A right that it may take beyond those of what serves now; may be given more than once
    #[arg(long, value_name = "RIGHT", value_parser = right_parser())]
    allow: Vec<Right>,
    /// Whether it gets clocks and random numbers
    #[arg(long, value_enum)]
    wasi: Option<Wasi>,
    /// How much memory it may use, such as 128MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<String>,
    /// Try it and say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Wasi {
    None,
    Sandboxed,
}

impl Wasi {
    const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sandboxed => "sandboxed",
        }
    }
}

fn slot_parser() -> impl TypedValueParser<Value = Slot> {
    let named = |word: String| Slot::ALL.into_iter().find(|slot| slot.as_str() == word).ok_or("no such role");
    PossibleValuesParser::new(Slot::ALL.map(Slot::as_str)).try_map(named)
}

fn right_parser() -> impl TypedValueParser<Value = Right> {
    let named = |word: String| Right::ALL.into_iter().find(|right| right.as_str() == word).ok_or("no such right");
    PossibleValuesParser::new(Right::ALL.map(Right::as_str)).try_map(named)
}

fn parse_size(text: &str) -> Result<String, String> {
    config::size_of_text(text).map(|_| text.to_owned())
}

pub(super) async fn swap(args: UseArgs, context: &Context) -> Result<Exit, CliError> {
    let slot = args.slot;
    let file = ConfigFile::open(context)?;
    let running = file.read(&file.text)?;
    let serving = match Shared::load(&running) {
        Ok(serving) => Some(serving),
        // What is configured cannot serve. To go back is the way out, and needs nothing of it.
        Err(_) if args.default => None,
        Err(error) => {
            let hint = format!("if that is what is to be replaced: `portcullis node use {slot} --default` first");
            return Err(CliError::usage(error).hint(hint));
        }
    };
    let entries = match &args.file {
        Some(component) => named(&args, component, &file, &running, serving.as_ref())?,
        None => unnamed(slot, running.clone()),
    };
    let read = |text: String| file.read(&text).map(|wanted| (text, wanted)).ok();
    let edited = edited(&file.text, &entries).ok().and_then(read);
    let edited = edited.filter(|(_, wanted)| is_as_meant(slot, &running, wanted, &entries));
    let Some((text, wanted)) = edited else { return Err(by_hand(&file, &entries)) };

    let change = match serving {
        Some(serving) => {
            let prepared = serving.prepare(wanted).await.map_err(|error| refused(&error))?;
            prepared.changes.into_iter().find(|change| change.slot == slot)
        }
        None => Shared::load(&wanted).map(|_| None).map_err(CliError::usage)?,
    };
    let is_written = !args.dry_run && text != file.text;
    if is_written {
        file.write(&text)?;
    }
    let undo = is_written.then(|| undo(slot, running));
    let document = json!({
        "node": slot.as_str(),
        "before": change.as_ref().map(|change| change.before.record(slot)),
        "now": change.as_ref().map(|change| change.after.record(slot)),
        "config": file.path,
        "written": is_written,
        "undo": undo,
    });
    context.output.result(&document, || {
        let path = file.path.display();
        let changed = change.as_ref().map_or_else(|| format!("{slot}: served as before"), Change::to_string);
        let written = match (&undo, args.dry_run) {
            (Some(undo), _) => format!("{path} says so now. A running host takes it over at SIGHUP.\nundo: {undo}"),
            (None, true) => format!("It would do. {path} was not changed: a dry run."),
            (None, false) => format!("{path} says so already."),
        };
        format!("{changed}\n{written}")
    })?;
    Ok(Exit::Success)
}

/// How to come back to what was configured before.
fn undo(slot: Slot, mut before: Config) -> String {
    match slot.component_mut(&mut before).and_then(|component| component.component.take()) {
        Some(path) => format!("portcullis node use {slot} {}", path.display()),
        None => format!("portcullis node use {slot} --default"),
    }
}

/// The configuration that is to be changed. One that is not there is as an empty one.
struct ConfigFile {
    path: PathBuf,
    text: String,
    is_there: bool,
}

impl ConfigFile {
    fn open(context: &Context) -> Result<Self, CliError> {
        match &context.config.source {
            Some(path) => {
                let text = Config::text(path).map_err(CliError::usage)?;
                Ok(Self { path: path.clone(), text, is_there: true })
            }
            None => Ok(Self { path: FILE_NAME.into(), text: String::new(), is_there: false }),
        }
    }

    fn read(&self, text: &str) -> Result<Config, CliError> {
        Config::from_text(text, &self.path).map_err(CliError::usage)
    }

    fn write(&self, text: &str) -> Result<(), CliError> {
        let is_as_read = if self.is_there {
            Config::text(&self.path).is_ok_and(|now| now == self.text)
        } else {
            !self.path.exists()
        };
        if !is_as_read {
            let message = format!("{} was changed meanwhile; nothing was written", self.path.display());
            return Err(CliError::failed(message).hint("try again"));
        }
        let unwritten = |error| CliError::failed(format!("cannot write {}: {error}", self.path.display()));
        replace(&self.path, text.as_bytes()).map_err(|error| unwritten(error).hint("the file is as it was"))
    }

    /// How the configuration names a file: from its own folder.
    fn relative(&self, file: &Path) -> Result<String, CliError> {
        let unusable = |error| CliError::usage(format!("cannot use {}: {error}", file.display()));
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(CliError::usage(format!("{} names no file", file.display())));
        };
        // A link may stand for the file, but the way to it has to be the real one.
        let own = absolute(self.path.parent().unwrap_or(Path::new(""))).map_err(unusable)?;
        let path = relative(&own, &absolute(folder).map_err(unusable)?.join(name));
        let path = path.into_os_string().into_string();
        path.map_err(|_| {
            CliError::usage(format!("the path {} is not UTF-8", file.display())).hint("give it another name")
        })
    }
}

fn absolute(folder: &Path) -> std::io::Result<PathBuf> {
    std::fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

fn relative(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(own, other)| own == other).count();
    let up = folder.components().skip(shared).map(|_| Part::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

/// A key, and its new value as TOML text, or none.
struct Entry {
    table: Vec<&'static str>,
    key: &'static str,
    value: Option<String>,
}

impl Entry {
    fn new(slot: Slot, key: &'static str, value: Option<String>) -> Self {
        Self { table: slot.table().into(), key, value }
    }
}

/// What names a component, and what is granted to it.
fn named(
    args: &UseArgs,
    component: &Path,
    file: &ConfigFile,
    running: &Config,
    serving: Option<&Shared>,
) -> Result<Vec<Entry>, CliError> {
    let slot = args.slot;
    if slot.component_mut(&mut running.clone()).is_none() {
        let hint =
            format!("take `backend` and `script` out of [{}] of {} first", slot.table().join("."), file.path.display());
        return Err(CliError::usage(format!("a script answers as {slot}")).hint(hint));
    }
    let bytes = bounded::file(component, EngineSettings::default().component_bytes as u64)
        .map_err(|error| CliError::usage(format!("cannot read {}: {error}", component.display())))?;
    let mut entries = vec![
        Entry::new(slot, "component", Some(quoted(&file.relative(component)?))),
        Entry::new(slot, "sha256", Some(quoted(&sha256_hex(&bytes)))),
    ];
    if !args.allow.is_empty() {
        let taken = serving.map(|serving| serving.at(slot).info().map(|info| info.rights.clone()).unwrap_or_default());
        let taken = taken.unwrap_or_default();
        let rights = Right::ALL.into_iter().filter(|right| taken.contains(right) || args.allow.contains(right));
        let rights: Vec<_> = rights.map(|right| quoted(right.as_str())).collect();
        entries.push(Entry::new(slot, "rights", Some(format!("[{}]", rights.join(", ")))));
    }
    if let Some(wasi) = args.wasi {
        entries.push(Entry::new(slot, "wasi", Some(quoted(wasi.as_str()))));
    }
    if let Some(memory) = &args.memory {
        let table = slot.table().into_iter().chain(["limits"]).collect();
        entries.push(Entry { table, key: "memory", value: Some(quoted(memory)) });
    }
    Ok(entries)
}

/// What takes a component away, and what was granted to it.
fn unnamed(slot: Slot, mut running: Config) -> Vec<Entry> {
    let has_wasi = slot.component_mut(&mut running).is_some_and(|component| component.wasi == config::Wasi::Sandboxed);
    let keys = ["component", "sha256", "rights"].into_iter().chain(has_wasi.then_some("wasi"));
    keys.map(|key| Entry::new(slot, key, None)).collect()
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn edited(text: &str, entries: &[Entry]) -> Result<String, toml::de::Error> {
    // A new key comes before those that are there.
    entries.iter().rev().try_fold(text.to_owned(), |text, Entry { table, key, value }| match value {
        Some(value) => toml_text::set(&text, table, key, value),
        None => toml_text::remove(&text, table, key),
    })
}

/// The text was edited, so what it says now is compared with what it is to say: these entries, and nothing else.
fn is_as_meant(slot: Slot, running: &Config, wanted: &Config, entries: &[Entry]) -> bool {
    let (mut running, mut wanted) = (running.clone(), wanted.clone());
    let (Some(before), Some(after)) = (slot.component_mut(&mut running), slot.component_mut(&mut wanted)) else {
        return running == wanted;
    };
    let pin = entries.iter().find(|entry| entry.key == "sha256").and_then(|entry| entry.value.as_deref());
    let is_pinned = after.sha256.as_deref().map(quoted).as_deref() == pin && after.component.is_some() == pin.is_some();
    for Entry { key, value, .. } in entries {
        let is_set = value.is_some();
        match *key {
            "component" => before.component = after.component.clone().filter(|_| is_set),
            "sha256" => before.sha256 = after.sha256.clone().filter(|_| is_set),
            "rights" => before.rights = after.rights.clone().filter(|_| is_set),
            "wasi" => before.wasi = if is_set { after.wasi } else { config::Wasi::default() },
            "memory" => before.limits.memory = after.limits.memory.filter(|_| is_set),
            _ => return false,
        }
    }
    is_pinned && running == wanted
}

fn by_hand(file: &ConfigFile, entries: &[Entry]) -> CliError {
    let line = |Entry { table, key, value }: &Entry| match value {
        Some(value) => format!("{}.{key} = {value}", table.join(".")),
        None => format!("no {}.{key}", table.join(".")),
    };
    let lines: Vec<_> = entries.iter().map(line).collect();
    CliError::usage(format!("{} is written in a way that this command cannot change", file.path.display()))
        .hint(format!("write by hand: {}", lines.join("; ")))
}

fn refused(error: &Refused) -> CliError {
    match error {
        Refused::ImportsMore { more, .. } => {
            let allow: Vec<_> = more.iter().map(|right| format!("--allow {}", right.as_str())).collect();
            CliError::failed(error).hint(format!("{} writes that line", allow.join(" ")))
        }
        Refused::Setup(SetupError::Load(LoadError { problem: Problem::Wasi { .. }, .. })) => {
            CliError::failed(error).hint("--wasi sandboxed writes that line")
        }
        Refused::Setup(SetupError::Load(_)) | Refused::Smoke { .. } | Refused::Lost(_) => CliError::failed(error),
        Refused::Setup(_) => CliError::usage(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_from_the_folder_of_the_configuration() {
        // R-HOST-01
        for (folder, file, expected) in [
            ("/a/b", "/a/b/c.wasm", "c.wasm"),
            ("/a/b", "/a/b/nodes/c.wasm", "nodes/c.wasm"),
            ("/a/b", "/a/c.wasm", "../c.wasm"),
            ("/a/b", "/a/bb/c.wasm", "../bb/c.wasm"),
            ("/", "/c.wasm", "c.wasm"),
        ] {
            assert_eq!(relative(Path::new(folder), Path::new(file)), Path::new(expected));
        }
    }
}
