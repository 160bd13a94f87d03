//! A document as it goes over the wire, which is how people and programs read it.

use serde_json::{Map, Value};

/// Names the contract first, and turns the arguments of plan steps from JSON text back into JSON.
pub fn wire(answer_version: &str, document: Value) -> Value {
    let mut fields = Map::from_iter([("answer_version".to_owned(), answer_version.into())]);
    if let Value::Object(document) = document {
        fields.extend(document);
    }
    for step in fields.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(arguments) = step.get_mut("arguments")
            && let Some(parsed) = arguments.as_str().and_then(|text| serde_json::from_str(text).ok())
        {
            *arguments = parsed;
        }
    }
    Value::Object(fields)
}
