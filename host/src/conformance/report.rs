//! What an examination found, and how it is gathered.

use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{AttemptFailure, InvokeError, PluginInfo, Role};
use std::time::{Duration, Instant};

/// Longest words of a check.
const WORDS_CHARS: usize = 1_200;
/// As much of a text is shown.
const SHOWN_CHARS: usize = 160;
/// As often a call is made to tell what it costs.
const CALLS: usize = 15;

/// What an examination found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub role: Role,
    /// What the component is called.
    pub component: String,
    /// In the order in which they were made.
    pub checks: Vec<Check>,
    /// What one plain call takes; absent after a smoke test, and where no plain call succeeds.
    pub call: Option<CallCost>,
}

/// One thing that a component has to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Its name in `docs/conformance.md`.
    pub name: &'static str,
    pub result: CheckResult,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckResult {
    Passed,
    /// What was given, what came, and what was expected.
    Failed(String),
    /// Why it does not apply or could not be told.
    Skipped(String),
}

/// What one call takes. It is told and never judged: the machine has its say in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallCost {
    /// The function that was called.
    pub function: &'static str,
    pub median: Duration,
    pub calls: usize,
}

impl Report {
    /// Nothing failed, and something passed: an examination that could tell nothing is no success.
    pub fn passed(&self) -> bool {
        let is = |wanted: fn(&CheckResult) -> bool| self.checks.iter().any(|check| wanted(&check.result));
        !is(|result| matches!(result, CheckResult::Failed(_))) && is(|result| *result == CheckResult::Passed)
    }

    /// The checks that failed, with their words.
    pub fn failures(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.checks.iter().filter_map(|check| match &check.result {
            CheckResult::Failed(words) => Some((check.name, words.as_str())),
            CheckResult::Passed | CheckResult::Skipped(_) => None,
        })
    }
}

/// Why a check does not pass.
#[derive(Debug)]
pub(super) enum Flaw {
    Failed(String),
    /// A limit ended a call. That is one finding, told once, whichever check met it.
    Limit(String),
    Skipped(String),
}

/// How a check ends.
pub(super) type Found = Result<(), Flaw>;

/// The findings so far.
pub(super) struct Examination {
    report: Report,
    limit: Option<String>,
}

impl Examination {
    pub(super) fn new(info: &PluginInfo) -> Self {
        let report = Report { role: info.role, component: info.name.clone(), checks: Vec::new(), call: None };
        Self { report, limit: None }
    }

    /// Notes how a check ended, and says whether others can build on it: it may have passed by not applying.
    pub(super) fn note(&mut self, name: &'static str, found: Found) -> bool {
        let stands = !matches!(found, Err(Flaw::Failed(_) | Flaw::Limit(_)));
        let result = match found {
            Ok(()) => CheckResult::Passed,
            Err(Flaw::Failed(words)) => CheckResult::Failed(clipped(&words, WORDS_CHARS)),
            Err(Flaw::Skipped(words)) => CheckResult::Skipped(clipped(&words, WORDS_CHARS)),
            Err(Flaw::Limit(words)) => {
                self.limit.get_or_insert(clipped(&words, WORDS_CHARS));
                CheckResult::Skipped(format!("a limit ended it, see {WITHIN_LIMITS}"))
            }
        };
        self.report.checks.push(Check { name, result });
        stands
    }

    /// Notes checks that are not made, because one that they build on does not pass.
    pub(super) fn skip(&mut self, names: &[&'static str], because: &str) {
        for name in names {
            self.note(name, Err(Flaw::Skipped(format!("needs {because}"))));
        }
    }

    pub(super) fn cost(&mut self, cost: Option<CallCost>) {
        self.report.call = cost;
    }

    pub(super) fn conclude(mut self) -> Report {
        let found = self.limit.take().map_or(Ok(()), |words| Err(Flaw::Failed(words)));
        self.note(WITHIN_LIMITS, found);
        self.report
    }
}

const WITHIN_LIMITS: &str = "within-limits";

/// How long a call takes: the median of some, or nothing if one fails.
pub(super) async fn timed(function: &'static str, mut call: impl AsyncFnMut() -> bool) -> Option<CallCost> {
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let start = Instant::now();
        if !call().await {
            return None;
        }
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times.get(CALLS / 2).map(|median| CallCost { function, median: *median, calls: CALLS })
}

/// A call that ended otherwise than by a result.
pub(super) fn ended(given: &str, AttemptFailure { class: _, reason, detail }: &AttemptFailure) -> Flaw {
    stopped(given, *reason, detail)
}

/// An agent's call that ended otherwise than by a result; `None` for an error of its own, which is a result.
pub(super) fn agent_ended(given: &str, error: &InvokeError) -> Option<Flaw> {
    match error {
        InvokeError::Component { reason, detail } => Some(stopped(given, *reason, detail)),
        InvokeError::TimedOut(_)
        | InvokeError::Transient(_)
        | InvokeError::Permanent(_)
        | InvokeError::Blocked(_)
        | InvokeError::RunBudget(_) => None,
    }
}

fn stopped(given: &str, reason: ReasonCode, detail: &str) -> Flaw {
    let words = format!("given {given}: {}: {detail}", reason.as_str());
    let is_limit = matches!(
        reason,
        ReasonCode::GuestDeadline | ReasonCode::GuestMemory | ReasonCode::GuestOutputLimit | ReasonCode::AttemptTimeout
    );
    if is_limit { Flaw::Limit(words) } else { Flaw::Failed(words) }
}

/// A text of a component or for it, readable and bounded.
pub(super) fn shown(text: &str) -> String {
    let excerpt: String = text.chars().take(SHOWN_CHARS).collect();
    if excerpt.len() == text.len() { format!("{text:?}") } else { format!("{excerpt:?}… of {} bytes", text.len()) }
}

/// Two texts that should be the same, from where they part.
pub(super) fn parted(first: &str, second: &str) -> String {
    /// So much of what is the same is shown before it.
    const CONTEXT: usize = 24;
    let same = first.chars().zip(second.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(CONTEXT);
    let rest = |text: &str| shown(&text.chars().skip(from).collect::<String>());
    format!("from character {from} on {} and {}", rest(first), rest(second))
}

fn clipped(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(results: &[CheckResult]) -> Report {
        let checks = results.iter().map(|result| Check { name: "x", result: result.clone() }).collect();
        Report { role: Role::Planner, component: String::new(), checks, call: None }
    }

    #[test]
    fn a_report_passes_if_something_passed_and_nothing_failed() {
        // R-HOST-07
        use CheckResult::{Failed, Passed, Skipped};
        let (failed, skipped) = (Failed("f".into()), Skipped("s".into()));
        for (results, passed) in [
            (&[][..], false),
            (&[Passed], true),
            (&[Passed, skipped.clone()], true),
            (&[skipped], false),
            (&[Passed, failed.clone()], false),
            (&[failed], false),
        ] {
            assert_eq!(report(results).passed(), passed, "{results:?}");
        }
    }

    #[test]
    fn words_are_bounded() {
        // R-HOST-04
        assert_eq!(shown("a\u{202e}\n"), r#""a\u{202e}\n""#);
        assert_eq!(shown(&"é".repeat(10_000)).chars().count(), SHOWN_CHARS + "\"\"… of 20000 bytes".chars().count());
        assert_eq!(clipped("ééé", 2), "éé…");
        assert_eq!(parted("same one", "same two"), r#"from character 0 on "same one" and "same two""#);
    }
}
