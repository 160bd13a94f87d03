//! A folder of its own for each test, and the program run in it.

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Output, Stdio};
use tempfile::TempDir;

/// Compiled code is shared by all tests of the build: each start takes milliseconds.
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/cli-cache");

pub(super) struct Place {
    folder: TempDir,
}

impl Place {
    pub(super) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// Scripted agents, with the bundle whose logs the script quotes in `bundle`.
    pub(super) fn scripted() -> Self {
        let place = Self::new();
        place.write("portcullis.toml", scripted_agents("script.json"));
        place.write("script.json", good_script().to_string());
        let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/bundles/pool");
        for entry in bundle.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            place.write(&format!("bundle/{name}"), std::fs::read(&path).unwrap());
        }
        place
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// A file of that size without its bytes.
    pub(super) fn sparse(&self, name: &str, size: u64) -> PathBuf {
        let path = self.write(name, "");
        std::fs::File::options().write(true).open(&path).unwrap().set_len(size).unwrap();
        path
    }

    /// The names in the folder, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = self.folder.path().read_dir().unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(super) fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("XDG_CACHE_HOME", CACHE)
            // A backtrace is for a defect: no error of a user may show one, even where it is asked for.
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::null());
        command
    }

    pub(super) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    /// Words split at spaces.
    pub(super) fn sh(&self, line: &str) -> Ran {
        self.run(line.split_whitespace())
    }

    /// The start is refused, and leaves the folder as it was.
    #[track_caller]
    pub(super) fn refuses(&self, line: &str, words: &[&str]) {
        let before = self.names();
        self.sh(line).refused(words);
        assert_eq!(self.names(), before, "`{line}` left something behind");
    }

    pub(super) fn with_stdin<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Ran {
        let mut command = self.command(arguments);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // The program may refuse before it has read all.
            scope.spawn(move || stdin.write_all(input).unwrap_or_default());
            child.wait_with_output().unwrap().into()
        })
    }
}

/// A program that goes on: it is asked line by line, and what it says is waited for.
pub(super) struct Live {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    stderr: BufReader<ChildStderr>,
}

impl Live {
    pub(super) fn start(place: &Place, line: &str) -> Self {
        let mut command = place.command(line.split_whitespace());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stdin, stdout, stderr }
    }

    pub(super) fn ask(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// No more questions.
    pub(super) fn close(&mut self) {
        self.stdin = None;
    }

    /// Nobody reads the answers any more.
    pub(super) fn leave(&mut self) {
        self.stdout = None;
    }

    /// The next answer.
    #[track_caller]
    pub(super) fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("no answer but `{line}`: {error}"))
    }

    /// The next line on stderr.
    pub(super) fn said(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub(super) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("sh").args(["-c", "kill -s \"$1\" \"$2\"", "sh", name, &pid]).status().unwrap();
        assert!(sent.success(), "kill -s {name}: {sent}");
    }

    /// How it ended, and what it had left to say.
    pub(super) fn end(mut self) -> Ran {
        self.close();
        let (mut stdout, mut stderr) = (String::new(), String::new());
        if let Some(mut out) = self.stdout.take() {
            out.read_to_string(&mut stdout).unwrap();
        }
        self.stderr.read_to_string(&mut stderr).unwrap();
        Ran { code: self.child.wait().unwrap().code(), stdout, stderr }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // It has ended already unless a test fails.
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}

/// How one start of the program ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// It ended well and had nothing to say on the side.
    #[track_caller]
    pub(super) fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        self.stdout
    }

    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("stdout is not JSON alone: {error}: {self:?}"))
    }

    /// One clear error before anything was started: exit code 2, nothing on stdout, each of these words on stderr.
    #[track_caller]
    pub(super) fn refused(&self, words: &[&str]) {
        self.fails(2, words);
        assert_eq!(self.stdout, "", "{self:?}");
    }

    #[track_caller]
    pub(super) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        assert_eq!(self.stderr.matches("error: ").count(), 1, "one error, not several: {self:?}");
        for trace in ["panicked", "stack backtrace", "RUST_BACKTRACE", "\u{1b}"] {
            assert!(!self.stderr.contains(trace), "{self:?}");
        }
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is not said: {self:?}");
        }
    }
}

pub(super) fn scripted_agents(script: &str) -> String {
    ["planner", "executor", "verifier", "composer"]
        .map(|role| format!("[agents.{role}]\nbackend = \"script\"\nscript = \"{script}\"\n"))
        .concat()
}

/// Replies of a run over the bundle `pool` that is verified and composed.
pub(super) fn good_script() -> Value {
    json!({
        "planner": [{"json": {"answer_version": "diagnosis_plan_v1",
            "steps": [{"step_id": "s1", "goal": "read the error logs"}]}}],
        "executor": [{
            "tool_calls": [{"name": "query_logs", "arguments": {"entity": "checkout"}}],
            "json": {"answer_version": "executor_evidence_v2", "claims": [{
                "claim_id": "c1", "text": "checkout has used all 100 connections of its pool.",
                "evidence_bindings": [{"source_invocation_id": "{{invocation 1}}", "tool_name": "query_logs",
                    "raw_path": "$.lines[1].message", "matched_text": "connection pool exhausted: 100 of 100 in use"}],
            }]},
        }],
        "verifier": [{"json": {"answer_version": "verification_v1", "verdict": "PASS", "facts": [],
            "allowed_claims": ["c1"], "missing_information": [], "recommendations": ["raise the pool limit"]}}],
        "composer": [{"json": {"answer_version": "composed_answer_v1", "headline": "checkout has no free connections",
            "claim_order": ["c1"], "next_steps": ["look for a leak"]}}],
    })
}
