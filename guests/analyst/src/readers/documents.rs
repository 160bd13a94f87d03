//! Runbooks and notes. They tell what an alert means and what is missing, never what is wrong now.

use super::Readings;
use crate::evidence::{Observation, Quote, join, join_index, shorten_to};
use crate::finding::{Finding, Source, State};
use crate::knowledge::Kind;
use serde_json::Value;

const LONGEST_TEXT: usize = 240;

pub(crate) fn read(of: usize, observation: &Observation, readings: &mut Readings) {
    let excerpts = observation.at("/excerpts").and_then(Value::as_array);
    for (index, excerpt) in excerpts.into_iter().flatten().enumerate() {
        let Some(text) = excerpt.get("text").and_then(Value::as_str) else { continue };
        let path = join(&join_index("/excerpts", index), "text");
        for (kind, line) in lines(text) {
            push(kind, line, Quote { of, path: path.clone(), text: one_line(line) }, readings);
        }
    }
}

pub(crate) fn read_text(of: usize, text: &str, readings: &mut Readings) {
    for (kind, line) in lines(text) {
        push(kind, line, Quote::piece(of, line), readings);
    }
}

/// The lines that say something about the alert or the tools themselves.
fn lines(text: &str) -> impl Iterator<Item = (Kind, &str)> {
    text.lines().filter_map(|line| {
        let lower = line.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if says(&["always firing", "always be firing", "always fires", "dead man"]) {
            Some((Kind::AlwaysFiring, line.trim()))
        } else if lower.contains('|') && says(&["| disabled", "| not available", "| unavailable", "| failed"]) {
            Some((Kind::ToolsMissing, line.trim()))
        } else {
            None
        }
    })
}

fn one_line(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn push(kind: Kind, line: &str, quote: Quote, readings: &mut Readings) {
    let cells = line.trim_matches(['|', ' ']).split('|').map(str::trim).next().unwrap_or_default();
    readings.findings.push(Finding {
        kind,
        entity: String::new(),
        object: (kind == Kind::ToolsMissing).then(|| cells.to_owned()),
        source: Source::Document,
        state: State::Active,
        strength: 0.9,
        time: None,
        text: shorten_to(&one_line(line), LONGEST_TEXT),
        quotes: vec![quote],
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runbook_tells_of_the_alert_or_the_tools() {
        for (text, expected) in [
            ("This alert is always firing, so that a silent pager is noticed.", Some((Kind::AlwaysFiring, None))),
            ("| kubernetes/core | disabled |", Some((Kind::ToolsMissing, Some("kubernetes/core")))),
            ("Check whether DNS is disabled.", None),
            ("Restart the pod.", None),
        ] {
            let mut readings = Readings::default();
            read_text(0, text, &mut readings);
            let found = readings.findings.first().map(|finding| (finding.kind, finding.object.as_deref()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
