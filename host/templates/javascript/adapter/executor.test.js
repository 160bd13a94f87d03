import assert from "node:assert/strict";
import test from "node:test";
import { RETRY_INSTRUCTION, prepare } from "./adapter.js";
import { NotJson } from "./parts.js";

function projection(text, retry) {
  const step = { stepId: "s1", goal: "look", toolName: text && "query_logs", arguments: text };
  const tool = { name: "query_logs", description: "", inputSchema: "{}" };
  return { query: { question: "why?", facts: [] }, plan: { steps: [step] }, tools: [tool], retry };
}

test("the input is the projection", () => {
  assert.equal(
    prepare(projection('{"limit": 1e3}')),
    '{"input_version":"executor_input_v1","answer_version":"executor_evidence_v2",' +
      '"query":{"question":"why?","facts":[]},"plan":{"steps":[{"step_id":"s1","goal":"look",' +
      '"tool_name":"query_logs","arguments":{"limit":1e+3}}]},' +
      '"tools":[{"name":"query_logs","description":"","input_schema":{}}],"retry":null}',
  );
});

test("round 2 is told to answer with a complete snapshot", () => {
  const retry = { prior: { claims: [], evidence: [] }, gaps: [], completedQueries: [], constraints: {} };
  const text = prepare(projection(undefined, retry));
  assert.match(text, /"plan":\{"steps":\[\{"step_id":"s1","goal":"look"\}\]\}/);
  assert.ok(text.endsWith(`,"instruction":"${RETRY_INSTRUCTION}"}`));
});

test("arguments have to be an object", () => {
  const refused = (error) => error instanceof NotJson && error.message.startsWith("arguments of step s1: ");
  for (const text of ["[]", " ", "{} {}"]) assert.throws(() => prepare(projection(text)), refused);
});
