import assert from "node:assert/strict";
import test from "node:test";
import { Refused, respond } from "./agent.js";

function answerTo(input_version, fields) {
  return JSON.parse(respond(JSON.stringify({ input_version, ...fields })));
}

test("a plan asks the tools that need no arguments", () => {
  const tools = [
    { name: "list_changes", description: "", input_schema: { type: "object" } },
    { name: "query_logs", description: "", input_schema: { required: ["service"] } },
  ];
  const step = { step_id: "s1", goal: "See what list_changes says.", tool_name: "list_changes", arguments: {} };
  const plan = answerTo("planner_input_v1", { mode: "INITIAL", tools, retry: null });
  assert.deepEqual(plan, { answer_version: "diagnosis_plan_v1", steps: [step] });
});

test("a second plan closes the gaps", () => {
  const retry = { gaps: [{ claim_id: "", fact: "since when", verification: "no_evidence", reason: "" }] };
  const plan = answerTo("planner_input_v1", { mode: "EVIDENCE_GAP_ONLY", tools: [], retry });
  assert.deepEqual(plan.steps, [{ step_id: "s1", goal: "since when" }]);
});

test("only what is quoted is allowed", () => {
  const claims = [
    { claim_id: "c1", text: "it broke" },
    { claim_id: "c2", text: "x".repeat(4_000) },
  ];
  const material = { claims, evidence: [{ claim_id: "c1" }] };
  for (const [ceiling, verdict] of [["PASS", "LOW_CONFID"], ["LOW_CONFID", "LOW_CONFID"], ["REJECT", "REJECT"]]) {
    const report = answerTo("verifier_input_v1", { material, audit: { ceiling } });
    assert.deepEqual([report.verdict, report.allowed_claims], [verdict, ["c1"]]);
    assert.deepEqual(report.facts.map(({ fact }) => fact.length), [12, 4_000]);
  }
  const report = answerTo("verifier_input_v1", { material: { claims: [], evidence: [] }, audit: { ceiling: "PASS" } });
  assert.deepEqual([report.verdict, report.missing_information.length], ["LOW_CONFID", 1]);
});

test("the first claim that fits is the headline", () => {
  const claims = [
    { claim_id: "a", text: "x".repeat(401) },
    { claim_id: "b", text: "The pool is exhausted." },
  ];
  const answer = answerTo("composer_input_v1", { claims, recommendations: ["roll back"] });
  assert.deepEqual([answer.headline, answer.claim_order], ["The pool is exhausted.", ["a", "b"]]);
  assert.deepEqual(answer.next_steps, ["roll back"]);
  const empty = answerTo("composer_input_v1", { claims: [], recommendations: [] });
  assert.equal(empty.headline, "The findings are listed below.");
});

test("what is no input of a thinker is refused", () => {
  for (const text of ["", "null", "{}", "[]", '{"input_version":[]}', '{"input_version":"composer_input_v1"}']) {
    assert.throws(() => respond(text), Refused, text);
  }
});
