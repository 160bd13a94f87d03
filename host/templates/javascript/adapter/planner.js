/**
 * What the planner's agent is given: `planner_input_v1`. The order of the fields is part of it, so that the same
 * projection always gives the same bytes.
 */

import { queryOf, retryOf, toolOf, upperSnake } from "./parts.js";
import { write } from "./strict-json.js";

/** The serialized input of one planner stage. A NotJson says what cannot be written. */
export function prepare({ query, mode, tools, retry }) {
  return write({
    input_version: "planner_input_v1",
    answer_version: "diagnosis_plan_v1",
    query: queryOf(query),
    mode: upperSnake(mode),
    tools: tools.map(toolOf),
    retry: retryOf(retry),
  });
}
