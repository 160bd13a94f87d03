/**
 * Answers the executor: it calls the tools that the plan names and quotes each output, with its invocation id.
 *
 * It stands where a model with tools would stand: replace `claimOf` with what understands an output.
 */

import { Fault, read, segment, write } from "./strict-json.js";

const CLAIMS_MAX = 40;
const SENTENCE_CHARS_MAX = 4_000;
const PATH_CHARS_MAX = 1_024;
const BINDINGS_MAX = 8;
// A quote is a place to begin reading, not the whole line.
const QUOTE_CHARS_MAX = 300;

/** Policy forbids the call. Asking again is of no use. */
export class Blocked extends Error {}

/** A tool was not called, or gave no result. The words say why. */
export class NoResult extends Error {}

/** Why there is no answer: a sentence for the log. */
export class Refused extends Error {}

/** The text of the document. `tools` has `available()` and `call(name, text)`. */
export function respond(text, tools) {
  const { claims, queries } = begin(text, tools.available());
  const limitations = queries.length === 0 ? ["No tool could be asked."] : [];
  for (const [name, argumentsText] of queries) {
    try {
      const claim = claimOf(name, tools.call(name, argumentsText));
      if (claim) claims.push({ claim_id: unused(claims), ...claim });
      else limitations.push(`${name} returned nothing that can be quoted.`);
    } catch (error) {
      if (!(error instanceof NoResult)) throw error;
      limitations.push([...`${name}: ${error.message}`].slice(0, SENTENCE_CHARS_MAX).join(""));
    }
  }
  const answer_version = "executor_evidence_v2";
  return write({ answer_version, claims: claims.slice(0, CLAIMS_MAX), hypotheses: [], limitations });
}

/** One claim that quotes the first words of an output, or null when there are none. */
function claimOf(name, { invocationId, output }) {
  const { place, quote } = firstWords(output);
  if (quote === "" || place.length > PATH_CHARS_MAX) return null;
  const binding = { source_invocation_id: invocationId, tool_name: name, raw_path: place, matched_text: quote };
  return { text: `A tool answered: ${quote}`, evidence_bindings: [binding] };
}

/** The first text of an output as JSON Pointer and quote. An output that is no JSON is one text. */
export function firstWords(output) {
  const pending = [["", readStrict(output) ?? output]];
  while (pending.length > 0) {
    const [place, value] = pending.pop();
    const quote = typeof value === "string" ? quoteOf(value) : "";
    if (quote !== "") return { place, quote };
    const members = value instanceof Map || Array.isArray(value) ? [...value.entries()] : [];
    for (const [key, member] of members.reverse()) pending.push([`${place}/${segment(key)}`, member]);
  }
  return { place: "", quote: "" };
}

/** What round 1 left, and what is to be asked now. */
function begin(text, available) {
  const given = readStrict(text);
  if (!(given instanceof Map) || given.get("input_version") !== "executor_input_v1") {
    throw new Refused("the input is none that this agent answers");
  }
  try {
    const steps = given.get("plan").get("steps");
    return { claims: priorClaims(given.get("retry")), queries: queriesOf(steps, available) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Refused(`the input is not executor_input_v1: ${error.message}`);
  }
}

/** What the plan names and may be called; without such, the first tool that needs no arguments. */
function queriesOf(steps, available) {
  const names = available.map((tool) => tool.name);
  const planned = steps.filter((step) => names.includes(step.get("tool_name")));
  if (planned.length > 0) {
    return planned.map((step) => [step.get("tool_name"), write(step.get("arguments") ?? new Map())]);
  }
  const ready = available.filter((tool) => !needsArguments(readStrict(tool.inputSchema)));
  return ready.slice(0, 1).map((tool) => [tool.name, "{}"]);
}

function needsArguments(schema) {
  return !(schema instanceof Map) || (schema.get("required") ?? []).length > 0;
}

/** Round 2 answers with a complete snapshot: what was verified in round 1 is stated again. */
function priorClaims(retry) {
  if (retry === null) return [];
  const { claims, evidence } = Object.fromEntries(retry.get("prior"));
  return claims.map((claim) => {
    const quotes = evidence.filter((item) => item.get("claim_id") === claim.get("claim_id"));
    const bindings = quotes.slice(0, BINDINGS_MAX).map((item) => {
      const { claim_id: _, ...binding } = Object.fromEntries(item);
      return binding;
    });
    return { ...Object.fromEntries(claim), evidence_bindings: bindings };
  });
}

/** The strict JSON value of a text, or undefined. */
function readStrict(text) {
  try {
    return read(text);
  } catch (fault) {
    if (fault instanceof Fault) return undefined;
    throw fault;
  }
}

/** The first line that is more than marks, cut between words: half a number is another number. */
function quoteOf(text) {
  const lines = text.split("\n").map((line) => line.trim());
  // The engine of a component knows no Unicode classes such as \p{L}.
  const line = lines.find((candidate) => /[0-9A-Za-z\u00c0-\uffff]/.test(candidate)) ?? "";
  if (line.length <= QUOTE_CHARS_MAX) return line;
  return line.slice(0, Math.max(line.lastIndexOf(" ", QUOTE_CHARS_MAX), 0)).trim();
}

function unused(claims) {
  const ids = claims.map((claim) => claim.claim_id);
  let number = 1;
  while (ids.includes(`f${number}`)) number += 1;
  return `f${number}`;
}
