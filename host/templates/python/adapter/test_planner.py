import unittest
from types import SimpleNamespace as Record

import adapter


def projection(schema="{}", **fields):
    tool = Record(name="query_logs", description="log lines", input_schema=schema)
    query = Record(question='why is "checkout" slow?', facts=[Record(name="service", value="checkout")])
    return Record(**{"query": query, "mode": Record(name="INITIAL"), "tools": [tool], "retry": None, **fields})


def retry(arguments):
    return Record(
        prior=Record(claims=[Record(claim_id="c1", text="it broke")], evidence=[]),
        gaps=[Record(claim_id="", fact="since when", verification=Record(name="NO_EVIDENCE"), reason="not asked")],
        completed_queries=[
            Record(tool_name="query_logs", source_invocation_id="inv-1", raw_path="/0", arguments=arguments)
        ],
        constraints=Record(
            max_retry=1,
            do_not_repeat_successful_queries=True,
            only_execute_incremental_queries=True,
            preserve_prior_verified_claims=True,
        ),
    )


class PrepareTest(unittest.TestCase):
    def test_the_input_is_the_projection(self):
        schema = '{\n  "type": "object", "maxProperties": 73019482551300006013\n}'
        self.assertEqual(
            adapter.prepare(projection(schema)),
            '{"input_version":"planner_input_v1","answer_version":"diagnosis_plan_v1",'
            '"query":{"question":"why is \\"checkout\\" slow?","facts":[{"name":"service","value":"checkout"}]},'
            '"mode":"INITIAL","tools":[{"name":"query_logs","description":"log lines",'
            '"input_schema":{"type":"object","maxProperties":73019482551300006013}}],"retry":null}',
        )

    def test_round_2_carries_the_retry_context(self):
        round_2 = projection(mode=Record(name="EVIDENCE_GAP_ONLY"), tools=[], retry=retry('{"limit": 0.10}'))
        self.assertTrue(
            adapter.prepare(round_2).endswith(
                '"mode":"EVIDENCE_GAP_ONLY","tools":[],'
                '"retry":{"prior":{"claims":[{"claim_id":"c1","text":"it broke"}],"evidence":[]},'
                '"gaps":[{"claim_id":"","fact":"since when","verification":"no_evidence",'
                '"reason":"not asked"}],"completed_queries":[{"tool_name":"query_logs","source_invocation_id":"inv-1",'
                '"raw_path":"/0","arguments":{"limit":0.10}}],"constraints":{"max_retry":1,'
                '"do_not_repeat_successful_queries":true,"only_execute_incremental_queries":true,'
                '"preserve_prior_verified_claims":true}}}'
            )
        )

    def test_what_is_no_json_is_refused(self):
        with self.assertRaisesRegex(ValueError, "^input schema of tool query_logs: "):
            adapter.prepare(projection("{"))
        with self.assertRaisesRegex(ValueError, "^arguments of inv-1: "):
            adapter.prepare(projection(retry=retry("service=cart")))


if __name__ == "__main__":
    unittest.main()
