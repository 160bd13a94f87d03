/**
 * What the composer's agent is given: `composer_input_v1`. The order of the fields is part of it, so that the same
 * projection always gives the same bytes.
 */

/** The serialized input of one composer stage. */
export function prepare({ effectiveVerdict, claims, missingInformation, recommendations }) {
  return JSON.stringify({
    input_version: "composer_input_v1",
    answer_version: "composed_answer_v1",
    effective_verdict: effectiveVerdict.toUpperCase().replace("-", "_"),
    claims: claims.map(({ claimId, text }) => ({ claim_id: claimId, text })),
    missing_information: missingInformation,
    recommendations,
  });
}
