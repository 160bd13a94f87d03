//! `portcullis node new`: writes a new project for a component into a folder of its own.
//!
//! The folder is made, or is empty. Nothing that exists is opened, and nothing half-written is left behind.

use super::super::Context;
use super::super::error::{CliError, Exit};
use crate::scaffold::{self, File, Language, Name};
use clap::Args;
use portcullis_plugins::Role;
use serde_json::json;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// What the component is to serve as; `agent` is a thinker
    #[arg(long, value_name = "ROLE", value_parser = super::role)]
    role: Role,
    /// What the project is written in
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    lang: Language,
    /// The project's folder, and its name: lower-case letters, digits and `-`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

fn language(word: &str) -> Result<Language, String> {
    Language::from_word(word).ok_or_else(|| format!("use one of {}", Language::ALL.map(Language::word).join(", ")))
}

pub(crate) fn new(args: &NewArgs, context: &Context) -> Result<Exit, CliError> {
    let NewArgs { role, lang, folder } = args;
    let name = name_of(folder)?;
    let files = scaffold::project(*role, *lang, &name);
    write_project(folder, &files)?;
    let commands = scaffold::commands(&files);
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let report = json!({
        "name": name.kebab(),
        "role": role.world(),
        "language": lang.word(),
        "folder": folder,
        "files": paths,
        "commands": commands,
    });
    context.output.result(&report, || {
        let folder = folder.display();
        let mut words = format!("a new {role} in {}, in {folder}:\n", lang.word());
        for path in &paths {
            words.extend(["  ", path, "\n"]);
        }
        words.push_str("\nTo build it:\n");
        words.extend(["  cd ".to_owned(), folder.to_string(), "\n".to_owned()]);
        for command in &commands {
            words.extend(["  ", command, "\n"]);
        }
        words.push_str("\nREADME.md says more, and how to check it and put it in place.");
        words
    })?;
    Ok(Exit::Success)
}

/// The last part of the folder's path; of `.` and `..` that of the folder that they mean.
fn name_of(folder: &Path) -> Result<Name, CliError> {
    let meant = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None => folder.canonicalize().map_err(|error| unusable(folder, &error))?,
    };
    let word = meant.file_name().and_then(|word| word.to_str()).unwrap_or_default();
    Name::new(word).map_err(|error| {
        CliError::usage(format!("`{word}` is no name of a project: {error}"))
            .hint("the folder gives the project its name: take another folder, such as slow-query-finder")
    })
}

/// A file or a folder that was not there before.
enum Made {
    Folder(PathBuf),
    File(PathBuf),
}

fn write_project(folder: &Path, files: &[File]) -> Result<(), CliError> {
    let mut made = Vec::new();
    let written = claim(folder, &mut made).and_then(|()| {
        files.iter().try_for_each(|file| {
            write(folder, file, &mut made).map_err(|error| {
                CliError::failed(format!("cannot write {} into {}: {error}", file.path, folder.display()))
                    .hint("nothing was left behind; see to the cause and try again")
            })
        })
    });
    if written.is_err() {
        take_back(made);
    }
    written
}

/// The folder is made, with those above it, or is empty already.
fn claim(folder: &Path, made: &mut Vec<Made>) -> Result<(), CliError> {
    match folder.read_dir().map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CliError::usage(format!("{} is not empty", folder.display()))
            .hint("a new project never touches what exists: take another folder")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
            let missing: Vec<&Path> = folder.ancestors().take_while(missing).collect();
            missing.into_iter().rev().try_for_each(|path| make(path, made)).map_err(|error| unusable(folder, &error))
        }
        Err(error) => Err(unusable(folder, &error)),
    }
}

fn unusable(folder: &Path, error: &io::Error) -> CliError {
    CliError::usage(format!("cannot use {} as the project's folder: {error}", folder.display()))
        .hint("take a folder that can be made, or one that is empty")
}

fn make(folder: &Path, made: &mut Vec<Made>) -> io::Result<()> {
    std::fs::create_dir(folder)?;
    made.push(Made::Folder(folder.to_owned()));
    Ok(())
}

/// Both the file and the folders below the project's are new: one that is there already is an error, and so is a link.
fn write(folder: &Path, file: &File, made: &mut Vec<Made>) -> io::Result<()> {
    let path = folder.join(&file.path);
    let above: Vec<&Path> = path.ancestors().skip(1).take_while(|path| *path != folder).collect();
    for path in above.into_iter().rev() {
        let is_own = made.iter().any(|made| matches!(made, Made::Folder(own) if own == path));
        if !is_own {
            make(path, made)?;
        }
    }
    let mut handle = std::fs::File::create_new(&path)?;
    made.push(Made::File(path));
    handle.write_all(file.text.as_bytes())
}

/// The last one first. What cannot be taken back stays; the error that led here is the one to be told.
fn take_back(made: Vec<Made>) {
    for made in made.into_iter().rev() {
        match made {
            Made::Folder(path) => std::fs::remove_dir(path),
            Made::File(path) => std::fs::remove_file(path),
        }
        .unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn file(path: &str) -> File {
        File { path: path.to_owned(), text: "text".to_owned() }
    }

    #[test]
    fn what_was_made_is_taken_back_after_an_error() {
        let place = TempDir::new().unwrap();
        let folder = place.path().join("a/b");
        // The second file needs a folder where the first one is.
        let error = write_project(&folder, &[file("src/lib.rs"), file("src/lib.rs/x")]).unwrap_err();
        assert!(error.to_string().starts_with("error: cannot write src/lib.rs/x into "), "{error}");
        assert_eq!(place.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn what_exists_is_not_followed_into() {
        let place = TempDir::new().unwrap();
        let kept = place.path().join("kept");
        std::fs::create_dir(&kept).unwrap();
        // As if somebody had been faster between the look and the writing.
        let mut made = Vec::new();
        for path in ["kept/lib.rs", "own.rs"] {
            std::fs::write(place.path().join("own.rs"), "own").unwrap();
            let error = write(place.path(), &file(path), &mut made).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{path}");
        }
        assert_eq!(std::fs::read_to_string(place.path().join("own.rs")).unwrap(), "own");
        assert!(made.is_empty() && kept.read_dir().unwrap().next().is_none());
    }
}
