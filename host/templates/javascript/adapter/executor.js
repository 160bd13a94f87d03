/**
 * What the executor's agent is given: `executor_input_v1`. The order of the fields is part of it, so that the same
 * projection always gives the same bytes.
 */

import { jsonObject, queryOf, retryOf, toolOf } from "./parts.js";
import { write } from "./strict-json.js";

/** What an executor is told when it works to close gaps. The host merges nothing, so its answer has to be complete. */
export const RETRY_INSTRUCTION =
  "This is an evidence retry. Query incrementally: do not repeat a completed query, and ask only for what closes the " +
  "gaps. Then answer with one complete executor_evidence_v2 snapshot: every prior claim that still holds, with its " +
  "bindings, beside the new ones. Nothing is merged into your answer afterwards.";

/** The serialized input of one executor stage. A NotJson says what cannot be written. */
export function prepare({ query, plan, tools, retry }) {
  return write({
    input_version: "executor_input_v1",
    answer_version: "executor_evidence_v2",
    query: queryOf(query),
    plan: { steps: plan.steps.map(stepOf) },
    tools: tools.map(toolOf),
    retry: retryOf(retry),
    instruction: retry === undefined ? undefined : RETRY_INSTRUCTION,
  });
}

/** What the planner left out is left out here too. */
function stepOf({ stepId, goal, toolName, arguments: text }) {
  const known = text === undefined ? undefined : jsonObject(text, `arguments of step ${stepId}`);
  return { step_id: stepId, goal, tool_name: toolName, arguments: known };
}
