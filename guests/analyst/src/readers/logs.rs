//! Log lines, as counted templates or as plain text: what they complain of, and whether that is new.

use super::Readings;
use crate::evidence::{Observation, Quote, join, join_index, shorten_to};
use crate::finding::{Finding, Health, Source, State};
use crate::knowledge::{Kind, Rank, objects, signs};
use crate::subject::Subject;
use crate::time::{self, MINUTE, Millis};
use serde_json::Value;
use std::collections::BTreeMap;

const LONGEST_TEXT: usize = 240;
/// A line that was last seen so long before the alert, or the end of the log, says nothing of it.
const STALE: Millis = 5 * MINUTE;
/// Shorter logs have no "before" to compare with.
const BASELINE: Millis = 20_000;
/// What happens by chance so seldom is taken for a reason.
const UNLIKELY: f64 = 0.02;
/// An operation that takes so many seconds is slow.
const SLOW_SECONDS: f64 = 1.0;

/// One template of the answer.
struct Template<'a> {
    path: String,
    entity: &'a str,
    level: &'a str,
    message: &'a str,
    count: u64,
    first: Option<Millis>,
    last: Option<Millis>,
}

/// Counted templates: new and frequent ones are telling, those that were always there are background.
pub(crate) fn read_templates(of: usize, observation: &Observation, subject: &Subject, readings: &mut Readings) {
    let entries = observation.at("/templates").and_then(Value::as_array);
    let templates: Vec<Template> = entries.into_iter().flatten().enumerate().filter_map(template).collect();
    let start = templates.iter().filter_map(|template| template.first).min();
    let end = templates.iter().filter_map(|template| template.last).max();
    let mut calm: Vec<(&str, String, Vec<Quote>)> = Vec::new();
    let mut complaints = 0;
    for template in &templates {
        let quotes: Vec<Quote> = ["message", "entity"]
            .iter()
            .filter_map(|field| Quote::value(of, observation, &join(&template.path, field)))
            .collect();
        let said = shorten_to(template.message, LONGEST_TEXT);
        if signs::recovers(template.message) {
            readings.health.push(Health {
                entity: template.entity.to_owned(),
                text: said.clone(),
                is_recovery: true,
                time: template.last,
                quotes: quotes.clone(),
            });
        }
        let is_calm = matches!(template.level.to_lowercase().as_str(), "info" | "debug" | "trace" | "notice");
        let kind = match signs::classify(template.message) {
            Some(kind) => Some(kind),
            None if is_calm => None,
            None => signs::complains(&format!("{} {}", template.level, template.message)).then_some(Kind::AppErrors),
        };
        let Some(kind) = kind else {
            let is_current = subject.alert_time.zip(template.last).is_none_or(|(alert, last)| last >= alert - STALE);
            if is_calm && is_current && subject.covers(template.entity) {
                calm.push((template.entity, said, quotes));
            }
            continue;
        };
        complaints += 1;
        let strength = match (start, end) {
            _ if is_calm && kind.info().rank < Rank::Cause => 0.2,
            (Some(start), Some(end)) => novelty(template, start, end),
            _ => 0.6,
        };
        readings.findings.push(Finding {
            kind,
            entity: template.entity.to_owned(),
            object: objects::object(kind, &said).map(str::to_owned),
            source: Source::Log,
            state: State::Active,
            strength,
            time: template.last,
            text: said,
            quotes,
        });
    }
    if let (Some((entity, said, quotes)), 0) = (calm.into_iter().next(), complaints) {
        readings.health.push(Health {
            entity: entity.to_owned(),
            text: format!("the log of {entity} holds no error, before or after, only lines such as: {said}"),
            is_recovery: false,
            time: None,
            quotes,
        });
    }
}

fn template((index, value): (usize, &Value)) -> Option<Template<'_>> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    Some(Template {
        path: join_index("/templates", index),
        entity: text("entity")?,
        level: text("level").unwrap_or_default(),
        message: text("message")?,
        count: value.get("count").and_then(Value::as_u64).unwrap_or(1),
        first: text("first_time").and_then(time::parse),
        last: text("last_time").and_then(time::parse),
    })
}

/// How telling a template is by when it occurs. One that is always there occurs all over the log: how likely is it then
/// that so many lines all lie in its last part, or all in its first?
#[expect(clippy::cast_precision_loss, reason = "log windows are far shorter than what an f64 holds exactly")]
fn novelty(template: &Template<'_>, start: Millis, end: Millis) -> f64 {
    let (Some(first), Some(last)) = (template.first, template.last) else { return 0.6 };
    if end - start < BASELINE {
        return 0.8;
    }
    let span = (end - start) as f64;
    let count = i32::try_from(template.count).unwrap_or(i32::MAX);
    let by_chance_late = ((end - first) as f64 / span).powi(count);
    let by_chance_early = ((last - start) as f64 / span).powi(count);
    if by_chance_late <= UNLIKELY {
        0.95
    } else if by_chance_early <= UNLIKELY && end - last >= STALE {
        // It ended long ago.
        0.2
    } else if by_chance_late <= 10.0 * UNLIKELY {
        0.7
    } else {
        // Either trouble began before the log, or it is always so.
        0.5
    }
}

