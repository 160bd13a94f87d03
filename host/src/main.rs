//! The command line of Portcullis.
fn main() {}
