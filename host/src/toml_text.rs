//! Changes keys in the text of a TOML file, and no other byte: comments and layout are a person's.
//!
//! It works on the places that the parser gives for keys and values. A way of writing that it does not know gives a
//! text that means something else or nothing at all: whoever uses it reads the result again and compares.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// A new table of as many keys gets a header, a deeper one braces.
const HEADER_KEYS: usize = 2;

/// Gives a key of the table at `path` a value, TOML text. The table is made if it is not there.
pub(crate) fn set(text: &str, path: &[&str], key: &str, value: &str) -> Result<String, Error> {
    let document = DeTable::parse(text)?;
    let line = format!("{key} = {value}");
    let Some((table, span)) = table(document.get_ref(), path) else {
        return match path {
            [parent @ .., inner] if parent.len() >= HEADER_KEYS => set(text, parent, inner, &format!("{{ {line} }}")),
            _ => Ok(appended(text, path, &line)),
        };
    };
    if let Some(old) = table.get(key) {
        return Ok(spliced(text, old.span(), value));
    }
    Ok(match text.get(span.clone()).unwrap_or_default() {
        header if header.starts_with('[') => {
            let end = line_end(text, span.end);
            // The last line may lack its end.
            let break_before = if text.get(..end).is_some_and(|before| before.ends_with('\n')) { "" } else { "\n" };
            spliced(text, end..end, &format!("{break_before}{line}\n"))
        }
        inline if inline.starts_with('{') => {
            let comma = if table.is_empty() { " " } else { "," };
            spliced(text, span.start + 1..span.start + 1, &format!(" {line}{comma}"))
        }
        // It has no place of its own: a table inside it has a header, or its keys are dotted.
        _ => {
            let first = entries(table).first().map_or(0, |first| first.start);
            let start = line_start(text, first);
            match text.get(start..first).unwrap_or_default() {
                header if header.trim_start().starts_with('[') => appended(text, path, &line),
                prefix => spliced(text, start..start, &format!("{prefix}{line}\n")),
            }
        }
    })
}

fn appended(text: &str, path: &[&str], line: &str) -> String {
    let separator = match text {
        "" => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{separator}[{}]\n{line}\n", path.join("."))
}

/// Takes a key away, with the rest of its line where it has a line of its own. Without such a key nothing changes.
pub(crate) fn remove(text: &str, path: &[&str], key: &str) -> Result<String, Error> {
    let document = DeTable::parse(text)?;
    let Some((table, span)) = table(document.get_ref(), path) else { return Ok(text.to_owned()) };
    let Some((name, value)) = table.get_key_value(key) else { return Ok(text.to_owned()) };
    let entry = name.span().start..value.span().end;
    if !text.get(span).is_some_and(|span| span.starts_with('{')) {
        return Ok(spliced(text, line_start(text, entry.start)..line_end(text, entry.end), ""));
    }
    // Inline: a comma goes with it, the one behind or else the one before.
    let entries = entries(table);
    let before = entries.iter().rfind(|other| other.end <= entry.start).map(|other| other.end);
    let behind = entries.iter().find(|other| other.start >= entry.end).map(|other| other.start);
    let gone = match (before, behind) {
        (_, Some(behind)) => entry.start..behind,
        (Some(before), None) => before..entry.end,
        (None, None) => entry,
    };
    Ok(spliced(text, gone, ""))
}

/// A table, and the text that it has: its header, its braces, or the key that a dotted key goes through.
fn table<'a, 'i>(root: &'a DeTable<'i>, path: &[&str]) -> Option<(&'a DeTable<'i>, Range<usize>)> {
    let mut found = (root, 0..0);
    for key in path {
        let value: &Spanned<DeValue<'i>> = found.0.get(*key)?;
        found = (value.get_ref().as_table()?, value.span());
    }
    Some(found)
}

/// From the first letter of each key to the end of its value, in the order of the text.
fn entries(table: &DeTable<'_>) -> Vec<Range<usize>> {
    let mut entries: Vec<_> = table.iter().map(|(key, value)| key.span().start..value.span().end).collect();
    entries.sort_by_key(|entry| entry.start);
    entries
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Behind the newline, or the end of the text.
fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| at + newline + 1)
}

