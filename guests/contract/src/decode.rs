//! The four documents, field by field. The JSON Schemas beside this crate say the same in their own words.

use crate::document::{Binding, Claim, Evidence, Plan, PlanStep};
use crate::document::{CheckedFact, ComposedAnswer, Verdict, Verification, VerificationReport, Violation};
use crate::fields::{Fields, Path, Text, check_unique};
use crate::limits::{
    BINDINGS_MAX, CLAIMS_MAX, FACTS_MAX, HEADLINE_CHARS_MAX, NAME_CHARS_MAX, PATH_CHARS_MAX, QUOTE_CHARS_MAX,
    SENTENCE_CHARS_MAX, SENTENCES_MAX, STEPS_MAX, STEPS_MIN,
};
use serde_json::{Map, Value};

const SENTENCE: Text = Text::NotBlank(SENTENCE_CHARS_MAX);
const NAME: Text = Text::NotBlank(NAME_CHARS_MAX);

const VERDICTS: &[(&str, Verdict)] =
    &[("PASS", Verdict::Pass), ("LOW_CONFID", Verdict::LowConfid), ("REJECT", Verdict::Reject)];

const VERIFICATIONS: &[(&str, Verification)] = &[
    ("supported", Verification::Supported),
    ("indirect_support", Verification::IndirectSupport),
    ("no_evidence", Verification::NoEvidence),
    ("contradicted", Verification::Contradicted),
];

pub(crate) fn plan(document: Map<String, Value>) -> Result<Plan, Violation> {
    let mut fields = body(document)?;
    let steps = fields.list("steps", STEPS_MAX, plan_step)?;
    fields.end()?;
    let path = Path::Field(&Path::Root, "steps");
    if steps.len() < STEPS_MIN {
        return Err(path.violation("a plan has at least one step"));
    }
    check_unique(path, Some("step_id"), steps.iter().map(|step| step.step_id.as_str()))?;
    Ok(Plan { steps })
}

fn plan_step(value: Value, path: Path) -> Result<PlanStep, Violation> {
    let mut fields = Fields::of(value, path)?;
    let step = PlanStep {
        step_id: fields.text("step_id", Text::Id)?,
        goal: fields.text("goal", SENTENCE)?,
        tool_name: fields.optional_text("tool_name", NAME)?,
        arguments: fields.optional_object("arguments")?,
    };
    fields.end()?;
    Ok(step)
}

pub(crate) fn evidence(document: Map<String, Value>) -> Result<Evidence, Violation> {
    let mut fields = body(document)?;
    let evidence = Evidence {
        claims: fields.list("claims", CLAIMS_MAX, claim)?,
        hypotheses: fields.optional_texts("hypotheses", SENTENCES_MAX, SENTENCE)?,
        limitations: fields.optional_texts("limitations", SENTENCES_MAX, SENTENCE)?,
    };
    let no_evidence = fields.optional_flag("no_evidence")?;
    fields.end()?;
    if no_evidence == Some(true) && !evidence.claims.is_empty() {
        return Err(Path::Field(&Path::Root, "no_evidence").violation("true, but there are claims"));
    }
    let path = Path::Field(&Path::Root, "claims");
    check_unique(path, Some("claim_id"), evidence.claims.iter().map(|claim| claim.claim_id.as_str()))?;
    Ok(evidence)
}

fn claim(value: Value, path: Path) -> Result<Claim, Violation> {
    let mut fields = Fields::of(value, path)?;
    let claim = Claim {
        claim_id: fields.text("claim_id", Text::Id)?,
        text: fields.text("text", SENTENCE)?,
        bindings: fields.list("evidence_bindings", BINDINGS_MAX, binding)?,
    };
    fields.end()?;
    Ok(claim)
}

fn binding(value: Value, path: Path) -> Result<Binding, Violation> {
    let mut fields = Fields::of(value, path)?;
    let binding = Binding {
        source_invocation_id: fields.optional_text("source_invocation_id", NAME)?,
        tool_name: fields.text("tool_name", NAME)?,
        raw_path: fields.text("raw_path", Text::Any(PATH_CHARS_MAX))?,
        matched_text: fields.text("matched_text", Text::Any(QUOTE_CHARS_MAX))?,
    };
    fields.end()?;
    Ok(binding)
}

pub(crate) fn verification(document: Map<String, Value>) -> Result<VerificationReport, Violation> {
    let mut fields = body(document)?;
    let report = VerificationReport {
        verdict: fields.word("verdict", VERDICTS)?,
        facts: fields.list("facts", FACTS_MAX, checked_fact)?,
        allowed_claims: claim_ids(&mut fields, "allowed_claims")?,
        missing_information: fields.texts("missing_information", SENTENCES_MAX, SENTENCE)?,
        recommendations: fields.texts("recommendations", SENTENCES_MAX, SENTENCE)?,
    };
    fields.end()?;
    Ok(report)
}

fn checked_fact(value: Value, path: Path) -> Result<CheckedFact, Violation> {
    let mut fields = Fields::of(value, path)?;
    let fact = CheckedFact {
        fact: fields.text("fact", SENTENCE)?,
        is_critical: fields.flag("is_critical")?,
        verification: fields.word("verification", VERIFICATIONS)?,
        reason: fields.text("reason", Text::Any(SENTENCE_CHARS_MAX))?,
    };
    fields.end()?;
    Ok(fact)
}

pub(crate) fn answer(document: Map<String, Value>) -> Result<ComposedAnswer, Violation> {
    let mut fields = body(document)?;
    let answer = ComposedAnswer {
        headline: fields.text("headline", Text::NotBlank(HEADLINE_CHARS_MAX))?,
        claim_order: claim_ids(&mut fields, "claim_order")?,
        next_steps: fields.texts("next_steps", SENTENCES_MAX, SENTENCE)?,
    };
    fields.end()?;
    Ok(answer)
}

/// The fields beside `answer_version`, which the search for the document has checked.
fn body(mut document: Map<String, Value>) -> Result<Fields<'static>, Violation> {
    document.swap_remove("answer_version");
    Fields::of(Value::Object(document), Path::Root)
}

fn claim_ids(fields: &mut Fields, name: &str) -> Result<Vec<String>, Violation> {
    let ids = fields.texts(name, CLAIMS_MAX, Text::Id)?;
    check_unique(Path::Field(&Path::Root, name), None, ids.iter().map(String::as_str))?;
    Ok(ids)
}
