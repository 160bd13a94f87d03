//! The composer's agent: a headline from the claim that matters, an order, and what to do next. It adds no finding.

use crate::claims::{NO_FAULT, ROOT_CAUSE, TOOLS_MISSING};
use crate::evidence::shorten_to;
use crate::verify::kind_of;
use portcullis_contract::document::{ComposedAnswer, Verdict};
use portcullis_contract::input::{ComposerInput, VerifiedClaim};

/// What the contract allows for a headline, a little less.
const LONGEST: usize = 380;

/// Answers a composer's input.
pub fn compose(input: &ComposerInput) -> ComposedAnswer {
    let is_main = |claim: &&VerifiedClaim| {
        [ROOT_CAUSE, NO_FAULT, TOOLS_MISSING].iter().any(|role| claim.claim_id.split('.').next() == Some(role))
    };
    let main = input.claims.iter().find(is_main).or(input.claims.first());
    let headline = match (main, input.effective_verdict) {
        (None, _) => "No cause could be established from the data".to_owned(),
        (Some(claim), _) if !claim.claim_id.starts_with(ROOT_CAUSE) => claim.text.clone(),
        (Some(claim), Verdict::Pass) => format!("Root cause: {}", claim.text),
        (Some(claim), Verdict::LowConfid | Verdict::Reject) => format!("Probable cause: {}", claim.text),
    };
    let mut order: Vec<String> = main.into_iter().map(|claim| claim.claim_id.clone()).collect();
    order.extend(
        input
            .claims
            .iter()
            .map(|claim| claim.claim_id.clone())
            .filter(|id| main.is_none_or(|main| main.claim_id != *id)),
    );
    ComposedAnswer {
        headline: fit(&headline, main),
        claim_order: order,
        next_steps: next_steps(main, input.effective_verdict),
    }
}

/// As much of a headline as fits. One that a single endless word takes up says only what sort of answer it is.
fn fit(headline: &str, main: Option<&VerifiedClaim>) -> String {
    let is_readable = headline.split_whitespace().all(|word| word.len() < LONGEST / 2);
    match main {
        Some(claim) if !is_readable && claim.claim_id.starts_with(NO_FAULT) => "No active fault found".to_owned(),
        Some(_) if !is_readable => "A probable cause was found; the first claim names it".to_owned(),
        Some(_) | None => shorten_to(headline, LONGEST),
    }
}

/// Plain words only: a step must not bring in a number or a name.
fn next_steps(main: Option<&VerifiedClaim>, verdict: Verdict) -> Vec<String> {
    let steps: &[&str] = match (main, verdict) {
        (None, _) => &["Collect metrics, logs and events of the affected system and ask again."],
        (Some(claim), _) if claim.claim_id.starts_with(NO_FAULT) => {
            &["Close the alert, and watch whether it fires again."]
        }
        (Some(claim), _) if claim.claim_id.starts_with(TOOLS_MISSING) => {
            &["Turn the tools on that read the affected system and ask again."]
        }
        (Some(claim), Verdict::Pass) if kind_of(claim).is_some() => {
            &["Act on the first recommendation.", "Watch the symptoms named above until they are gone."]
        }
        (Some(_), Verdict::Pass) => {
            &["Check the cited outputs, then act on them.", "Watch the symptoms named above until they are gone."]
        }
        (Some(_), Verdict::LowConfid | Verdict::Reject) => &[
            "Confirm the cause before acting on it: look at what is listed as missing.",
            "Watch the symptoms named above until they are gone.",
        ],
    };
    steps.iter().map(|step| (*step).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_contract::input::{AnswerVersion, ComposerInputVersion};

    fn answer(claims: &[(&str, &str)], verdict: Verdict) -> ComposedAnswer {
        compose(&ComposerInput {
            input_version: ComposerInputVersion::Word,
            answer_version: AnswerVersion::Word,
            effective_verdict: verdict,
            claims: claims
                .iter()
                .map(|(id, text)| VerifiedClaim { claim_id: (*id).into(), text: (*text).into() })
                .collect(),
            missing_information: Vec::new(),
            recommendations: Vec::new(),
        })
    }

    #[test]
    fn the_headline_is_the_claim_that_matters() {
        let claims =
            [("evidence-1.dns", "Log of web: no such host"), ("root-cause.dns", "web: names cannot be resolved")];
        let pass = answer(&claims, Verdict::Pass);
        assert_eq!(pass.headline, "Root cause: web: names cannot be resolved");
        assert_eq!(pass.claim_order, ["root-cause.dns", "evidence-1.dns"]);
        assert!(answer(&claims, Verdict::LowConfid).headline.starts_with("Probable cause: web"));
        assert_eq!(answer(&[("no-fault", "No active fault found")], Verdict::Pass).headline, "No active fault found");
        assert!(answer(&[], Verdict::LowConfid).headline.starts_with("No cause"));
        let endless = "p".repeat(5000);
        let headline = answer(&[("root-cause.dns", &endless)], Verdict::LowConfid).headline;
        assert_eq!(headline, "A probable cause was found; the first claim names it");
    }

    #[test]
    fn steps_hold_no_number_and_no_name() {
        // R-ANSWER-04
        for claims in
            [&[][..], &[("no-fault", "a")], &[("tools-missing.x", "a")], &[("root-cause.dns", "a")], &[("c", "a")]]
        {
            for verdict in [Verdict::Pass, Verdict::LowConfid] {
                for step in answer(claims, verdict).next_steps {
                    assert!(
                        !step.contains(|c: char| c.is_ascii_digit() || "-_/.".contains(c) && !step.ends_with(c)),
                        "{step}"
                    );
                }
            }
        }
    }
}
