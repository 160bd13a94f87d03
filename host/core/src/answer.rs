//! Renders the answer that a caller reads. Deterministic: the same material gives the same bytes.
//!
//! Claim texts come from verified material by id. Nothing here invents a word about the incident itself.

use crate::document::{ComposedAnswer, Verdict, VerifiedClaim, VerifiedEvidence};
use crate::reason::ReasonCode;
use crate::route::Node;
use crate::verdict::AllowedMaterial;
use std::collections::BTreeSet;

/// Quotes are shown up to this many characters; the store keeps the whole.
const QUOTE_SHOWN: usize = 400;

/// An answer with the parts that it was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinalAnswer {
    pub text: String,
    /// The composer's; a fallback has none.
    pub headline: Option<String>,
    /// In the order of the text.
    pub claims: Vec<VerifiedClaim>,
    /// In the order of their marks: the first is `[1]`.
    pub citations: Vec<VerifiedEvidence>,
}

/// The normal answer. Allowed claims that the composer did not order follow in their own order: none is lost.
pub fn render(composed: &ComposedAnswer, verdict: Verdict, allowed: &AllowedMaterial) -> FinalAnswer {
    let headline = one_line(&composed.headline);
    let mut text = match verdict {
        Verdict::Pass => format!("{headline}\n"),
        Verdict::LowConfid | Verdict::Reject => format!("Low confidence: {headline}\n"),
    };
    let parts = body(&mut text, verdict, allowed, &composed.claim_order, &composed.next_steps);
    FinalAnswer { text, headline: Some(headline), claims: parts.0, citations: parts.1 }
}

/// The answer when the composer failed: the normal one without a headline.
pub fn fallback_post_verification(verdict: Verdict, allowed: &AllowedMaterial) -> FinalAnswer {
    let confidence = match verdict {
        Verdict::Pass => "",
        Verdict::LowConfid | Verdict::Reject => " of low confidence",
    };
    let mut text = format!(
        "Degraded answer{confidence}: the findings below are verified, but they could not be summed up in a headline.\n"
    );
    let parts = body(&mut text, verdict, allowed, &[], &[]);
    FinalAnswer { text, headline: None, claims: parts.0, citations: parts.1 }
}

/// The answer when no trusted material exists: which stage failed, and what may be tried. No claim, no tool output.
pub fn fallback_pre_verification(stage: Node, reason: ReasonCode) -> FinalAnswer {
    let text = format!(
        "Degraded answer: there is no verified finding.\n\nWhat happened: {}.\nReason: {} ({}).\nWhat may be tried: {}.\n",
        stage_in_words(stage, reason),
        reason.as_str(),
        reason.meaning().trim_end_matches('.'),
        remedy(reason),
    );
    FinalAnswer { text, ..FinalAnswer::default() }
}

fn body(
    text: &mut String,
    verdict: Verdict,
    allowed: &AllowedMaterial,
    order: &[String],
    next_steps: &[String],
) -> (Vec<VerifiedClaim>, Vec<VerifiedEvidence>) {
    let claims = in_order(&allowed.claims, order);
    let mut citations: Vec<VerifiedEvidence> = Vec::new();
    let confidence = match verdict {
        Verdict::Pass => "verified. Each finding quotes a tool output of this run, and the verifier agreed",
        Verdict::LowConfid | Verdict::Reject => {
            "low. Each finding quotes a tool output of this run, but they do not prove the whole answer"
        }
    };
    push_line(text, &format!("\nConfidence: {confidence}."));
    text.push_str("\nFindings:\n");
    if claims.is_empty() {
        text.push_str("- None could be verified.\n");
    }
    for (position, claim) in claims.iter().enumerate() {
        let mut line = format!("{}. {}", position + 1, one_line(&claim.text));
        let mut marks = BTreeSet::new();
        for quote in allowed.evidence.iter().filter(|quote| quote.claim_id == claim.claim_id) {
            let mark = citations.iter().position(|known| place_of(known) == place_of(quote)).unwrap_or_else(|| {
                citations.push(quote.clone());
                citations.len() - 1
            });
            if marks.insert(mark) {
                line.push_str(&format_mark(mark, marks.len() == 1));
            }
        }
        push_line(text, &line);
    }
    section(text, "Missing information", &allowed.missing_information);
    section(text, "Recommendations", &allowed.recommendations);
    section(text, "Next steps", next_steps);
    if !citations.is_empty() {
        text.push_str("\nCitations:\n");
    }
    for (position, quote) in citations.iter().enumerate() {
        let place = if quote.raw_path.is_empty() { "$" } else { &quote.raw_path };
        push_line(
            text,
            &format!(
                "[{}] {}, invocation {}, at {}: \"{}\"",
                position + 1,
                one_line(&quote.tool_name),
                quote.source_invocation_id,
                one_line(place),
                cut(&one_line(&quote.matched_text)),
            ),
        );
    }
    (claims, citations)
}

