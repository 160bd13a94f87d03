import assert from "node:assert/strict";
import test from "node:test";
import { verification } from "./contract.js";

const FACT = { fact: "c1: it broke", is_critical: true, verification: "no_evidence", reason: "" };
const REPORT = {
  answer_version: "verification_v1",
  verdict: "LOW_CONFID",
  facts: [FACT],
  allowed_claims: ["c1"],
  missing_information: ["traces"],
  recommendations: ["roll back"],
};

function text(fields) {
  return JSON.stringify({ ...REPORT, ...fields });
}

test("a report is read, and its words become those of WIT", () => {
  assert.deepEqual(verification(text()), {
    verdict: "low-confid",
    facts: [{ fact: "c1: it broke", isCritical: true, verification: "no-evidence", reason: "" }],
    allowedClaims: ["c1"],
    missingInformation: ["traces"],
    recommendations: ["roll back"],
  });
});

test("a violation has its place", () => {
  for (const [fields, path] of [
    [{ verdict: "pass" }, "/verdict"],
    [{ facts: [{ ...FACT, verification: "maybe" }] }, "/facts/0/verification"],
    [{ facts: [{ ...FACT, is_critical: 1 }] }, "/facts/0/is_critical"],
    [{ allowed_claims: ["c1", "c1"] }, "/allowed_claims/1"],
    [{ recommendations: null }, "/recommendations"],
    [{ facts: Array(81).fill(FACT) }, "/facts"],
  ]) {
    assert.throws(() => verification(text(fields)), { path });
  }
});
