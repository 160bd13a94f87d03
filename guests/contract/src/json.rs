//! Strict JSON on top of `serde_json`: duplicate keys and deep nesting are refused, and a fault says where it is.
//! What the value means is not known here.

use crate::limits::DEPTH_MAX;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};
use std::fmt;

/// Why a text does not begin with a strict JSON value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The byte at which it showed: what stands before is JSON as far as it goes.
    pub(crate) offset: usize,
    /// JSON Pointer to the innermost place that was reached.
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// Keys that `serde_json` gives a meaning of its own when the value is read again.
const RESERVED_PREFIX: &str = "$serde_json::private::";

/// A pointer longer than this ends at an outer place.
const PATH_BYTES_MAX: usize = 200;

/// The JSON value at the front of `text`, and how many bytes it takes.
pub(crate) fn read_front(text: &str) -> Result<(Value, usize), Fault> {
    let mut trail = Vec::new();
    let mut source = serde_json::Deserializer::from_str(text);
    match (Strict { depth: 0, trail: &mut trail }).deserialize(&mut source) {
        Ok(value) => Ok((value, source.into_iter::<IgnoredAny>().byte_offset())),
        Err(error) => Err(Fault { offset: offset(text, &error), path: pointer(&trail), reason: reason(&error) }),
    }
}

/// `serde_json` counts lines from 1, and in a line the bytes that it had looked at.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let line_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    let line_start = std::iter::once(0).chain(line_breaks).nth(error.line().saturating_sub(1)).unwrap_or(text.len());
    (line_start + error.column()).saturating_sub(1)
}

/// At most 40 characters of `text`, quoted: enough to recognise it, too little to smuggle a text out in a message.
pub(crate) fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// `trail` has the innermost segment first, already escaped.
fn pointer(trail: &[String]) -> String {
    let mut pointer = String::new();
    for segment in trail.iter().rev() {
        if pointer.len() + 1 + segment.len() > PATH_BYTES_MAX {
            break;
        }
        pointer.push('/');
        pointer.push_str(segment);
    }
    pointer
}

/// A key as a segment of a JSON Pointer (RFC 6901).
pub(crate) fn pointer_segment(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The bare words: the place that `serde_json` appends counts from the front of the value, not of the whole text.
fn reason(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.rsplit_once(" at line ").map_or(words.as_str(), |(reason, _place)| reason).to_owned()
}

/// Reads one value; `trail` is filled on the way out of a fault.
struct Strict<'t> {
    depth: usize,
    trail: &'t mut Vec<String>,
}