/// What a citation shows: claims that quote the same text at the same place share one.
fn place_of(quote: &VerifiedEvidence) -> (&str, &str, &str, &str) {
    let VerifiedEvidence { claim_id: _, source_invocation_id, tool_name, raw_path, matched_text } = quote;
    (source_invocation_id, tool_name, raw_path, matched_text)
}

fn format_mark(mark: usize, first: bool) -> String {
    let space = if first { " " } else { "" };
    format!("{space}[{}]", mark + 1)
}

fn in_order(claims: &[VerifiedClaim], order: &[String]) -> Vec<VerifiedClaim> {
    let rank = |claim: &VerifiedClaim| order.iter().position(|id| *id == claim.claim_id).unwrap_or(order.len());
    let mut claims = claims.to_vec();
    claims.sort_by_key(rank);
    claims
}

fn section(text: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    push_line(text, &format!("\n{title}:"));
    for item in items {
        push_line(text, &format!("- {}", one_line(item)));
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Keeps foreign text on its own line and harmless on a terminal: line breaks, control characters and marks that
/// change the direction of writing become spaces.
pub fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || turns_text(c);
    text.split(|c: char| breaks(c) || c == ' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Marks that change the direction of writing, and with it what a reader takes a text for.
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTE_SHOWN) {
        Some((end, _)) => format!("{} [cut]", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn stage_in_words(stage: Node, reason: ReasonCode) -> &'static str {
    match stage {
        Node::Planner => "the investigation could not be planned",
        Node::Executor => "the evidence could not be gathered",
        Node::Gatekeeper => "the stated claims could not be traced to what the tools of this run returned",
        Node::VerifiedInput => "the checked claims did not fit together",
        Node::Verifier if reason == ReasonCode::VerdictReject => "the verifier rejected the claims",
        Node::Verifier => "the claims could not be verified",
        Node::RetryPrepare => "the search for more evidence could not be prepared",
        Node::Composer | Node::Fallback(_) => "the answer could not be composed",
    }
}

fn remedy(reason: ReasonCode) -> &'static str {
    match reason {
        ReasonCode::InvokeTimeout | ReasonCode::InvokeTransient | ReasonCode::AttemptTimeout => {
            "ask again in a while, and look whether the agent's server answers; the node's wall limit can be raised"
        }
        ReasonCode::InvokePermanent | ReasonCode::NoRunIdentity => {
            "check the agent's settings with `portcullis doctor`, and read the log for the agent's own words"
        }
        ReasonCode::ContractViolation => {
            "ask again, or give the node an agent that keeps the contract; `portcullis parse` tells what a text breaks"
        }
        ReasonCode::ToolBlocked => "see which tools `[tools] allow` permits, and the limits on calls",
        ReasonCode::InvokeLimit
        | ReasonCode::GuestTrapped
        | ReasonCode::GuestDeadline
        | ReasonCode::GuestMemory
        | ReasonCode::GuestOutputLimit
        | ReasonCode::GuestBadValue
        | ReasonCode::GuestRefused
        | ReasonCode::GuestUnavailable
        | ReasonCode::InputMismatch => {
            "replace the component or raise its limits; `portcullis node list` names it, and the log has its words"
        }
        ReasonCode::RunBudget => "ask a narrower question, or raise the budget of a whole run",
        ReasonCode::Cancelled => "ask again",
        ReasonCode::GateUnbacked | ReasonCode::GateReject | ReasonCode::GateLowConfid | ReasonCode::GatePass => {
            "`portcullis runs show` lists each checked binding with its reason; ask again, or about a narrower window"
        }
        ReasonCode::NothingVerified
        | ReasonCode::VerdictReject
        | ReasonCode::VerdictLowConfid
        | ReasonCode::VerdictPass
        | ReasonCode::RecursionLimit
        | ReasonCode::Ok => "give more facts, such as the service and the time window, and ask again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> AllowedMaterial {
        let claim = |id: &str, text: &str| VerifiedClaim { claim_id: id.into(), text: text.into() };
        let quote = |id: &str, text: &str| VerifiedEvidence {
            claim_id: id.into(),
            source_invocation_id: "inv-1".into(),
            tool_name: "query_logs".into(),
            raw_path: "$.items[0].message".into(),
            matched_text: text.into(),
        };
        AllowedMaterial {
            claims: vec![claim("a", "The pool is exhausted."), claim("b", "The deploy came first."), claim("c", "x")],
            evidence: vec![quote("a", "pool exhausted"), quote("b", "deploy"), quote("b", "pool exhausted")],
            missing_information: vec!["traces".into()],
            recommendations: vec!["roll back".into()],
        }
    }

    fn composed() -> ComposedAnswer {
        ComposedAnswer {
            headline: "The pool is exhausted".into(),
            claim_order: vec!["b".into(), "a".into()],
            next_steps: vec!["look".into()],
        }
    }

    #[test]
    fn the_normal_answer_orders_claims_and_shares_citations() {
        // R-ANSWER-01 R-ANSWER-04
        let answer = render(&composed(), Verdict::Pass, &allowed());
        let expected = "\
The pool is exhausted

Confidence: verified. Each finding quotes a tool output of this run, and the verifier agreed.

Findings:
1. The deploy came first. [1][2]
2. The pool is exhausted. [2]
3. x

Missing information:
- traces

Recommendations:
- roll back

Next steps:
- look

Citations:
[1] query_logs, invocation inv-1, at $.items[0].message: \"deploy\"
[2] query_logs, invocation inv-1, at $.items[0].message: \"pool exhausted\"
";
        assert_eq!(answer.text, expected);
    }

    #[test]
    fn the_first_line_says_what_the_answer_is_worth() {
        // R-ANSWER-05
        let first = |answer: FinalAnswer| answer.text.lines().next().unwrap().to_owned();
        assert_eq!(first(render(&composed(), Verdict::LowConfid, &allowed())), "Low confidence: The pool is exhausted");
        let post = fallback_post_verification(Verdict::LowConfid, &allowed());
        assert!(first(post).starts_with("Degraded answer of low confidence:"));
        let pre = fallback_pre_verification(Node::Planner, ReasonCode::GuestTrapped);
        assert_eq!(first(pre), "Degraded answer: there is no verified finding.");
    }

    #[test]
    fn a_post_verification_answer_is_the_allowed_material_and_nothing_else() {
        // R-ANSWER-03
        let answer = fallback_post_verification(Verdict::Pass, &allowed());
        assert_eq!(answer, fallback_post_verification(Verdict::Pass, &allowed()));
        assert_eq!(answer.headline, None);
        assert_eq!(answer.claims, allowed().claims);
        for part in ["The pool is exhausted.", "traces", "roll back", "\"pool exhausted\""] {
            assert!(answer.text.contains(part), "{part}");
        }
    }

    #[test]
    fn a_pre_verification_answer_exists_for_each_stage_and_reason() {
        // R-ANSWER-02 R-ANSWER-05
        for &stage in Node::ALL {
            for &reason in ReasonCode::ALL {
                let answer = fallback_pre_verification(stage, reason);
                assert!(answer.text.contains(reason.as_str()) && answer.text.contains("What may be tried"));
                assert!(answer.claims.is_empty() && answer.citations.is_empty());
            }
        }
    }

    #[test]
    fn foreign_text_stays_on_its_line_and_off_the_terminal() {
        // R-ANSWER-04
        assert_eq!(one_line("a\nCitations:\r\n[9] \u{1b}[31mred\u{202e} x"), "a Citations: [9] [31mred x");
        assert_eq!(cut(&"é".repeat(QUOTE_SHOWN + 1)), format!("{} [cut]", "é".repeat(QUOTE_SHOWN)));
    }
}
