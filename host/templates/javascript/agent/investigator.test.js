import assert from "node:assert/strict";
import test from "node:test";
import { Blocked, NoResult, Refused, firstWords, respond } from "./agent.js";

/** Tools that answer every call in one way, and remember what was asked. */
function toolsWith(answer) {
  const asked = [];
  const available = () => [
    { name: "query_logs", description: "", inputSchema: '{"required":["service"]}' },
    { name: "list_changes", description: "", inputSchema: '{"type":"object"}' },
  ];
  const call = (name, text) => {
    asked.push([name, text]);
    if (answer instanceof Error) throw answer;
    return { invocationId: "inv-1", output: answer };
  };
  return { asked, available, call };
}

function inputOf(steps, retry = null) {
  const text = JSON.stringify({ input_version: "executor_input_v1", plan: { steps }, retry });
  return text.replace('"@"', "73019482551300006013");
}

const LOGS = { step_id: "s1", goal: "read", tool_name: "query_logs", arguments: { service: "cart", limit: "@" } };

test("what the plan names is asked and quoted", () => {
  const tools = toolsWith('{"rows":[{"count":3,"message":"pool exhausted"}]}');
  const evidence = JSON.parse(respond(inputOf([LOGS, { step_id: "s2", goal: "think" }]), tools));
  assert.deepEqual(tools.asked, [["query_logs", '{"service":"cart","limit":73019482551300006013}']]);
  const binding = {
    source_invocation_id: "inv-1",
    tool_name: "query_logs",
    raw_path: "/rows/0/message",
    matched_text: "pool exhausted",
  };
  const claim = { claim_id: "f1", text: "A tool answered: pool exhausted", evidence_bindings: [binding] };
  assert.deepEqual(evidence.claims, [claim]);
});

test("without a tool in the plan the first that needs nothing is asked", () => {
  const tools = toolsWith("\n  payment v4.2.0 rolled out\nmore");
  const [claim] = JSON.parse(respond(inputOf([]), tools)).claims;
  assert.deepEqual(tools.asked, [["list_changes", "{}"]]);
  const [binding] = claim.evidence_bindings;
  assert.deepEqual([binding.raw_path, binding.matched_text], ["", "payment v4.2.0 rolled out"]);
});

test("no result is a limitation and a blocked tool is said", () => {
  for (const answer of [new NoResult("down"), "", "[1, 2]", "---"]) {
    const evidence = JSON.parse(respond(inputOf([LOGS]), toolsWith(answer)));
    assert.deepEqual([evidence.claims, evidence.limitations.length], [[], 1]);
  }
  assert.throws(() => respond(inputOf([LOGS]), toolsWith(new Blocked("not allowed"))), Blocked);
});

test("round 2 states again what was verified", () => {
  const quote = { claim_id: "f1", source_invocation_id: "inv-0", tool_name: "t", raw_path: "", matched_text: "x" };
  const retry = { prior: { claims: [{ claim_id: "f1", text: "x" }], evidence: [quote] } };
  const { claims } = JSON.parse(respond(inputOf([LOGS], retry), toolsWith("y")));
  assert.deepEqual(claims.map((claim) => claim.claim_id), ["f1", "f2"]);
  assert.equal(claims[0].evidence_bindings[0].source_invocation_id, "inv-0");
});

test("a quote is cut between words", () => {
  assert.equal(firstWords("word ".repeat(100)).quote, "word ".repeat(60).trim());
  assert.equal(firstWords("9".repeat(301)).quote, "");
});

test("other inputs are refused", () => {
  for (const text of ["", "{}", '{"input_version":"executor_input_v1"}', '{"input_version":"planner_input_v1"}']) {
    assert.throws(() => respond(text, toolsWith("")), Refused, text);
  }
});
