//! `portcullis node test`: the conformance suite over a component that somebody wrote.

use super::super::Context;
use super::super::error::{CliError, Exit};
use super::super::input;
use crate::config::{self, ComponentLimits, Config, Right, Wasi};
use crate::conformance::{self, CallCost, Check, CheckResult, Extent, Loaded, Reference, Report, Vectors};
use crate::setup::{self, Granted};
use bytesize::ByteSize;
use clap::Args;
use jiff::SignedDuration;
use portcullis_plugins::{CodeCache, Engine, EngineSettings, Language, PluginInfo, Role, Settings, Source};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// The component
    file: PathBuf,
    /// What it is to serve as: the name of a world; `agent` is a thinker
    #[arg(long, value_name = "ROLE", value_parser = super::role)]
    role: Role,
    /// Vectors for a parser of another text format: NAME.txt with NAME.json, the document or {"violation": {"path": …}}
    #[arg(long, value_name = "DIR")]
    vectors: Option<PathBuf>,
    /// Memory of one call, in place of the configured one
    #[arg(long, value_name = "SIZE", value_parser = config::size_of_text)]
    memory: Option<u64>,
    /// Compute time of one call
    #[arg(long, value_name = "TIME", value_parser = duration)]
    compute: Option<Duration>,
    /// Wall time of one call
    #[arg(long, value_name = "TIME", value_parser = duration)]
    wall: Option<Duration>,
    /// Bytes of text that one call may give
    #[arg(long, value_name = "SIZE", value_parser = config::size_of_text)]
    output: Option<u64>,
    /// How often one call may reach its agent or its tools
    #[arg(long, value_name = "COUNT")]
    invocations: Option<u32>,
    /// `none` or `sandboxed`: what of WASI it may import to be loaded
    #[arg(long, value_name = "GRANT", value_parser = wasi)]
    wasi: Option<Wasi>,
    /// What it may import of its world: log, invoker, tools
    #[arg(long, value_name = "RIGHTS", value_delimiter = ',', value_parser = right)]
    rights: Option<Vec<Right>>,
}

fn duration(word: &str) -> Result<Duration, String> {
    let parsed: Option<SignedDuration> = word.parse().ok();
    let positive = parsed.and_then(|signed| Duration::try_from(signed).ok()).filter(|duration| !duration.is_zero());
    positive.ok_or_else(|| "use a time longer than zero, such as 10s".to_owned())
}

fn wasi(word: &str) -> Result<Wasi, String> {
    match word {
        "none" => Ok(Wasi::None),
        "sandboxed" => Ok(Wasi::Sandboxed),
        _ => Err("use none or sandboxed".to_owned()),
    }
}

fn right(word: &str) -> Result<Right, String> {
    match word {
        "log" => Ok(Right::Log),
        "invoker" => Ok(Right::Invoker),
        "tools" => Ok(Right::Tools),
        _ => Err("use log, invoker and tools, with commas between".to_owned()),
    }
}

pub(crate) async fn test(args: TestArgs, context: &Context) -> Result<Exit, CliError> {
    let TestArgs { file, role, vectors, .. } = &args;
    let vectors = read_vectors(vectors.as_deref(), *role)?;
    let bytes = input::read(Some(file), EngineSettings::default().component_bytes as u64)?;
    let configured = setup::granted(&context.config, *role, file);
    // What the configuration grants is the budget; the command line says what the component is run with.
    let budget = configured.settings(*role).wasi;
    let settings = args.over(configured.clone()).settings(*role);

    let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let source = Source { name: &name, bytes: &bytes, origin: &file.display().to_string() };
    let engine = setup::engine().map_err(CliError::usage)?;
    let (loaded, load) = load(&engine, *role, source, &settings)?;
    // The reference is the host's own, whatever the configuration says.
    let nodes = setup::nodes(&Config::default()).map_err(CliError::usage)?;

    let reference = Reference { vectors: &vectors, nodes: &nodes };
    let subject = loaded.subject();
    let language = portcullis_plugins::inspect(&bytes).ok().and_then(|inspected| inspected.producers.language());
    let mut report = conformance::examine(&subject, Extent::Full(&reference)).await;
    report.checks.extend(conformance::within_budget(subject.info(), language, budget));

    let told = Told { file, info: subject.info(), table: configured.table, settings, language, load, report };
    context.output.result(&told.value(), || told.words())?;
    Ok(if told.report.passed() { Exit::Success } else { Exit::Failed })
}

