//! A project's name, good for a package, a file and a module in each language.

use std::fmt;

/// `[a-z][a-z0-9-]*`, at most [`Name::CHARS_MAX`] characters, and none that a crate of the project has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

/// Why a word is no name of a project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a project's name begins with a lower-case letter and goes on with lower-case letters, digits and `-`")]
    Characters,
    #[error("a project's name has at most {max} characters", max = Name::CHARS_MAX)]
    TooLong,
    #[error("a crate that projects use has this name already")]
    Taken,
}

/// A crate of one of these names hides the one that the project is built with.
const TAKEN: [&str; 7] = ["alloc", "core", "proc-macro", "serde", "serde-json", "std", "wit-bindgen"];

impl Name {
    pub const CHARS_MAX: usize = 64;

    /// # Errors
    /// [`NameError`].
    pub fn new(word: &str) -> Result<Self, NameError> {
        let is_letter = |c: char| c.is_ascii_lowercase();
        if !word.starts_with(is_letter) || !word.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '-') {
            return Err(NameError::Characters);
        }
        if word.len() > Self::CHARS_MAX {
            return Err(NameError::TooLong);
        }
        if TAKEN.contains(&word) {
            return Err(NameError::Taken);
        }
        Ok(Self(word.to_owned()))
    }

    /// `slow-query-finder`, as packages are named.
    pub fn kebab(&self) -> &str {
        &self.0
    }

    /// `slow_query_finder`, as modules and built files are named.
    pub fn snake(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_good_for_a_package_and_a_module() {
        let name = Name::new("slow-query-finder2").unwrap();
        assert_eq!((name.kebab(), name.snake().as_str()), ("slow-query-finder2", "slow_query_finder2"));
        assert!(Name::new(&"x".repeat(Name::CHARS_MAX)).is_ok());
    }

    #[test]
    fn any_other_word_is_refused() {
        for word in ["", "-a", "2a", "Composer", "a_b", "a b", "a/b", "..", "é", "a\n", "{{name}}"] {
            assert_eq!(Name::new(word), Err(NameError::Characters), "{word}");
        }
        assert_eq!(Name::new(&"x".repeat(Name::CHARS_MAX + 1)), Err(NameError::TooLong));
        for word in TAKEN {
            assert_eq!(Name::new(word), Err(NameError::Taken), "{word}");
        }
    }
}
