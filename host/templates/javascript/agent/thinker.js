/**
 * Answers planner, verifier and composer with the smallest legal document. The input says which of them asks.
 *
 * It stands where a model would stand: replace `plan`, `verify` and `compose` one by one.
 */

const STEPS_MAX = 12;
const SENTENCE_CHARS_MAX = 4_000;
const HEADLINE_CHARS_MAX = 400;

/** Why there is no answer: a sentence for the log. */
export class Refused extends Error {}

const ANSWERS = new Map([
  ["planner_input_v1", plan],
  ["verifier_input_v1", verify],
  ["composer_input_v1", compose],
]);

/** The text of the document that the input's `answer_version` names. */
export function respond(text) {
  const given = readJson(text);
  const answer = ANSWERS.get(given?.input_version);
  if (!answer) throw new Refused("the input is none that this agent answers");
  try {
    return JSON.stringify(answer(given));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Refused(`the input is not ${given.input_version}: ${error.message}`);
  }
}

/** Round 1: ask each tool that needs no arguments. Round 2: one step for each gap. */
function plan({ tools, retry }) {
  const ask = ({ name }) => ({ goal: `See what ${name} says.`, tool_name: name, arguments: {} });
  const close = ({ fact }) => ({ goal: fact });
  const ready = tools.filter((tool) => !needsArguments(tool.input_schema));
  const steps = retry === null ? ready.map(ask) : retry.gaps.map(close);
  if (steps.length === 0) steps.push({ goal: "Find what explains the question." });
  const numbered = steps.slice(0, STEPS_MAX).map((step, index) => ({ step_id: `s${index + 1}`, ...step }));
  return { answer_version: "diagnosis_plan_v1", steps: numbered };
}

/** A claim is supported when evidence quotes for it. The verdict is never better than the ceiling. */
function verify({ material: { claims, evidence }, audit: { ceiling } }) {
  const quoted = new Set(evidence.map((item) => item.claim_id));
  const allowed = claims.map((claim) => claim.claim_id).filter((id) => quoted.has(id));
  const isSure = claims.length > 0 && allowed.length === claims.length;
  return {
    answer_version: "verification_v1",
    verdict: ceiling === "PASS" && !isSure ? "LOW_CONFID" : ceiling,
    facts: claims.map((claim) => factOf(claim, quoted.has(claim.claim_id))),
    allowed_claims: allowed,
    missing_information: claims.length > 0 ? [] : ["No finding was verified."],
    recommendations: [],
  };
}

/** The headline is the first claim that fits, word for word. */
function compose({ claims, recommendations }) {
  const fitting = claims.find(({ text }) => [...text].length <= HEADLINE_CHARS_MAX);
  return {
    answer_version: "composed_answer_v1",
    headline: fitting?.text ?? "The findings are listed below.",
    claim_order: claims.map((claim) => claim.claim_id),
    next_steps: recommendations,
  };
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refused(`the input is no JSON: ${error.message}`);
  }
}

function needsArguments(schema) {
  return typeof schema !== "object" || schema === null || (schema.required ?? []).length > 0;
}

function factOf({ claim_id, text }, isQuoted) {
  return {
    fact: [...`${claim_id}: ${text}`].slice(0, SENTENCE_CHARS_MAX).join(""),
    is_critical: true,
    verification: isQuoted ? "supported" : "no_evidence",
    reason: isQuoted ? "a tool's output is quoted for it" : "nothing is quoted for it",
  };
}
