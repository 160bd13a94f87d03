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
#![expect(clippy::needless_raw_string_hashes, reason = "that is how UPDATE_EXPECT writes what it saw")]

mod case_folders;
mod cli;
mod conformance;
mod hostile;
mod node_contract;
mod reload;
mod sandbox;
mod service;
mod shadow;
mod shared_cases;
mod support;
mod tidy;
mod wit;
mod workflow;
