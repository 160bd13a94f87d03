//! WASI for a component that was granted it: a world with nothing in it. Clocks and random numbers work; there is no
//! file, no environment variable, no argument and no input, and what is printed goes to the guest's log.
//!
//! Sockets and HTTP are not linked at all: what is not there needs no rule. The file system is, because C libraries ask at start which folders are
//! open: none is.

use crate::guest_log::{GuestLog, Stream};
use crate::limits::log::MESSAGE_BYTES;
use crate::limits::wasi::RANDOM_BYTES;
use crate::state::StoreState;
use async_trait::async_trait;
use bytes::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::AsyncWrite;
use wasmtime::component::Linker;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream, WasiCli, WasiCliView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::{cli, filesystem, random};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};
use wasmtime_wasi::random::WasiRandom;
use wasmtime_wasi::{WasiCtx, WasiView};

/// What is linked, in words, to explain a refusal.
pub(crate) const LINKED: &str = "wasi:cli, clocks, filesystem (with no folder), io and random, version 0.2";

/// Whether [`link`] adds this interface.
pub(crate) fn offers(interface: &str, version: &str) -> bool {
    let Some((package, interface)) = interface.strip_prefix("wasi:").and_then(|name| name.split_once('/')) else {
        return false;
    };
    let linked: &[&str] = match package {
        "cli" => &[
            "environment",
            "exit",
            "stdin",
            "stdout",
            "stderr",
            "terminal-input",
            "terminal-output",
            "terminal-stdin",
            "terminal-stdout",
            "terminal-stderr",
        ],
        "clocks" => &["monotonic-clock", "wall-clock"],
        "filesystem" => &["preopens", "types"],
        "io" => &["error", "poll", "streams"],
        "random" => &["insecure", "insecure-seed", "random"],
        _ => &[],
    };
    linked.contains(&interface) && version.starts_with("0.2.")
}

/// Adds what [`sandbox`] offers.
pub(crate) fn link(linker: &mut Linker<StoreState>) -> wasmtime::Result<()> {
    // io, clocks, random numbers and the standard streams.
    wasmtime_wasi::p2::add_to_linker_proxy_interfaces_async(linker)?;
    random::insecure::add_to_linker::<_, WasiRandom>(linker, |state| state.ctx().ctx.random())?;
    random::insecure_seed::add_to_linker::<_, WasiRandom>(linker, |state| state.ctx().ctx.random())?;
    cli::environment::add_to_linker::<_, WasiCli>(linker, StoreState::cli)?;
    cli::exit::add_to_linker::<_, WasiCli>(linker, StoreState::cli)?;
    cli::terminal_input::add_to_linker::<_, WasiCli>(linker, StoreState::cli)?;
    cli::terminal_output::add_to_linker::<_, WasiCli>(linker, StoreState::cli)?;
    cli::terminal_stdin::add_to_linker::<_, WasiCli>(linker, StoreState::cli)?;
    cli::terminal_stdout::add_to_linker::<_, WasiCli>(linker, StoreState::cli)?;
    cli::terminal_stderr::add_to_linker::<_, WasiCli>(linker, StoreState::cli)?;
    filesystem::preopens::add_to_linker::<_, WasiFilesystem>(linker, StoreState::filesystem)?;
    filesystem::types::add_to_linker::<_, WasiFilesystem>(linker, StoreState::filesystem)
}

/// An empty world whose standard streams end in `log`.
pub(crate) fn sandbox(log: &Arc<Mutex<GuestLog>>) -> WasiCtx {
    let printer = |stream| Printer { log: Arc::clone(log), stream };
    WasiCtx::builder().stdout(printer(Stream::Out)).stderr(printer(Stream::Err)).max_random_size(RANDOM_BYTES).build()
}

/// A standard stream of a guest. It takes everything at once: the log decides what is kept.
#[derive(Clone)]
struct Printer {
    log: Arc<Mutex<GuestLog>>,
    stream: Stream,
}

impl IsTerminal for Printer {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Printer {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    /// Asked for by WASI 0.3 alone, which is not linked.
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }
}

impl OutputStream for Printer {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).print(self.stream, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(MESSAGE_BYTES)
    }
}

#[async_trait]
impl Pollable for Printer {
    async fn ready(&mut self) {}
}
