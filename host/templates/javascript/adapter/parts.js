/** The parts of an input that several adapters write. What WIT carries as JSON text becomes JSON, or a NotJson. */

import { Fault, read } from "./strict-json.js";

/** Why a projection cannot be written: a sentence for the log. */
export class NotJson extends Error {}

export function queryOf({ question, facts }) {
  return { question, facts: facts.map(({ name, value }) => ({ name, value })) };
}

export function toolOf({ name, description, inputSchema }) {
  return { name, description, input_schema: jsonValue(inputSchema, `input schema of tool ${name}`) };
}

export function materialOf({ claims, evidence }) {
  return {
    claims: claims.map(({ claimId, text }) => ({ claim_id: claimId, text })),
    evidence: evidence.map((item) => ({
      claim_id: item.claimId,
      source_invocation_id: item.sourceInvocationId,
      tool_name: item.toolName,
      raw_path: item.rawPath,
      matched_text: item.matchedText,
    })),
  };
}

/** What round 2 knows of round 1; null in round 1. */
export function retryOf(retry) {
  if (retry === undefined) return null;
  const { prior, gaps, completedQueries, constraints } = retry;
  return {
    prior: materialOf(prior),
    gaps: gaps.map(gapOf),
    completed_queries: completedQueries.map(completedOf),
    constraints: {
      max_retry: constraints.maxRetry,
      do_not_repeat_successful_queries: constraints.doNotRepeatSuccessfulQueries,
      only_execute_incremental_queries: constraints.onlyExecuteIncrementalQueries,
      preserve_prior_verified_claims: constraints.preservePriorVerifiedClaims,
    },
  };
}

export function jsonValue(text, what) {
  try {
    return read(text);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    throw new NotJson(`${what}: ${fault.reason} at character ${fault.offset}`);
  }
}

export function jsonObject(text, what) {
  const value = jsonValue(text, what);
  if (!(value instanceof Map)) throw new NotJson(`${what}: not an object`);
  return value;
}

/** A word of WIT as the documents spell it: `low-confid` is `LOW_CONFID`. */
export function upperSnake(word) {
  return word.toUpperCase().replaceAll("-", "_");
}

function gapOf({ claimId, fact, verification, reason }) {
  return { claim_id: claimId, fact, verification: verification.replaceAll("-", "_"), reason };
}

function completedOf({ toolName, sourceInvocationId, rawPath, arguments: text }) {
  return {
    tool_name: toolName,
    source_invocation_id: sourceInvocationId,
    raw_path: rawPath,
    arguments: jsonValue(text, `arguments of ${sourceInvocationId}`),
  };
}
