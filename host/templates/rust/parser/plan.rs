//! Reads a planner's text as `diagnosis_plan_v1`, or says where it is none.
//!
//! Wrapping is removed and nothing is repaired: a byte order mark, think tags, code fences and prose around the document
//! are dropped; duplicate keys, cut-off text and two documents that differ are violations. That part is `sanitize`, `json`
//! and `fields`, word for word what the default parsers use. What a `diagnosis_plan_v1` may hold stands here.

#[cfg(target_arch = "wasm32")]
mod component;
#[expect(dead_code, reason = "one file for four documents, of which this parser reads one")]
mod fields;
mod json;
#[expect(dead_code, reason = "one file for four documents, of which this parser reads one")]
mod limits;
mod sanitize;

/// The contract with the host as Rust types, made from the folder `wit`.
pub mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "plan-parser", additional_derives: [PartialEq, Eq] });
}

/// All that the reading of text knows of the contract.
mod document {
    pub(crate) use crate::bindings::portcullis::node::types::Violation;
}

use bindings::portcullis::node::types::{Plan, PlanStep, Violation};
use fields::{Fields, Path, Text, check_unique};
use limits::{NAME_CHARS_MAX, SENTENCE_CHARS_MAX, STEPS_MAX, STEPS_MIN};
use serde_json::Value;

/// Reads `text` as a plan.
pub fn parse(text: &str) -> Result<Plan, Violation> {
    let mut document = sanitize::document(text, "diagnosis_plan_v1")?;
    document.swap_remove("answer_version");
    let mut fields = Fields::of(Value::Object(document), Path::Root)?;
    let steps = fields.list("steps", STEPS_MAX, step)?;
    fields.end()?;
    let path = Path::Field(&Path::Root, "steps");
    if steps.len() < STEPS_MIN {
        return Err(path.violation("a plan has at least one step"));
    }
    check_unique(path, Some("step_id"), steps.iter().map(|step| step.step_id.as_str()))?;
    Ok(Plan { steps })
}

fn step(value: Value, path: Path) -> Result<PlanStep, Violation> {
    let mut fields = Fields::of(value, path)?;
    let step = PlanStep {
        step_id: fields.text("step_id", Text::Id)?,
        goal: fields.text("goal", Text::NotBlank(SENTENCE_CHARS_MAX))?,
        tool_name: fields.optional_text("tool_name", Text::NotBlank(NAME_CHARS_MAX))?,
        arguments: fields.optional_object("arguments")?.map(|arguments| Value::Object(arguments).to_string()),
    };
    fields.end()?;
    Ok(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"answer_version": "diagnosis_plan_v1", "steps": [
        {"step_id": "s1", "goal": "look", "tool_name": "query_logs", "arguments": {"z": 73019482551300006013, "a": [0.10]}},
        {"step_id": "s2", "goal": "think", "tool_name": null}]}"#;

    #[test]
    fn a_plan_keeps_its_arguments_as_they_are() {
        let plan = parse(DOCUMENT).unwrap();
        let step = |step_id: &str, goal: &str, tool: Option<&str>, arguments: Option<&str>| PlanStep {
            step_id: step_id.into(),
            goal: goal.into(),
            tool_name: tool.map(Into::into),
            arguments: arguments.map(Into::into),
        };
        let arguments = r#"{"z":73019482551300006013,"a":[0.10]}"#;
        let steps = vec![step("s1", "look", Some("query_logs"), Some(arguments)), step("s2", "think", None, None)];
        assert_eq!(plan, Plan { steps });
    }

    #[test]
    fn wrapping_is_removed() {
        let bare = parse(DOCUMENT).unwrap();
        for text in [
            format!("\u{feff}{DOCUMENT}"),
            format!("<think>{{\"draft\": 1}}</think>Here it is:\n```json\n{DOCUMENT}\n```\nDone."),
            format!("{DOCUMENT} {DOCUMENT}"),
        ] {
            assert_eq!(parse(&text).unwrap(), bare, "{text}");
        }
    }

    #[test]
    fn anything_else_is_a_violation_with_its_place() {
        let steps = |steps: &str| format!(r#"{{"answer_version": "diagnosis_plan_v1", "steps": {steps}}}"#);
        for (text, path, message) in [
            (String::new(), "", "there is no JSON object"),
            (steps(r#"[{"step_id": "s1", "goal": "look"#), "/steps/0/goal", "EOF while parsing a string"),
            (steps(r#"[{"step_id": "s1", "step_id": "s1"}]"#), "/steps/0/step_id", "duplicate key \"step_id\""),
            (format!("{} {DOCUMENT}", steps(r#"[{"step_id": "s1", "goal": "x"}]"#)), "", "ambiguous"),
            (steps("[]"), "/steps", "a plan has at least one step"),
            (steps(r#"[{"step_id": "s 1", "goal": "x"}]"#), "/steps/0/step_id", "\"s 1\" is no id"),
            (steps(r#"[{"step_id": "s1", "goal": " "}]"#), "/steps/0/goal", "must not be blank"),
            (steps(r#"[{"step_id": "s1", "goal": "x", "arguments": []}]"#), "/steps/0/arguments", "must be an object"),
            (steps(r#"[{"step_id": "s1", "goal": "x", "why": ""}]"#), "/steps/0", "unknown field \"why\""),
            (
                steps(r#"[{"step_id": "s1", "goal": "x"}, {"step_id": "s1", "goal": "y"}]"#),
                "/steps/1/step_id",
                "\"s1\" occurs twice",
            ),
        ] {
            let violation = parse(&text).unwrap_err();
            assert_eq!(violation.path, path, "{text}: {violation:?}");
            assert!(violation.message.contains(message), "{text}: {violation:?}");
        }
    }
}
