/**
 * The four documents that agents answer with, field by field: `diagnosis_plan_v1`, `executor_evidence_v2`,
 * `verification_v1` and `composed_answer_v1`.
 *
 * Each reader takes a value and its place, a JSON Pointer, and gives what it read or throws a Violation. Unknown fields
 * are refused: an unknown field is a misunderstanding that nobody would notice. Lengths count Unicode code points.
 * Fields come out under the names that WIT gives them in JavaScript.
 */

import { document, Violation } from "./sanitize.js";
import { JsonNumber, excerpt, write } from "./strict-json.js";

export { Violation };

const ID_CHARS_MAX = 64;
const NAME_CHARS_MAX = 128;
const PATH_CHARS_MAX = 1_024;
const QUOTE_CHARS_MAX = 16_384;
const HEADLINE_CHARS_MAX = 400;
const SENTENCE_CHARS_MAX = 4_000;
const STEPS_MAX = 12;
const CLAIMS_MAX = 40;
const BINDINGS_MAX = 8;
const FACTS_MAX = 80;
const SENTENCES_MAX = 40;

/** Any text of at most so many characters. */
const text = (charsMax) => (value, path) => {
  if (typeof value !== "string") throw new Violation(path, `must be a string, is ${kind(value)}`);
  // UTF-16 units are never fewer than characters, and are counted already.
  if (value.length > charsMax && [...value].length > charsMax) {
    throw new Violation(path, `longer than ${charsMax} characters`);
  }
  return value;
};

/** A text that is not just white space as JSON knows it. */
const words = (charsMax) => (value, path) => {
  if (/^[ \t\r\n]*$/.test(text(charsMax)(value, path))) throw new Violation(path, "must not be blank");
  return value;
};

const identifier = (value, path) => {
  if (!/^[A-Za-z0-9_.-]+$/.test(text(ID_CHARS_MAX)(value, path))) {
    throw new Violation(path, `${excerpt(value)} is no id: use [A-Za-z0-9_.-]`);
  }
  return value;
};

const flag = (value, path) => {
  if (typeof value !== "boolean") throw new Violation(path, `must be true or false, is ${kind(value)}`);
  return value;
};

const mapping = (value, path) => {
  if (!(value instanceof Map)) throw new Violation(path, `must be an object, is ${kind(value)}`);
  return value;
};

const oneOf = (...allowed) => (value, path) => {
  if (!allowed.includes(value)) throw new Violation(path, `must be one of ${allowed.join(", ")}`);
  return value;
};

const items = (readItem, countMax) => (value, path) => {
  if (!Array.isArray(value)) throw new Violation(path, `must be an array, is ${kind(value)}`);
  if (value.length > countMax) throw new Violation(path, `more than ${countMax} items`);
  return value.map((item, index) => readItem(item, `${path}/${index}`));
};

const claimIds = (value, path) => {
  const ids = items(identifier, CLAIMS_MAX)(value, path);
  checkUnique(ids, (index) => `${path}/${index}`);
  return ids;
};

/** A field that may be absent; `null` counts as absent, because some model servers cannot leave a field out. */
const optional = (read, absent = () => undefined) => ({ read, absent });

/** An object with just these fields. */
const record = (fields) => (value, path) => {
  const left = new Map(mapping(value, path));
  const found = {};
  for (const [name, reader] of Object.entries(fields)) {
    const member = left.get(name);
    const place = `${path}/${name}`;
    left.delete(name);
    if (typeof reader === "function") {
      if (member === undefined) throw new Violation(path, `field ${name} is missing`);
      found[camelCase(name)] = reader(member, place);
    } else {
      found[camelCase(name)] = member === undefined || member === null ? reader.absent() : reader.read(member, place);
    }
  }
  for (const name of left.keys()) throw new Violation(path, `unknown field ${excerpt(name)}`);
  return found;
};

