//! `portcullis node check`: loads a file for a role as the configuration would have it, and runs nothing of it.

use super::super::Context;
use super::super::error::{CliError, Exit};
use crate::setup::{self, Trial, Trials};
use bytesize::ByteSize;
use clap::Args;
use portcullis_plugins::{CodeCache, Inspection, LoadError, PluginInfo, Role, Settings, Source, WitVersion};
use serde_json::{Value, json};
use std::path::PathBuf;

const HOST_VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The component
    file: PathBuf,
    /// What it is to serve as: the name of a world
    #[arg(long, value_parser = super::role)]
    role: Role,
}

pub(crate) fn check(args: &CheckArgs, context: &Context) -> Result<Exit, CliError> {
    let CheckArgs { file, role } = args;
    let bytes = super::read(file)?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let source = Source { name: &name, bytes: &bytes, origin: &file.display().to_string() };
    let trials = setup::try_component(&context.config, *role, source).map_err(CliError::usage)?;
    let fits = trials.trials.iter().all(|trial| trial.outcome.is_ok());
    let value = json!({
        "file": file.display().to_string(),
        "role": role.world(),
        "fits": fits,
        "host": { "version": HOST_VERSION, "wit": WitVersion::ALL.map(WitVersion::as_str) },
        "places": trials.trials.iter().map(trial_value).collect::<Vec<_>>(),
    });
    // What it says of itself is known of a file that does not fit, too.
    let inspected = portcullis_plugins::inspect(&bytes).ok();
    context.output.result(&value, || in_words(*role, inspected.as_ref(), &trials))?;
    Ok(if fits { Exit::Success } else { Exit::Failed })
}

fn trial_value(trial: &Trial) -> Value {
    let Trial { places, settings, outcome } = trial;
    match outcome {
        Ok(info) => json!({
            "places": places,
            "fits": true,
            "version": info.version,
            "wit": info.wit.as_str(),
            "sha256": info.sha256,
            "size": info.size,
            "rights": info.rights.iter().map(|right| right.as_str()).collect::<Vec<_>>(),
            "imports": info.imports,
            "wasi": settings.wasi.as_str(),
        }),
        Err(error) => json!({
            "places": places,
            "fits": false,
            "problem": error.problem.to_string(),
            "fix": error.problem.fix(error.role).to_string(),
        }),
    }
}

fn in_words(role: Role, inspected: Option<&Inspection>, trials: &Trials) -> String {
    let mut lines: Vec<_> = trials.trials.iter().map(trial_in_words).collect();
    lines.extend(inspected.map(component_in_words));
    let supported = WitVersion::ALL.map(WitVersion::as_str).join(", ");
    lines.push(format!("host       portcullis {HOST_VERSION}, WIT {supported}"));
    if trials.trials.iter().any(|trial| trial.outcome.is_ok()) {
        lines.push(format!("code       {}", code_in_words(trials)));
    }
    let verdict = if trials.trials.iter().all(|trial| trial.outcome.is_ok()) { "fits" } else { "does not fit" };
    format!("{verdict} as {role}\n{}", lines.join("\n"))
}

fn trial_in_words(Trial { places, settings, outcome }: &Trial) -> String {
    let places = places.join(", ");
    match outcome {
        Ok(info) => format!("{places}: fits\n{}", grant_in_words(info, settings)),
        Err(LoadError { component: _, origin: _, role, problem }) => {
            format!("{places}: {problem}\n  fix      {}", problem.fix(*role))
        }
    }
}

fn grant_in_words(info: &PluginInfo, settings: &Settings) -> String {
    let rights: Vec<_> = info.rights.iter().map(|right| right.as_str()).collect();
    let rights = if rights.is_empty() { "none".to_owned() } else { rights.join(", ") };
    let limits = &settings.limits;
    format!(
        "  uses     rights {rights}; wasi = \"{}\"\n  \
           limits   memory {}, compute {:?}, wall {:?}, output {}, invocations {}",
        settings.wasi.as_str(),
        ByteSize(limits.memory),
        limits.compute,
        limits.wall,
        ByteSize(limits.output as u64),
        limits.invocations,
    )
}

fn component_in_words(inspected: &Inspection) -> String {
    let version = inspected.version.as_deref().unwrap_or("not said");
    let wit = if inspected.wit.is_empty() { "none".to_owned() } else { inspected.wit.join(", ") };
    format!("component  version {version}, WIT {wit}, {} bytes, sha256 {}", inspected.size, inspected.sha256)
}

fn code_in_words(trials: &Trials) -> String {
    match &trials.code_cache {
        CodeCache::OnDisk(folder) if trials.code.compiled == 0 => format!("taken from {}", folder.display()),
        CodeCache::OnDisk(folder) => format!("compiled now, and kept in {}", folder.display()),
        CodeCache::Off { why } => format!("compiled now, and not kept: {why}"),
    }
}
