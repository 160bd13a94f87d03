//! The command line of Portcullis.

use std::process::ExitCode;

fn main() -> ExitCode {
    portcullis::cli::main()
}
