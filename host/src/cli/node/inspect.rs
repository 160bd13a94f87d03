//! `portcullis node inspect`: what a file is, imports and needs, and what a new version of it needs more. Nothing is run
//! or compiled.

mod explained;
mod words;

use super::super::Context;
use super::super::error::{CliError, Exit};
use clap::Args;
use explained::{Explained, Fit, fits, imports};
use portcullis_plugins::{
    Change, Changes, CoreFacts, FileKind, Inspection, Language, Producer, StoreLimits, WitVersion,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The file; with --diff the old one
    file: PathBuf,
    /// What a new version needs more than an old one: exit code 1 if anything
    #[arg(long, requires = "new")]
    diff: bool,
    /// The new file
    #[arg(requires = "diff")]
    new: Option<PathBuf>,
}

pub(crate) fn inspect(args: &InspectArgs, context: &Context) -> Result<Exit, CliError> {
    match &args.new {
        None => one(&args.file, context),
        Some(new) => diff(&args.file, new, context),
    }
}

fn read(path: &Path) -> Result<Inspection, CliError> {
    let bytes = super::read(path)?;
    portcullis_plugins::inspect(&bytes).map_err(|problem| {
        CliError::usage(format!("{} cannot be inspected: {problem}", path.display()))
            .hint("name a WebAssembly component, or a core module that a build for wasm32-unknown-unknown made")
    })
}

fn one(path: &Path, context: &Context) -> Result<Exit, CliError> {
    let inspected = read(path)?;
    let imports = imports(&inspected, &context.config);
    let fits = fits(&inspected, &context.config);
    context
        .output
        .result(&value(path, &inspected, &imports, &fits), || words::of_file(path, &inspected, &imports, &fits))?;
    Ok(Exit::Success)
}

fn diff(old: &Path, new: &Path, context: &Context) -> Result<Exit, CliError> {
    let (one, other) = (read(old)?, read(new)?);
    let changes = Changes::between(&one, &other);
    let value = json!({
        "old": identity(old, &one),
        "new": identity(new, &other),
        "new_imports": changes.new_imports,
        "gone_imports": changes.gone_imports,
        "needs_more": changes.more.iter().map(change).collect::<Vec<_>>(),
    });
    context.output.result(&value, || words::of_changes((old, &one), (new, &other), &changes))?;
    Ok(if changes.more.is_empty() { Exit::Success } else { Exit::Failed })
}

/// What the two files of a comparison are set apart by.
fn identity(path: &Path, inspected: &Inspection) -> Value {
    json!({
        "file": path.display().to_string(),
        "kind": kind(inspected.kind),
        "sha256": inspected.sha256,
        "size": inspected.size,
        "version": inspected.version,
        "wit": inspected.wit,
        "serves": inspected.serves().iter().map(|role| role.world()).collect::<Vec<_>>(),
        "rights": inspected.rights().iter().map(|right| right.as_str()).collect::<Vec<_>>(),
        "wasi": inspected.is_wasi(),
        "core": core(&inspected.core),
    })
}

fn value(path: &Path, inspected: &Inspection, imports: &[Explained], fits: &[Fit]) -> Value {
    let mut value = identity(path, inspected);
    let producers =
        |Producer { field, name, version }: &Producer| json!({"field": field, "name": name, "version": version});
    let more = json!({
        "host": { "version": env!("CARGO_PKG_VERSION"), "wit": WitVersion::ALL.map(WitVersion::as_str) },
        "language": inspected.producers.language().map(Language::as_str),
        "producers": inspected.producers.all().iter().map(producers).collect::<Vec<_>>(),
        "exports": inspected.exports,
        "imports": imports,
        "store": store(StoreLimits::HOST),
        "fits": fits,
        "broken": inspected.broken.as_ref().map(ToString::to_string),
    });
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}

fn core(facts: &CoreFacts) -> Value {
    let CoreFacts { modules, instances, memories, initial_memory, tables, table_elements } = facts;
    json!({
        "modules": modules, "instances": instances, "memories": memories, "initial_memory": initial_memory,
        "tables": tables, "table_elements": table_elements,
    })
}

fn store(limits: StoreLimits) -> Value {
    let StoreLimits { instances, memories, tables, table_elements } = limits;
    json!({ "instances": instances, "memories": memories, "tables": tables, "table_elements": table_elements })
}

fn change(change: &Change) -> Value {
    match change {
        Change::Right(right) => json!({ "need": right.as_str() }),
        Change::Wasi => json!({ "need": "wasi" }),
        Change::Refused => json!({ "need": "refused" }),
        Change::Memory { from, to } => json!({ "need": "memory", "from": from, "to": to }),
        Change::Wit { to } => json!({ "need": "host", "wit": to }),
        Change::Role(role) => json!({ "need": "role", "role": role.world() }),
        Change::ComponentType => json!({ "need": "component-type" }),
    }
}

const fn kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Component => "component",
        FileKind::TypedModule => "core module with a component type",
        FileKind::BareModule => "core module without a component type",
    }
}
