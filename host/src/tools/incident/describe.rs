//! Words and schemas that tell an agent what a bundle holds, so that it can plan from the signals that exist.

use portcullis_core::document::Tool;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// As many names as a description lists.
const NAMES_LISTED: usize = 60;

/// `12 entities (a, b, …)`.
pub(super) fn names<'a>(what: &str, names: &BTreeSet<&'a str>) -> String {
    let listed: Vec<&'a str> = names.iter().copied().take(NAMES_LISTED).collect();
    let more = if names.len() > listed.len() { ", …" } else { "" };
    format!("{} {what} ({}{more})", names.len(), listed.join(", "))
}

/// The same names as JSON, for the `examples` of a schema.
pub(super) fn examples(names: &BTreeSet<&str>) -> Value {
    names.iter().copied().take(NAMES_LISTED).collect()
}

/// A tool whose arguments are all optional.
pub(super) fn tool(name: &str, description: String, properties: &Map<String, Value>) -> Tool {
    let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    Tool { name: name.to_owned(), description, input_schema: schema.to_string() }
}

/// One property of a schema.
pub(super) fn property(kind: &str, description: &str) -> Value {
    json!({ "type": kind, "description": description })
}

/// A text property with known values.
pub(super) fn property_of(description: &str, known: &BTreeSet<&str>) -> Value {
    json!({ "type": "string", "description": description, "examples": examples(known) })
}

/// `from`, `to`, `limit` and `offset`, which most tools share.
pub(super) fn range_properties(properties: &mut Map<String, Value>) {
    properties.insert("from".into(), property("string", "Earliest time, RFC 3339."));
    properties.insert("to".into(), property("string", "Latest time, RFC 3339."));
    properties.insert("limit".into(), property("integer", "At most so many entries."));
    properties.insert("offset".into(), property("integer", "Skip so many entries: next_offset of the page before."));
}

/// Whether a name fits a pattern, in which `*` stands for any text.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name, expected) in [
            ("cart", "cart", true),
            ("cart", "cart-2", false),
            ("cart*", "cart-2", true),
            ("*cart", "shop-cart", true),
            ("*", "", true),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c--b", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} on {name}");
        }
    }
}