impl TestArgs {
    /// What the command line says comes before what the configuration says.
    fn over(&self, granted: Granted) -> Granted {
        let Granted { table, wasi, rights, limits } = granted;
        let ComponentLimits { memory, compute, wall, output, invocations } = limits;
        Granted {
            table,
            wasi: self.wasi.unwrap_or(wasi),
            rights: self.rights.clone().or(rights),
            limits: ComponentLimits {
                memory: self.memory.or(memory),
                compute: self.compute.or(compute),
                wall: self.wall.or(wall),
                output: self.output.or(output),
                invocations: self.invocations.or(invocations),
            },
        }
    }
}

fn read_vectors(folder: Option<&Path>, role: Role) -> Result<Vectors, CliError> {
    let is_parser =
        matches!(role, Role::PlanParser | Role::EvidenceParser | Role::VerificationParser | Role::AnswerParser);
    match folder {
        None => Vectors::built_in(role).map_err(CliError::failed),
        Some(folder) if is_parser => Vectors::of_folder(folder)
            .map_err(|error| CliError::usage(error).hint("docs/conformance.md says what a folder of vectors holds")),
        Some(_) => Err(CliError::usage(format!("--vectors is for parsers, and {role} is none"))
            .hint("leave it out, or give the role of a parser")),
    }
}

/// How long loading takes: at first, and again when the compiled code is kept.
struct Load {
    first: Duration,
    again: Option<Duration>,
}

fn load(engine: &Engine, role: Role, source: Source<'_>, settings: &Settings) -> Result<(Loaded, Load), CliError> {
    let timed = || {
        let start = Instant::now();
        let loaded = Loaded::load(engine, role, source, settings.clone()).map_err(CliError::usage)?;
        Ok((loaded, start.elapsed()))
    };
    let (loaded, first) = timed()?;
    let again = match engine.code_cache() {
        CodeCache::OnDisk(_) => Some(timed()?.1),
        // It would be compiled once more, and that can take half a minute.
        CodeCache::Off { .. } => None,
    };
    Ok((loaded, Load { first, again }))
}

/// All that a person or a program is told.
struct Told<'a> {
    file: &'a Path,
    info: &'a PluginInfo,
    table: &'static str,
    settings: Settings,
    language: Option<Language>,
    load: Load,
    report: Report,
}

