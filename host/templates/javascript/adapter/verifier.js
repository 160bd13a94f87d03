/**
 * What the verifier's agent is given: `verifier_input_v1`. The order of the fields is part of it, so that the same
 * projection always gives the same bytes.
 */

import { materialOf, queryOf, retryOf, upperSnake } from "./parts.js";
import { write } from "./strict-json.js";

/** The serialized input of one verifier stage. A NotJson says what cannot be written. */
export function prepare({ query, material, audit, retry }) {
  return write({
    input_version: "verifier_input_v1",
    answer_version: "verification_v1",
    query: queryOf(query),
    material: materialOf(material),
    audit: {
      ceiling: upperSnake(audit.ceiling),
      verified_binding_count: audit.verifiedBindingCount,
      failed_binding_count: audit.failedBindingCount,
    },
    retry: retryOf(retry),
  });
}