fn spliced(text: &str, gone: Range<usize>, new: &str) -> String {
    let (before, behind) = (text.get(..gone.start).unwrap_or_default(), text.get(gone.end..).unwrap_or_default());
    format!("{before}{new}{behind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 2] = ["nodes", "composer"];

    fn check_set(text: &str, expected: &str) {
        let changed = set(text, &PATH, "wasi", "\"none\"").unwrap();
        assert_eq!(changed, expected);
        let read: toml::Table = changed.parse().unwrap();
        assert_eq!(read["nodes"]["composer"]["wasi"].as_str(), Some("none"));
    }

    #[test]
    fn a_value_is_replaced_where_it_stands() {
        // R-HOST-01
        check_set("[nodes.composer]\nwasi='x' # why\n# end", "[nodes.composer]\nwasi=\"none\" # why\n# end");
        check_set("nodes.composer = { wasi = 'x', a = 1 }", "nodes.composer = { wasi = \"none\", a = 1 }");
        check_set("[nodes]\ncomposer.wasi = 'x'\n", "[nodes]\ncomposer.wasi = \"none\"\n");
    }

    #[test]
    fn a_key_is_added_in_the_way_that_the_table_is_written() {
        // R-HOST-01
        check_set("", "[nodes.composer]\nwasi = \"none\"\n");
        check_set("# a\n", "# a\n\n[nodes.composer]\nwasi = \"none\"\n");
        check_set("a = 1", "a = 1\n\n[nodes.composer]\nwasi = \"none\"\n");
        check_set("[nodes.composer]", "[nodes.composer]\nwasi = \"none\"\n");
        check_set("[nodes.composer] # c\n\n[run]\n", "[nodes.composer] # c\nwasi = \"none\"\n\n[run]\n");
        check_set("[ nodes . 'composer' ]\na = 1\n", "[ nodes . 'composer' ]\nwasi = \"none\"\na = 1\n");
        check_set("nodes.composer = {}\n", "nodes.composer = { wasi = \"none\" }\n");
        check_set("[nodes]\ncomposer = { a = 1 }\n", "[nodes]\ncomposer = { wasi = \"none\", a = 1 }\n");
        check_set("[nodes]\ncomposer.a = 1\n", "[nodes]\ncomposer.wasi = \"none\"\ncomposer.a = 1\n");
        check_set("[nodes.composer.b]\na = 1\n", "[nodes.composer.b]\na = 1\n\n[nodes.composer]\nwasi = \"none\"\n");
        check_set("nodes.composer.a = 1\n", "nodes.composer.wasi = \"none\"\nnodes.composer.a = 1\n");
    }

    #[test]
    fn a_table_inside_a_table_has_braces() {
        // R-HOST-01
        let limits = [PATH[0], PATH[1], "limits"];
        let set = |text| set(text, &limits, "memory", "\"1MiB\"").unwrap();
        assert_eq!(set(""), "[nodes.composer]\nlimits = { memory = \"1MiB\" }\n");
        assert_eq!(set("[nodes.composer]\na = 1\n"), "[nodes.composer]\nlimits = { memory = \"1MiB\" }\na = 1\n");
        assert_eq!(set("[nodes.composer.limits]\n"), "[nodes.composer.limits]\nmemory = \"1MiB\"\n");
    }

    fn check_removed(text: &str, expected: &str) {
        assert_eq!(remove(text, &PATH, "b").unwrap(), expected);
    }

    #[test]
    fn a_key_goes_with_its_line_or_with_its_comma() {
        // R-HOST-01
        check_removed("[nodes.composer]\na = 1\nb = 2 # why\nc = 3\n", "[nodes.composer]\na = 1\nc = 3\n");
        check_removed("[nodes.composer]\nb = [\n 1,\n]\n", "[nodes.composer]\n");
        check_removed("[nodes.composer]\nb = 2", "[nodes.composer]\n");
        check_removed("[nodes]\ncomposer = { a = 1, b = 2, c = 3 }\n", "[nodes]\ncomposer = { a = 1, c = 3 }\n");
        check_removed("[nodes]\ncomposer = { a = 1, b = 2 }\n", "[nodes]\ncomposer = { a = 1 }\n");
        check_removed("[nodes]\ncomposer = { b = 2 }\n", "[nodes]\ncomposer = {  }\n");
        check_removed("nodes.composer.b = 2\nx = 1\n", "x = 1\n");
        check_removed("[nodes.composer]\na = 1\n", "[nodes.composer]\na = 1\n");
        check_removed("", "");
    }

    #[test]
    fn what_is_no_toml_is_not_changed() {
        // R-HOST-01
        assert!(set("[nodes", &PATH, "a", "1").is_err());
        assert!(remove("a = ", &PATH, "a").is_err());
    }

    #[test]
    fn a_way_of_writing_that_it_does_not_know_comes_out_as_no_toml() {
        // R-HOST-01
        for text in
            ["nodes = { composer.a = 1 }\n", "nodes = { planner = {} }\n", "[[nodes.composer]]\n", "nodes = 1\n"]
        {
            let changed = set(text, &PATH, "wasi", "1").unwrap();
            assert!(changed.parse::<toml::Table>().is_err(), "{changed}");
        }
    }
}
