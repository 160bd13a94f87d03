//! The one test binary of Portcullis.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    reason = "a test that fails says so by panicking, and one that is skipped says so on stderr"
)]

mod case_folders;
mod cli;
mod node_contract;
mod sandbox;
mod service;
mod shared_cases;
mod support;
mod tidy;
mod wit;
mod workflow;