const SENTENCE = words(SENTENCE_CHARS_MAX);
const SENTENCES = items(SENTENCE, SENTENCES_MAX);
const NAME = words(NAME_CHARS_MAX);

const STEP = record({ step_id: identifier, goal: SENTENCE, tool_name: optional(NAME), arguments: optional(mapping) });
const PLAN = record({ steps: items(STEP, STEPS_MAX) });

const BINDING = record({
  source_invocation_id: optional(NAME),
  tool_name: NAME,
  raw_path: text(PATH_CHARS_MAX),
  matched_text: text(QUOTE_CHARS_MAX),
});
const CLAIM = record({ claim_id: identifier, text: SENTENCE, evidence_bindings: items(BINDING, BINDINGS_MAX) });
const EVIDENCE = record({
  claims: items(CLAIM, CLAIMS_MAX),
  hypotheses: optional(SENTENCES, () => []),
  limitations: optional(SENTENCES, () => []),
  no_evidence: optional(flag),
});

const FACT = record({
  fact: SENTENCE,
  is_critical: flag,
  verification: oneOf("supported", "indirect_support", "no_evidence", "contradicted"),
  reason: text(SENTENCE_CHARS_MAX),
});
const VERIFICATION = record({
  verdict: oneOf("PASS", "LOW_CONFID", "REJECT"),
  facts: items(FACT, FACTS_MAX),
  allowed_claims: claimIds,
  missing_information: SENTENCES,
  recommendations: SENTENCES,
});

const ANSWER = record({ headline: words(HEADLINE_CHARS_MAX), claim_order: claimIds, next_steps: SENTENCES });

/** Reads a planner's text. The arguments of a step become JSON text again, digit for digit. */
export function plan(text) {
  const { steps } = read(text, "diagnosis_plan_v1", PLAN);
  if (steps.length === 0) throw new Violation("/steps", "a plan has at least one step");
  checkUnique(steps.map((step) => step.stepId), (index) => `/steps/${index}/step_id`);
  return { steps: steps.map((step) => ({ ...step, arguments: step.arguments && write(step.arguments) })) };
}

/** Reads an executor's text. `no_evidence` carries no information of its own, and must not be true beside claims. */
export function evidence(text) {
  const { noEvidence, ...found } = read(text, "executor_evidence_v2", EVIDENCE);
  if (noEvidence && found.claims.length > 0) throw new Violation("/no_evidence", "true, but there are claims");
  checkUnique(found.claims.map((claim) => claim.claimId), (index) => `/claims/${index}/claim_id`);
  const claims = found.claims.map(({ evidenceBindings, ...claim }) => ({ ...claim, bindings: evidenceBindings }));
  return { ...found, claims };
}

/** Reads a verifier's text. */
export function verification(text) {
  const report = read(text, "verification_v1", VERIFICATION);
  const facts = report.facts.map((fact) => ({ ...fact, verification: kebabCase(fact.verification) }));
  return { ...report, verdict: kebabCase(report.verdict), facts };
}

/** Reads a composer's text. */
export function answer(text) {
  return read(text, "composed_answer_v1", ANSWER);
}

function read(text, version, readFields) {
  const fields = document(text, version);
  fields.delete("answer_version");
  return readFields(fields, "");
}

/** Refuses an id that occurs twice, at its second place. */
function checkUnique(ids, pathOf) {
  const index = ids.findIndex((id, at) => ids.indexOf(id) !== at);
  if (index >= 0) throw new Violation(pathOf(index), `${excerpt(ids[index])} occurs twice`);
}

function camelCase(name) {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

function kebabCase(word) {
  return word.toLowerCase().replaceAll("_", "-");
}

function kind(value) {
  if (value === null) return "null";
  if (value instanceof Map) return "an object";
  if (Array.isArray(value)) return "an array";
  if (value instanceof JsonNumber) return "a number";
  return typeof value === "string" ? "a string" : "a boolean";
}