/// Lines of plain text. A line that repeats counts once.
pub(crate) fn read_lines(of: usize, text: &str, entity: &str, source: Source, readings: &mut Readings) {
    let mut seen: BTreeMap<(Kind, Option<String>), usize> = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "stderr:") {
        let is_calm = is_calm(line);
        let slow = slow_seconds(line).filter(|seconds| *seconds >= SLOW_SECONDS);
        let said_kind = signs::classify(line).filter(|_| !is_calm);
        let slow_kind = slow.map(|_| Kind::SlowOperation);
        let complaint = (!is_calm && source == Source::Log && signs::complains(line)).then_some(Kind::AppErrors);
        let Some(kind) = said_kind.or(slow_kind).or(complaint) else { continue };
        let said = shorten_to(&line.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_TEXT);
        let object = objects::object(kind, &said).map(str::to_owned);
        // A program says the same in many ways; the most telling line of a kind is the one that names an object.
        let key = (kind, object.clone().filter(|object| *object != said));
        let count = seen.entry(key).or_insert(0);
        *count += 1;
        if *count > 1 {
            continue;
        }
        let strength = match (source == Source::Alert, kind == Kind::SlowOperation) {
            (true, _) => 0.6,
            (false, true) => 0.7,
            (false, false) => 0.85,
        };
        readings.findings.push(Finding {
            kind,
            entity: entity.to_owned(),
            object,
            source,
            state: State::Active,
            strength,
            time: None,
            text: said,
            quotes: vec![Quote::piece(of, line)],
        });
    }
}

/// A line that its program marks as harmless.
fn is_calm(line: &str) -> bool {
    let head: String = line.chars().take(60).collect();
    let words = head.split(|c: char| !c.is_ascii_alphabetic()).map(str::to_ascii_uppercase);
    words.take(12).any(|word| matches!(word.as_str(), "INFO" | "DEBUG" | "TRACE" | "NORMAL"))
}

/// How long something took, as a line says it: `completed in 8.01 seconds`, `took 1500ms`.
fn slow_seconds(line: &str) -> Option<f64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().enumerate().find_map(|(index, word)| {
        if !matches!(word.to_lowercase().as_str(), "in" | "took" | "takes" | "after" | "for" | "duration:") {
            return None;
        }
        let amount = words.get(index + 1)?;
        let digits = amount.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(amount.len());
        let value: f64 = amount.get(..digits)?.parse().ok()?;
        let unit = match amount.get(digits..)? {
            "" => words.get(index + 2).copied().unwrap_or_default(),
            unit => unit,
        };
        match unit.trim_end_matches(['.', ',', ';']).to_lowercase().as_str() {
            "s" | "sec" | "secs" | "second" | "seconds" => Some(value),
            "ms" | "msec" | "millis" | "milliseconds" => Some(value / 1000.0),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Body;
    use serde_json::{Map, json};

    fn templates(entries: &[(&str, &str, u64, &str, &str)]) -> Vec<(Kind, f64)> {
        readings(entries).findings.into_iter().map(|finding| (finding.kind, finding.strength)).collect()
    }

    fn readings(entries: &[(&str, &str, u64, &str, &str)]) -> Readings {
        let entries: Vec<Value> = entries
            .iter()
            .map(|(level, message, count, first, last)| {
                let time = |minute: &str| format!("2026-01-01T10:{minute}:00Z");
                json!({"entity": "web", "level": level, "message": message, "count": count,
                    "first_time": time(first), "last_time": time(last)})
            })
            .collect();
        let observation = Observation {
            invocation_id: "inv-1".into(),
            tool: "query_logs".into(),
            arguments: Map::new(),
            body: Body::Json(json!({"templates": entries})),
        };
        let mut readings = Readings::default();
        read_templates(0, &observation, &Subject::default(), &mut readings);
        readings
    }

    #[test]
    fn a_log_without_complaints_is_a_sign_of_health() {
        let calm = ("info", "order is priced", 9, "00", "09");
        assert_eq!(readings(&[calm]).health.len(), 1);
        assert_eq!(readings(&[calm, ("error", "cannot price", 1, "05", "05")]).health.len(), 0);
        assert_eq!(readings(&[("", "order is priced", 9, "00", "09")]).health.len(), 0, "no level");
    }

    #[test]
    fn new_errors_beat_background_errors() {
        let found = templates(&[
            ("error", "order status is wrong", 9, "00", "09"),
            ("error", "cannot price the order: exception", 8, "06", "10"),
            ("error", "old trouble", 5, "00", "02"),
            ("info", "all is well", 500, "00", "10"),
        ]);
        assert_eq!(found, [(Kind::AppErrors, 0.5), (Kind::AppErrors, 0.95), (Kind::AppErrors, 0.2)]);
    }

    #[test]
    fn plain_lines_are_read_once_each() {
        let text = "INFO connection refused\nERROR connection refused by ledger:8080\nERROR connection refused by ledger:8080\nGET / 200";
        let mut readings = Readings::default();
        read_lines(0, text, "web", Source::Log, &mut readings);
        let found: Vec<_> = readings.findings.iter().map(|f| (f.kind, f.object.as_deref())).collect();
        assert_eq!(found, [(Kind::ConnectionFailure, Some("ledger:8080"))]);
    }

    #[test]
    fn slow_operations() {
        for (line, expected) in [
            ("query completed in 8.01 seconds.", Some(8.01)),
            ("GET /cart took 1500ms", Some(1.5)),
            ("rendered in 20 ms", Some(0.02)),
            ("in the end", None),
            ("", None),
        ] {
            assert_eq!(slow_seconds(line), expected, "{line}");
        }
    }
}
