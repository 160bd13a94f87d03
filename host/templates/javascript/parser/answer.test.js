import assert from "node:assert/strict";
import test from "node:test";
import { answer } from "./contract.js";

const ANSWER = { answer_version: "composed_answer_v1", headline: "h", claim_order: ["c2", "c1"], next_steps: ["n"] };

function text(fields) {
  return JSON.stringify({ ...ANSWER, ...fields });
}

test("an answer is read unchanged", () => {
  const found = answer(`<think>first draft: ${text({ headline: "x" })}</think>\n${text()}`);
  assert.deepEqual(found, { headline: "h", claimOrder: ["c2", "c1"], nextSteps: ["n"] });
});

test("a violation has its place", () => {
  for (const [fields, path] of [
    [{ headline: " \t\n" }, "/headline"],
    [{ headline: "🦀".repeat(401) }, "/headline"],
    [{ claim_order: ["c1", "c1"] }, "/claim_order/1"],
    [{ claim_order: ["c 1"] }, "/claim_order/0"],
    [{ next_steps: Array(41).fill("x") }, "/next_steps"],
    [{ next_steps: [1] }, "/next_steps/0"],
    [{ mood: "good" }, ""],
  ]) {
    assert.throws(() => answer(text(fields)), { path });
  }
  assert.equal(answer(text({ headline: "🦀".repeat(400) })).headline.length, 800);
});
