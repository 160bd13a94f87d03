import assert from "node:assert/strict";
import test from "node:test";
import { prepare } from "./adapter.js";
import { NotJson } from "./parts.js";

const query = { question: 'why is "checkout" slow?', facts: [{ name: "service", value: "checkout" }] };

function tool(inputSchema) {
  return { name: "query_logs", description: "log lines", inputSchema };
}

function retry(text) {
  return {
    prior: { claims: [{ claimId: "c1", text: "it broke" }], evidence: [] },
    gaps: [{ claimId: "", fact: "since when", verification: "no-evidence", reason: "not asked" }],
    completedQueries: [{ toolName: "query_logs", sourceInvocationId: "inv-1", rawPath: "/0", arguments: text }],
    constraints: {
      maxRetry: 1,
      doNotRepeatSuccessfulQueries: true,
      onlyExecuteIncrementalQueries: true,
      preservePriorVerifiedClaims: true,
    },
  };
}

test("the input is the projection", () => {
  const schema = '{\n  "type": "object", "2": {}, "1": {}, "maxProperties": 73019482551300006013\n}';
  assert.equal(
    prepare({ query, mode: "initial", tools: [tool(schema)], retry: undefined }),
    '{"input_version":"planner_input_v1","answer_version":"diagnosis_plan_v1",' +
      '"query":{"question":"why is \\"checkout\\" slow?","facts":[{"name":"service","value":"checkout"}]},' +
      '"mode":"INITIAL","tools":[{"name":"query_logs","description":"log lines",' +
      '"input_schema":{"type":"object","2":{},"1":{},"maxProperties":73019482551300006013}}],"retry":null}',
  );
});

test("round 2 carries the retry context", () => {
  const text = prepare({ query, mode: "evidence-gap-only", tools: [], retry: retry('{"limit": 0.10}') });
  const expected =
    '"mode":"EVIDENCE_GAP_ONLY","tools":[],"retry":{"prior":{"claims":[{"claim_id":"c1","text":"it broke"}],' +
    '"evidence":[]},"gaps":[{"claim_id":"","fact":"since when","verification":"no_evidence",' +
    '"reason":"not asked"}],"completed_queries":[{"tool_name":"query_logs","source_invocation_id":"inv-1",' +
    '"raw_path":"/0","arguments":{"limit":0.10}}],"constraints":{"max_retry":1,' +
    '"do_not_repeat_successful_queries":true,"only_execute_incremental_queries":true,' +
    '"preserve_prior_verified_claims":true}}}';
  assert.equal(text.slice(-expected.length), expected);
});

test("what is no JSON is refused", () => {
  const refused = (words) => (error) => error instanceof NotJson && error.message.startsWith(words);
  const projection = { query, mode: "initial", tools: [], retry: undefined };
  assert.throws(() => prepare({ ...projection, tools: [tool("{")] }), refused("input schema of tool query_logs: "));
  assert.throws(() => prepare({ ...projection, retry: retry("service=cart") }), refused("arguments of inv-1: "));
});
