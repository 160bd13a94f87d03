//! The calls of one investigation: bounded, none asked twice, each answer kept as an observation.

use crate::evidence::{Body, Observation};
use crate::tools::{ToolError, Tools};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Calls in one round. Two rounds stay within what a run may call.
const CALLS: usize = 28;
/// A list is followed for so many pages.
const PAGES: usize = 4;

pub(crate) struct Session<'a> {
    tools: &'a dyn Tools,
    pub(crate) observations: Vec<Observation>,
    asked: BTreeSet<(String, String)>,
    calls: usize,
    /// What could not be asked, in words for a reader.
    pub(crate) failures: Vec<String>,
    /// The words of the host when it forbade a call.
    pub(crate) blocked: Option<String>,
}

impl<'a> Session<'a> {
    /// A session that does not ask again what was asked before.
    pub(crate) fn new(tools: &'a dyn Tools, completed: impl Iterator<Item = (String, Map<String, Value>)>) -> Self {
        let asked = completed.map(|(tool, arguments)| (tool, normal_form(&arguments))).collect();
        Self { tools, observations: Vec::new(), asked, calls: 0, failures: Vec::new(), blocked: None }
    }

    pub(crate) fn calls_left(&self) -> usize {
        if self.blocked.is_some() { 0 } else { CALLS.saturating_sub(self.calls) }
    }

    /// One call. Gives the index of the observation when there is something to read.
    pub(crate) fn ask(&mut self, tool: &str, arguments: &Map<String, Value>) -> Option<usize> {
        let text = normal_form(arguments);
        if self.calls_left() == 0 || !self.asked.insert((tool.to_owned(), text.clone())) {
            return None;
        }
        self.calls += 1;
        match self.tools.call(tool, &text) {
            Ok(reply) => {
                let body = Body::of(reply.output);
                if matches!(body, Body::Nothing) {
                    self.failures.push(format!("the tool {tool} found no data for a query"));
                    return None;
                }
                self.observations.push(Observation {
                    invocation_id: reply.invocation_id,
                    tool: tool.to_owned(),
                    arguments: arguments.clone(),
                    body,
                });
                Some(self.observations.len() - 1)
            }
            Err(error) => {
                let words = match error {
                    ToolError::UnknownTool => format!("the tool {tool} does not exist"),
                    ToolError::InvalidArguments(_) => format!("the tool {tool} refused its arguments"),
                    ToolError::Failed(_) => format!("the tool {tool} failed for a query"),
                    ToolError::TimedOut => format!("the tool {tool} did not answer in time"),
                    ToolError::Blocked(words) => {
                        self.blocked = Some(words);
                        format!("the tool {tool} was blocked by policy")
                    }
                };
                self.failures.push(words);
                None
            }
        }
    }

    /// A call whose answer may have several pages. Gives the first observation.
    pub(crate) fn ask_all(&mut self, tool: &str, arguments: &Map<String, Value>) -> Option<usize> {
        let first = self.ask(tool, arguments)?;
        let mut page = first;
        for _ in 1..PAGES {
            let next = self.observations.get(page).and_then(|page| page.at("/next_offset")).and_then(Value::as_u64);
            let Some(next) = next else { break };
            let mut arguments = arguments.clone();
            arguments.insert("offset".into(), next.into());
            match self.ask(tool, &arguments) {
                Some(of) => page = of,
                None => break,
            }
        }
        Some(first)
    }
}

/// One spelling for equal arguments.
fn normal_form(arguments: &Map<String, Value>) -> String {
    let mut value = Value::Object(arguments.clone());
    value.sort_all_objects();
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::ToolReply;
    use portcullis_contract::input::Tool;
    use serde_json::json;
    use std::cell::RefCell;

    /// Answers each call with its own arguments.
    struct Echo(RefCell<usize>);

    impl Tools for Echo {
        fn available(&self) -> Vec<Tool> {
            Vec::new()
        }

        fn call(&self, name: &str, arguments: &str) -> Result<ToolReply, ToolError> {
            *self.0.borrow_mut() += 1;
            match name {
                "forbidden" => Err(ToolError::Blocked("no".into())),
                _ => Ok(ToolReply { invocation_id: format!("inv-{}", self.0.borrow()), output: arguments.into() }),
            }
        }
    }

    fn arguments(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn nothing_is_asked_twice_and_calls_are_bounded() {
        let echo = Echo(RefCell::default());
        let completed = [("t".to_owned(), arguments(&json!({"a": 1, "b": 2})))];
        let mut session = Session::new(&echo, completed.into_iter());
        assert_eq!(session.ask("t", &arguments(&json!({"b": 2, "a": 1}))), None, "asked in the round before");
        assert_eq!(session.ask("t", &arguments(&json!({"a": 2}))), Some(0));
        assert_eq!(session.ask("t", &arguments(&json!({"a": 2}))), None);
        for index in 0..2 * CALLS {
            session.ask("t", &arguments(&json!({"index": index})));
        }
        assert_eq!(*echo.0.borrow(), CALLS);
    }

    #[test]
    fn a_blocked_call_ends_the_asking() {
        let echo = Echo(RefCell::default());
        let mut session = Session::new(&echo, std::iter::empty());
        assert_eq!(session.ask("forbidden", &Map::new()), None);
        assert_eq!(session.ask("t", &Map::new()), None);
        assert_eq!((session.blocked.as_deref(), session.failures.len()), (Some("no"), 1));
    }
}
