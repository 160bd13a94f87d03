//! The command line: arguments → calls, results → words or JSON. It decides nothing about a run.
//!
//! What a program reads goes to stdout, what a person reads on the way goes to stderr.

mod batch;
mod check;
mod doctor;
mod error;
mod eval;
mod graph;
mod input;
mod kept;
mod node;
mod output;
mod parse;
mod progress;
mod run;
mod runs;
mod tools;

use crate::config::Config;
use crate::setup;
use clap::{Args, Parser, Subcommand};
use error::{CliError, Exit};
use output::{Output, printable};
use progress::{Progress, is_progress};
use std::path::PathBuf;
use std::process::ExitCode;
use tracing_subscriber::filter::FilterFn;
use tracing_subscriber::layer::{Layer, SubscriberExt};

#[derive(Debug, Parser)]
#[command(name = "portcullis", version, about = "Evidence-gated diagnosis through WebAssembly components")]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Args)]
struct Global {
    /// Configuration file [default: the first portcullis.toml from the working folder upward]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON on stdout
    #[arg(long, global = true)]
    json: bool,
    /// Database file, or `memory`, in place of the configured one
    #[arg(long, global = true, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Log level on stderr: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL", default_value = "error")]
    log: tracing::Level,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Diagnose: ask a question and get a cited answer
    Run(run::RunArgs),
    /// Answer questions as they come, one a line, and swap components on SIGHUP
    Batch(batch::BatchArgs),
    /// Run the gatekeeper alone over a file of recorded tool calls and claims
    Check(check::CheckArgs),
    /// Parse an agent's text with the parser component of its document
    Parse(parse::ParseArgs),
    /// Print the graph: routing table, node paths, state, limits, reason codes
    Graph(graph::GraphArgs),
    /// The components that serve the nodes
    #[command(subcommand)]
    Node(node::NodeCommand),
    /// Runs that were kept
    #[command(subcommand)]
    Runs(runs::RunsCommand),
    /// The tools that agents may call
    #[command(subcommand)]
    Tools(tools::ToolsCommand),
    /// Run suites of incidents with known answers, and print how many came out right
    Eval(eval::EvalArgs),
    /// Check that everything that a run needs is there
    Doctor,
}

/// What every command gets.
struct Context {
    global: Global,
    config: Config,
    output: Output,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap knows which stream its words belong on; a closed one leaves nothing to do.
            error.print().unwrap_or_default();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Success.into() };
        }
    };
    let output = Output::new(cli.global.json);
    match start(cli, output) {
        Ok(exit) => exit.into(),
        Err(error) => {
            Output::person(&error.to_string());
            error.exit.into()
        }
    }
}

fn start(cli: Cli, output: Output) -> Result<Exit, CliError> {
    log_to_stderr(cli.global.log);
    let config = load_config(&cli.global)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::failed(format!("cannot start the async runtime: {error}")))?;
    let context = Context { global: cli.global, config, output };
    let ended = runtime.block_on(dispatch(cli.command, &context));
    // Whoever is to end at once does not wait for what a thread still compiles or reads.
    runtime.shutdown_background();
    ended
}

async fn dispatch(command: Command, context: &Context) -> Result<Exit, CliError> {
    match command {
        Command::Run(args) => run::run(args, context).await,
        Command::Batch(args) => batch::batch(args, context).await,
        Command::Check(args) => check::check(args, context).await,
        Command::Parse(args) => parse::parse(args, context).await,
        Command::Graph(args) => graph::graph(&args, context),
        Command::Node(command) => node::node(command, context).await,
        Command::Runs(command) => runs::runs(command, context),
        Command::Tools(command) => tools::tools(command, context).await,
        Command::Eval(args) => eval::eval(args, context).await,
        Command::Doctor => doctor::doctor(context),
    }
}

/// A candidate in the shadow keeps nothing from starting, so its failure is told here.
fn tell_left_out(shared: &setup::Shared) {
    if let Some(error) = shared.left_out() {
        Output::person(&printable(&format!(
            "[shadow]: no candidate is compared, because one cannot be loaded: {error}"
        )));
    }
}

fn load_config(global: &Global) -> Result<Config, CliError> {
    let folder = std::env::current_dir().map_err(|error| {
        CliError::usage(format!("cannot tell the working folder: {error}")).hint("go to a folder that exists")
    })?;
    let mut config = Config::load(global.config.as_deref(), &folder).map_err(CliError::usage)?;
    if let Some(path) = &global.store {
        config.store.path.clone_from(path);
    }
    Ok(config)
}

fn log_to_stderr(level: tracing::Level) {
    // At the default level no line holds what an agent or a guest said; from `warn` on, failures quote it, bounded.
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // Colours are for a terminal; a file of log lines is searched.
    let lines = if Output::is_watched() { lines } else { lines.with_ansi(false) };
    let is_line = FilterFn::new(move |metadata| *metadata.level() <= level && !is_progress(metadata));
    let subscriber = tracing_subscriber::registry()
        .with(lines.with_filter(is_line.with_max_level_hint(level)))
        .with(Progress.with_filter(FilterFn::new(is_progress).with_max_level_hint(tracing::Level::INFO)));
    // A second subscriber is refused; the first one goes on.
    tracing::subscriber::set_global_default(subscriber).unwrap_or_default();
}
