//! A check made of plain bytes, and a slow second opinion on paths and quotes.

use portcullis_core::document::{Binding, Claim, Evidence};
use portcullis_core::gate::{self, CheckedBinding, GateInput, GateReport};
use portcullis_core::json;
use portcullis_core::ledger::{Invocation, InvocationStatus};
use serde_json::Value;
use serde_json_path::JsonPath;

/// The value at `path`, as two libraries find it.
pub fn find<'v>(path: &str, root: &'v Value) -> Option<&'v Value> {
    if !path.starts_with('$') {
        return root.pointer(path);
    }
    // Neither leads anywhere, and the library does not stand them: its time doubles with each nested filter, and it
    // panics where a path ends within a \u.
    if path.contains('?') || ends_in_escape(path) {
        return None;
    }
    JsonPath::parse(path).ok()?.query(root).at_most_one().ok().flatten()
}

/// Whether too little follows the last `\u` for it and for the `']` of a whole path.
fn ends_in_escape(path: &str) -> bool {
    let Some((_, rest)) = path.rsplit_once("\\u") else { return false };
    let opens_pair = ["d8", "d9", "da", "db"].iter().any(|start| rest.to_lowercase().starts_with(start));
    rest.len() < if opens_pair { 12 } else { 6 }
}

/// As a citation shows a value.
pub fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Two recorded outputs, and claims about them.
pub struct Case {
    outputs: [Vec<u8>; 2],
    evidence: Evidence,
}

impl Case {
    /// Parts between NUL bytes: two outputs, then a claim's text, a path and a quote, again and again. Without a text
    /// the binding belongs to the claim before. The outputs are quoted in turn.
    pub fn read(data: &[u8]) -> Self {
        let mut parts = data.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        let outputs = [(); 2].map(|()| parts.next().unwrap_or_default());
        let mut words = parts.map(|part| String::from_utf8_lossy(&part).into_owned());
        let mut evidence = Evidence { claims: vec![], hypotheses: vec![], limitations: vec![] };
        for position in 0.. {
            let (Some(text), Some(raw_path), Some(matched_text)) = (words.next(), words.next(), words.next()) else {
                break;
            };
            if !text.is_empty() || evidence.claims.is_empty() {
                evidence.claims.push(Claim { claim_id: format!("c{position}"), text, bindings: vec![] });
            }
            let source_invocation_id = Some((position % 2).to_string());
            let binding = Binding { source_invocation_id, tool_name: "look".into(), raw_path, matched_text };
            evidence.claims.last_mut().unwrap().bindings.push(binding);
        }
        Self { outputs, evidence }
    }

    pub fn check(&self) -> GateReport {
        let invocations = [0, 1].map(|position: usize| Invocation {
            invocation_id: position.to_string(),
            run_id: "run".into(),
            tool_name: "look".into(),
            arguments: "{}".into(),
            status: InvocationStatus::Ok,
            output: self.outputs[position].as_slice().into(),
            truncated: false,
        });
        gate::check(&GateInput { run_id: "run", evidence: &self.evidence, invocations: &invocations, tools: &[] })
    }

    /// Each binding with its claim's text and its quote, in the order of the report.
    pub fn bindings(&self) -> impl Iterator<Item = (&str, &Binding)> {
        self.evidence.claims.iter().flat_map(|claim| claim.bindings.iter().map(|it| (claim.text.as_str(), it)))
    }

    /// Whether what a passed binding cites is really there, and is what was quoted.
    pub fn backs(&self, stated: &Binding, checked: &CheckedBinding) -> bool {
        let output = &self.outputs[usize::from(checked.source_invocation_id == "1")];
        let text = String::from_utf8_lossy(output);
        // A repaired text is no JSON, whatever it looks like.
        let read = str::from_utf8(output).ok().and_then(|text| json::read(text).ok());
        let root = read.unwrap_or_else(|| Value::String(text.clone().into_owned()));
        let path = if stated.raw_path == "$" { "" } else { &stated.raw_path };
        let (cited, quote) = (&checked.matched_text, &stated.matched_text);
        match find(path, &root) {
            Some(Value::String(text)) => {
                text.contains(cited.as_str()) && (!is_plain(text, quote) || same_words(cited, quote))
            }
            Some(Value::Number(number)) => number.as_str() == cited && same_number(cited, quote),
            Some(value) => value.to_string() == *cited,
            None => false,
        }
    }
}

/// Whether folding can do nothing but squeeze white space.
fn is_plain(text: &str, quote: &str) -> bool {
    [text, quote].iter().all(|it| it.is_ascii() && !it.contains('\u{1b}'))
}

fn same_words(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// Equal decimals are the nearest to the same float. What folding makes of a quote is not known here.
fn same_number(one: &str, quote: &str) -> bool {
    !quote.is_ascii() || quote.contains('\u{1b}') || one.parse::<f64>() == quote.trim().parse::<f64>()
}
