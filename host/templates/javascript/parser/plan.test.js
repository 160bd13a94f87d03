import assert from "node:assert/strict";
import test from "node:test";
import { plan } from "./contract.js";

const STEP = { step_id: "s1", goal: "look" };

function text(...steps) {
  return JSON.stringify({ answer_version: "diagnosis_plan_v1", steps });
}

test("arguments keep their digits and their order", () => {
  const written = text({ ...STEP, tool_name: "query_logs", arguments: "@" });
  const answer = written.replace('"@"', '{"z": 73019482551300006013, "1": [0.10, 1e1]}');
  const [step] = plan(`Here it is:\n\`\`\`json\n${answer}\n\`\`\``).steps;
  assert.equal(step.arguments, '{"z":73019482551300006013,"1":[0.10,1e+1]}');
});

test("absent and null are the same", () => {
  const { steps } = plan(text(STEP, { ...STEP, step_id: "s2", tool_name: null, arguments: null }));
  for (const step of steps) assert.deepEqual([step.toolName, step.arguments], [undefined, undefined]);
});

test("a violation has its place", () => {
  const many = Array.from({ length: 13 }, (_, number) => ({ ...STEP, step_id: `s${number}` }));
  for (const [answer, path] of [
    [text(), "/steps"],
    [text(...many), "/steps"],
    [text(STEP, STEP), "/steps/1/step_id"],
    [text({ ...STEP, step_id: "s/1" }), "/steps/0/step_id"],
    [text({ ...STEP, goal: " " }), "/steps/0/goal"],
    [text({ ...STEP, why: "x" }), "/steps/0"],
    [text({ ...STEP, arguments: [] }), "/steps/0/arguments"],
    [text({ step_id: "s1" }), "/steps/0"],
  ]) {
    assert.throws(() => plan(answer), { path });
  }
});