impl Strict<'_> {
    fn inner(&mut self) -> Strict<'_> {
        Strict { depth: self.depth + 1, trail: self.trail }
    }

    fn check_depth<E: de::Error>(&self) -> Result<(), E> {
        if self.depth < DEPTH_MAX { Ok(()) } else { Err(E::custom(format!("nested deeper than {DEPTH_MAX}"))) }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        self.check_depth()?;
        let mut values = Vec::new();
        loop {
            match items.next_element_seed(self.inner()) {
                Ok(Some(value)) => values.push(value),
                Ok(None) => return Ok(Value::Array(values)),
                Err(error) => {
                    self.trail.push(values.len().to_string());
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let mut key = match entries.next_key_seed(AnyKey)? {
            Some(Key::OfNumber) => return number(&entries.next_value::<String>()?),
            Some(Key::Written(key)) => Some(key),
            None => None,
        };
        self.check_depth()?;
        let mut map = Map::new();
        while let Some(name) = key {
            match map.entry(name) {
                Entry::Vacant(entry) => {
                    let value = member(entry.key(), self.inner(), &mut entries)
                        .inspect_err(|_| self.trail.push(pointer_segment(entry.key())))?;
                    entry.insert(value);
                }
                Entry::Occupied(entry) => {
                    self.trail.push(pointer_segment(entry.key()));
                    return Err(de::Error::custom(format!("duplicate key {}", excerpt(entry.key()))));
                }
            }
            key = entries.next_key::<String>()?;
        }
        Ok(Value::Object(map))
    }
}

fn member<'de, A: MapAccess<'de>>(key: &str, value: Strict<'_>, entries: &mut A) -> Result<Value, A::Error> {
    if key.starts_with(RESERVED_PREFIX) {
        return Err(de::Error::custom(format!("reserved key {}", excerpt(key))));
    }
    entries.next_value_seed(value)
}

fn number<E: de::Error>(digits: &str) -> Result<Value, E> {
    digits.parse::<Number>().map(Value::Number).map_err(E::custom)
}

/// The first key of what `serde_json` calls a map.
enum Key {
    /// With `arbitrary_precision` a number that is no 64-bit integer arrives as a map with one key that is not in the
    /// text.
    OfNumber,
    Written(String),
}

/// Tells the two apart: only a key of the text can be asked for as an option.
struct AnyKey;

impl<'de> DeserializeSeed<'de> for AnyKey {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Key, D::Error> {
        source.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for AnyKey {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_some<D: Deserializer<'de>>(self, source: D) -> Result<Key, D::Error> {
        String::deserialize(source).map(Key::Written)
    }

    fn visit_str<E: de::Error>(self, _marker: &str) -> Result<Key, E> {
        Ok(Key::OfNumber)
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, read_front};
    use crate::limits::DEPTH_MAX;

    #[track_caller]
    fn accepts(text: &str, written: &str, rest: &str) {
        let (value, len) = read_front(text).unwrap();
        assert_eq!((value.to_string().as_str(), &text[len..]), (written, rest));
    }

    #[track_caller]
    fn refuses(text: &str, offset: usize, path: &str, reason: &str) {
        let fault = Fault { offset, path: path.to_owned(), reason: reason.to_owned() };
        assert_eq!(read_front(text), Err(fault), "{text}");
    }

    #[test]
    fn a_value_ends_where_it_ends() {
        accepts("{} {}", "{}", " {}");
        accepts(" [1 ,2]x", "[1,2]", "x");
        accepts(r#"{"b":null,"a":[true,"\u00e9\ud83e\udd80"]}"#, r#"{"b":null,"a":[true,"é🦀"]}"#, "");
    }

    #[test]
    fn numbers_keep_their_digits() {
        for digits in
            ["0", "-0", "-1", "10.0", "1e+5", "18446744073709551615", "73019482551300006013", "0.30000000000000004"]
        {
            accepts(&format!("[{digits}]"), &format!("[{digits}]"), "");
        }
        for (text, offset) in
            [("[01]", 2), ("[+1]", 1), ("[.5]", 1), ("[1.]", 3), ("[0x1]", 2), ("[NaN]", 1), ("[1e]", 3)]
        {
            assert_eq!(read_front(text).unwrap_err().offset, offset, "{text}");
        }
    }

    #[test]
    fn keys_are_unique_at_any_depth() {
        refuses(r#"{"a":1,"a":1}"#, 9, "/a", r#"duplicate key "a""#);
        refuses(r#"[0,{"x":{"a/b~":{},"\u0061/b~":[]}}]"#, 29, "/1/x/a~1b~0", r#"duplicate key "a/b~""#);
        accepts(r#"{"a":{"a":1},"b":{"a":1}}"#, r#"{"a":{"a":1},"b":{"a":1}}"#, "");
    }

    #[test]
    fn a_key_that_serde_json_reserves_is_no_number() {
        for text in [r#"{"$serde_json::private::Number":"1"}"#, r#"{"\u0024serde_json::private::Number":"x"}"#] {
            let fault = read_front(text).unwrap_err();
            assert!(fault.reason.starts_with("reserved key"), "{fault:?}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        accepts(&nested(DEPTH_MAX), &nested(DEPTH_MAX), "");
        let fault = read_front(&nested(DEPTH_MAX + 1)).unwrap_err();
        assert_eq!((fault.offset, fault.reason.as_str()), (DEPTH_MAX + 1, "nested deeper than 64"));
        assert_eq!(fault.path, "/0".repeat(DEPTH_MAX));
    }

    #[test]
    fn a_fault_has_its_place() {
        refuses(r#"{"a":[1,{"b":x}]}"#, 13, "/a/1/b", "expected value");
        refuses(r#"{"a":[1,]}"#, 8, "/a/1", "trailing comma");
        refuses("{\"a\":\"x\ny\"}", 7, "/a", "control character (\\u0000-\\u001F) found while parsing a string");
        refuses(r#"{"a":"\ud800"}"#, 12, "/a", "unexpected end of hex escape");
        refuses(r#"{"a":1"#, 5, "", "EOF while parsing an object");
    }
}
