//! The folder of an incident bundle, made of plain bytes.

use tempfile::TempDir;

pub const FILES: [&str; 8] = [
    "incident.json",
    "metrics.csv",
    "logs.jsonl",
    "traces.jsonl",
    "changes.jsonl",
    "topology.json",
    "recordings.jsonl",
    "documents/note.md",
];

/// Writes the parts between NUL bytes as [`FILES`], and gives what is left: arguments of calls. An empty part is no file.
pub fn lay_out(data: &[u8]) -> (TempDir, Vec<String>) {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("documents")).unwrap();
    let mut parts = data.split(|byte| *byte == 0);
    for (file, content) in FILES.iter().zip(parts.by_ref()).filter(|(_, content)| !content.is_empty()) {
        std::fs::write(folder.path().join(file), content).unwrap();
    }
    (folder, parts.map(|part| String::from_utf8_lossy(part).into_owned()).collect())
}
