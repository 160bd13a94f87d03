import assert from "node:assert/strict";
import test from "node:test";
import { prepare } from "./adapter.js";

test("the input is the projection", () => {
  const projection = {
    effectiveVerdict: "low-confid",
    claims: [{ claimId: "c1", text: 'the "pool" é' }],
    missingInformation: ["since when"],
    recommendations: ["roll\nback"],
  };
  assert.equal(
    prepare(projection),
    '{"input_version":"composer_input_v1","answer_version":"composed_answer_v1",' +
      '"effective_verdict":"LOW_CONFID","claims":[{"claim_id":"c1","text":"the \\"pool\\" é"}],' +
      '"missing_information":["since when"],"recommendations":["roll\\nback"]}',
  );
});
