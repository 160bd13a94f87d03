//! Checks a composed answer against what the verifier allowed: a composer arranges, it does not add.

use crate::document::{ComposedAnswer, Violation};
use crate::gate::{Support, fold};
use crate::verdict::AllowedMaterial;
use std::collections::BTreeSet;

/// # Errors
/// A [`Violation`] with the place, when the answer orders a claim that is not allowed, orders one twice, or says a
/// number or an identifier that no allowed material holds (R-ANSWER-04).
pub fn check(answer: &ComposedAnswer, allowed: &AllowedMaterial) -> Result<(), Violation> {
    let ids: BTreeSet<&str> = allowed.claims.iter().map(|claim| claim.claim_id.as_str()).collect();
    let mut ordered = BTreeSet::new();
    for (position, id) in answer.claim_order.iter().enumerate() {
        let message = match (ids.contains(id.as_str()), ordered.insert(id)) {
            (true, true) => continue,
            (false, _) => "names a claim that is not allowed",
            (true, false) => "names a claim twice",
        };
        return Err(Violation { path: format!("/claim_order/{position}"), message: message.into() });
    }
    let mut numbers = Support::default();
    let mut names = BTreeSet::new();
    for text in material(allowed) {
        numbers.add_text(text);
        names.extend(identifiers(text));
    }
    let steps = answer.next_steps.iter().enumerate().map(|(position, step)| (format!("/next_steps/{position}"), step));
    for (path, text) in std::iter::once(("/headline".to_owned(), &answer.headline)).chain(steps) {
        if !numbers.covers(text) || !identifiers(text).is_subset(&names) {
            return Err(Violation {
                path,
                message: "holds a number or an identifier that no allowed claim holds".into(),
            });
        }
    }
    Ok(())
}

/// CPU, HTTP, DNS and the like are words; what is longer is a name.
const ABBREVIATION: usize = 5;

/// All texts that an answer may draw numbers and identifiers from.
fn material(allowed: &AllowedMaterial) -> impl Iterator<Item = &String> {
    let claims = allowed.claims.iter().map(|claim| &claim.text);
    let quotes = allowed.evidence.iter().map(|quote| &quote.matched_text);
    claims.chain(quotes).chain(&allowed.missing_information).chain(&allowed.recommendations)
}

/// Words without a digit that are identifiers by their mere form; those with a digit are the gatekeeper's. Plain words
/// cannot be told from names, so they are none.
fn identifiers(text: &str) -> BTreeSet<String> {
    fold(text)
        .text()
        .split(|c: char| c.is_whitespace() || "()[]{}<>\"'`,;!?".contains(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| is_identifier(word))
        .map(str::to_owned)
        .collect()
}

/// An inner `_ - . / : @ =`, a capital letter after a small one, or a word in capitals that is longer than the usual
/// abbreviations of the trade.
fn is_identifier(word: &str) -> bool {
    let has_inner_mark = word.contains(['_', '-', '.', '/', ':', '@', '=']);
    let has_inner_capital =
        word.chars().zip(word.chars().skip(1)).any(|(before, after)| before.is_lowercase() && after.is_uppercase());
    let is_shouted = word.chars().count() > ABBREVIATION && word.chars().all(char::is_uppercase);
    let has_digit = word.chars().any(char::is_numeric);
    (has_inner_mark || has_inner_capital || is_shouted) && !has_digit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{VerifiedClaim, VerifiedEvidence};

    fn quote(matched_text: &str) -> VerifiedEvidence {
        VerifiedEvidence {
            claim_id: "a".into(),
            source_invocation_id: "inv-1".into(),
            tool_name: "query_metrics".into(),
            raw_path: "$".into(),
            matched_text: matched_text.into(),
        }
    }

    fn allowed() -> AllowedMaterial {
        AllowedMaterial {
            claims: vec![VerifiedClaim { claim_id: "a".into(), text: "cart-db has 97.5% of 100 connections.".into() }],
            evidence: vec![quote("OOMKilled at 10:02"), quote("45")],
            missing_information: vec!["no data of node_7".into()],
            recommendations: vec!["see runbook v2.3".into()],
        }
    }

    fn verdict(headline: &str, order: &[&str], steps: &[&str]) -> Option<String> {
        let strings = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        let answer =
            ComposedAnswer { headline: headline.into(), claim_order: strings(order), next_steps: strings(steps) };
        check(&answer, &allowed()).err().map(|violation| violation.path)
    }

    #[test]
    fn what_allowed_material_holds_may_be_said() {
        // R-ANSWER-04
        for text in [
            "cart-db is exhausted",
            "\u{201c}cart\u{2011}db\u{201d}: 97.5% (of 100)!",
            "The cart-db ran out of connections at 10:02.",
            "OOMKilled",
            "node_7 and v2.3",
            "45 pods",
            "",
        ] {
            assert_eq!(verdict(text, &["a"], &[text]), None, "{text}");
        }
    }

    #[test]
    fn what_it_does_not_hold_is_a_violation_with_its_place() {
        // R-ANSWER-04 R-NODE-04
        for text in [
            "97% of it",
            // A number that was quoted may count anything.
            "45% of it",
            "order-db",
            "at 10:03",
            "OOMKiller, ImagePullBackOff",
            "node_8",
            "1000 connections",
            "AKIAIOSFODNNEXAMPLE",
            "SECRETCANARY in redis",
            "v2.4",
            "db.internal",
        ] {
            assert_eq!(verdict(text, &["a"], &[]).as_deref(), Some("/headline"), "{text}");
            assert_eq!(verdict("cart-db", &["a"], &["look", text]).as_deref(), Some("/next_steps/1"), "{text}");
        }
        assert_eq!(verdict("x", &["a", "b"], &[]).as_deref(), Some("/claim_order/1"));
        assert_eq!(verdict("x", &["a", "a"], &[]).as_deref(), Some("/claim_order/1"));
    }
}
