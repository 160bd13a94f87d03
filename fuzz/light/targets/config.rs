//! Reading `portcullis.toml`: any bytes are a configuration or an error that names the file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_fuzz_light::config::Config;
use std::path::PathBuf;
use std::sync::LazyLock;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().unwrap());

fuzz_target!(|bytes: &[u8]| {
    let path: PathBuf = FOLDER.path().join("portcullis.toml");
    std::fs::write(&path, bytes).unwrap();
    match Config::load(Some(&path), FOLDER.path()) {
        Ok(config) => {
            assert!(!config.run.wall.is_zero() && config.tools.limits.output < u64::MAX);
            assert!(config.store.is_memory() || config.store.path.is_absolute());
        }
        Err(error) => {
            let said = error.to_string();
            assert!(said.contains(path.to_str().unwrap()) && said.len() < 16 * 1024, "{said}");
        }
    }
});
