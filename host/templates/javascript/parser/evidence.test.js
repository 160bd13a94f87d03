import assert from "node:assert/strict";
import test from "node:test";
import { evidence } from "./contract.js";

const BINDING = { tool_name: "query_logs", raw_path: "$", matched_text: "broke" };
const CLAIM = { claim_id: "c1", text: "it broke", evidence_bindings: [BINDING] };

function text(claims, fields) {
  return JSON.stringify({ answer_version: "executor_evidence_v2", claims, ...fields });
}

test("what may be absent", () => {
  const { claims, hypotheses, limitations } = evidence(text([CLAIM]));
  assert.deepEqual([hypotheses, limitations], [[], []]);
  assert.equal(claims[0].bindings[0].sourceInvocationId, undefined);
});

test("nothing found is legal", () => {
  const found = evidence(text([], { no_evidence: true, limitations: ["no traces"] }));
  assert.deepEqual(found, { claims: [], hypotheses: [], limitations: ["no traces"] });
});

test("a violation has its place", () => {
  const bound = (...bindings) => text([{ ...CLAIM, evidence_bindings: bindings }]);
  for (const [answer, path] of [
    [text([CLAIM], { no_evidence: true }), "/no_evidence"],
    [text([CLAIM, CLAIM]), "/claims/1/claim_id"],
    [bound(...Array(9).fill(BINDING)), "/claims/0/evidence_bindings"],
    [bound({ ...BINDING, raw_path: 0 }), "/claims/0/evidence_bindings/0/raw_path"],
    [text([{ ...CLAIM, text: "é".repeat(4_001) }]), "/claims/0/text"],
    [text([], { hypotheses: [""] }), "/hypotheses/0"],
    [text([], { confidence: 1 }), ""],
  ]) {
    assert.throws(() => evidence(answer), { path });
  }
});
