//! Strict reading of JSON that a tool recorded.
//!
//! Numbers keep their digits, objects their order. A text with duplicate keys has no single meaning and is refused, and
//! so is one that is nested deeper than `serde_json` goes (127 levels).

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads one JSON value and nothing after it.
///
/// # Errors
/// When the text is no JSON, or breaks one of the rules above.
pub fn read(text: &str) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// The key under which `serde_json` hands over a number that no machine integer holds, with all its digits.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Reads a value in one pass.
#[derive(Clone, Copy)]
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key_seed(KeySeed)? {
            match key {
                Key::Number => return entries.next_value_seed(Digits).map(Value::Number),
                Key::Name(name) => {
                    let value = entries.next_value_seed(Self)?;
                    if object.insert(name, value).is_some() {
                        return Err(A::Error::custom("duplicate key"));
                    }
                }
            }
        }
        Ok(Value::Object(object))
    }
}

enum Key {
    Number,
    Name(String),
}

struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Key;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok(if key == NUMBER_KEY { Key::Number } else { Key::Name(key.to_owned()) })
    }
}

/// Reads the value under [`NUMBER_KEY`].
///
/// `serde_json` gives the digits of a number as an owned string. A string of the text comes borrowed or copied, never
/// owned: an object that really holds that key is refused, as nothing but `visit_string` is accepted here.
struct Digits;

impl<'de> DeserializeSeed<'de> for Digits {
    type Value = Number;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Number, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Digits {
    type Value = Number;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the digits of a number")
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Number, E> {
        Err(E::custom("an object holds the key of a number"))
    }

    fn visit_string<E: Error>(self, digits: String) -> Result<Number, E> {
        digits.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_digits_and_order() {
        // R-GATE-07
        for text in [
            r#"{"b":73019482551300000012,"a":0.30000000000000004,"c":[-0,-7,1.0,1e+1000000000]}"#,
            r#"[null,true,false,"é\n",{},[],"12"]"#,
            "7",
            "\"text\"",
        ] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn refuses_what_has_no_single_meaning() {
        // R-GATE-07
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(&deep(127)).is_ok());
        for text in [
            "",
            "{",
            "{} {}",
            "NaN",
            "01",
            "{'a':1}",
            "[1,]",
            "\"\\ud800\"",
            "\"\t\"",
            "\u{feff}{}",
            r#"{"a":1,"a":1}"#,
            r#"[{"b":{"a":1,"\u0061":2}}]"#,
            r#"{"$serde_json::private::Number":"12"}"#,
            r#"{"\u0024serde_json::private::Number":"1\u0032"}"#,
            r#"{"a":1,"$serde_json::private::Number":2}"#,
            &deep(128),
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn accepts_what_serde_json_accepts_unless_keys_repeat(text in r#"[\[\]{},:"ab0-9.e\- ]{0,24}"#) {
            let lenient = serde_json::from_str::<Value>(&text);
            match read(&text) {
                Ok(value) => prop_assert_eq!(value, lenient.unwrap()),
                Err(error) => prop_assert!(lenient.is_err() || error.to_string().starts_with("duplicate key")),
            }
        }
    }
}
