import assert from "node:assert/strict";
import test from "node:test";
import { prepare } from "./adapter.js";

test("the input is the projection", () => {
  const place = { sourceInvocationId: "inv-1", toolName: "query_logs", rawPath: "" };
  const quote = { claimId: "c1", ...place, matchedText: "broke" };
  const projection = {
    query: { question: "why?", facts: [] },
    material: { claims: [{ claimId: "c1", text: "it broke" }], evidence: [quote] },
    audit: { ceiling: "low-confid", verifiedBindingCount: 1, failedBindingCount: 2 },
    retry: undefined,
  };
  assert.equal(
    prepare(projection),
    '{"input_version":"verifier_input_v1","answer_version":"verification_v1",' +
      '"query":{"question":"why?","facts":[]},"material":{"claims":[{"claim_id":"c1","text":"it broke"}],' +
      '"evidence":[{"claim_id":"c1","source_invocation_id":"inv-1","tool_name":"query_logs","raw_path":"",' +
      '"matched_text":"broke"}]},"audit":{"ceiling":"LOW_CONFID","verified_binding_count":1,' +
      '"failed_binding_count":2},"retry":null}',
  );
});