impl Told<'_> {
    fn value(&self) -> Value {
        let Self { file, info, table, settings, language, load, report } = self;
        let milliseconds = |duration: Duration| duration.as_secs_f64() * 1_000.0;
        json!({
            "file": file,
            "component": report.component,
            "version": info.version,
            "sha256": info.sha256,
            "role": report.role.world(),
            "passed": report.passed(),
            "checks": report.checks.iter().map(check_value).collect::<Vec<_>>(),
            "settings": {
                "table": table,
                "memory": settings.limits.memory,
                "compute_ms": milliseconds(settings.limits.compute),
                "wall_ms": milliseconds(settings.limits.wall),
                "output": settings.limits.output,
                "invocations": settings.limits.invocations,
                "wasi": settings.wasi.as_str(),
                "rights": settings.rights.as_ref().map(|all| all.iter().map(|it| it.as_str()).collect::<Vec<_>>()),
            },
            "figures": {
                "size": info.size,
                "language": language.map(Language::as_str),
                "wasi_imports": self.wasi_imports(),
                "load_ms": { "first": milliseconds(load.first), "again": load.again.map(milliseconds) },
                "call": report.call.map(|CallCost { function, median, calls }| {
                    json!({ "function": function, "median_ms": milliseconds(median), "calls": calls })
                }),
            },
        })
    }

    fn words(&self) -> String {
        let Self { file, info, table, settings, language, load, report } = self;
        let limits = &settings.limits;
        let mut lines = vec![
            format!("{} ({}) as {}", report.component, file.display(), report.role),
            format!(
                "with memory {}, compute {:?}, wall {:?}, output {}, {} invocations, wasi = \"{}\" ([{table}])",
                ByteSize(limits.memory),
                limits.compute,
                limits.wall,
                ByteSize(limits.output as u64),
                limits.invocations,
                settings.wasi.as_str(),
            ),
            String::new(),
        ];
        lines.extend(report.checks.iter().map(check_words));
        lines.push(String::new());
        let language = language.map_or("of an unknown language", Language::as_str);
        lines.push(format!("size  {} bytes, {language}", info.size));
        let wasi = self.wasi_imports();
        lines.push(format!("WASI  {}", if wasi.is_empty() { "none".to_owned() } else { wasi.join(", ") }));
        let again = load.again.map_or("compiled code is not kept".to_owned(), |again| {
            format!("{} again, with the compiled code from the cache", brief(again))
        });
        lines.push(format!("load  {} first, {again}", brief(load.first)));
        if let Some(CallCost { function, median, calls }) = report.call {
            lines.push(format!("call  {} for {function}, the median of {calls}", brief(median)));
        }
        lines.extend([String::new(), verdict(report)]);
        lines.join("\n")
    }

    fn wasi_imports(&self) -> Vec<&str> {
        let imports = self.info.imports.iter().map(String::as_str);
        imports.filter(|import| import.starts_with("wasi:")).collect()
    }
}

fn check_value(Check { name, result }: &Check) -> Value {
    match result {
        CheckResult::Passed => json!({ "name": name, "result": "passed" }),
        CheckResult::Failed(words) => json!({ "name": name, "result": "failed", "words": words }),
        CheckResult::Skipped(words) => json!({ "name": name, "result": "skipped", "words": words }),
    }
}

fn check_words(Check { name, result }: &Check) -> String {
    match result {
        CheckResult::Passed => format!("passed   {name}"),
        CheckResult::Failed(words) => format!("FAILED   {name:<18} {words}"),
        CheckResult::Skipped(words) => format!("skipped  {name:<18} {words}"),
    }
}

fn verdict(report: &Report) -> String {
    let count = |is: fn(&CheckResult) -> bool| report.checks.iter().filter(|check| is(&check.result)).count();
    let passed = count(|result| *result == CheckResult::Passed);
    let failed = count(|result| matches!(result, CheckResult::Failed(_)));
    let skipped = count(|result| matches!(result, CheckResult::Skipped(_)));
    let word = if report.passed() { "passed" } else { "failed" };
    format!("{word}: {passed} checks passed, {failed} failed, {skipped} skipped")
}

/// In whole units: more digits would be noise.
fn brief(duration: Duration) -> String {
    let micros = duration.as_micros();
    if micros < 10_000 { format!("{micros} µs") } else { format!("{} ms", micros / 1_000) }
}

#[cfg(test)]
mod tests {
    use super::super::role;
    use super::*;

    #[test]
    fn words_of_the_command_line() {
        // R-HOST-07
        assert_eq!(role("agent"), Ok(Role::Thinker));
        assert!(Role::ALL.into_iter().all(|it| role(it.world()) == Ok(it)));
        assert!(role("Planner").unwrap_err().starts_with("use one of planner, executor"));
        assert_eq!((config::size_of_text("256MiB"), config::size_of_text("12")), (Ok(256 << 20), Ok(12)));
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
        for word in ["0s", "-1s", "", "soon", "12"] {
            assert!(duration(word).is_err(), "{word}");
        }
        assert!(config::size_of_text("lots").is_err() && wasi("all").is_err() && right("env").is_err());
        assert_eq!(
            (brief(Duration::from_micros(9_999)), brief(Duration::from_millis(10))),
            ("9999 µs".into(), "10 ms".into())
        );
    }
}
