import unittest
from types import SimpleNamespace as Record

import adapter


class PrepareTest(unittest.TestCase):
    def test_the_input_is_the_projection(self):
        quote = Record(
            claim_id="c1", source_invocation_id="inv-1", tool_name="query_logs", raw_path="", matched_text="broke"
        )
        projection = Record(
            query=Record(question="why?", facts=[]),
            material=Record(claims=[Record(claim_id="c1", text="it broke")], evidence=[quote]),
            audit=Record(ceiling=Record(name="LOW_CONFID"), verified_binding_count=1, failed_binding_count=2),
            retry=None,
        )
        self.assertEqual(
            adapter.prepare(projection),
            '{"input_version":"verifier_input_v1","answer_version":"verification_v1",'
            '"query":{"question":"why?","facts":[]},"material":{"claims":[{"claim_id":"c1","text":"it broke"}],'
            '"evidence":[{"claim_id":"c1","source_invocation_id":"inv-1","tool_name":"query_logs","raw_path":"",'
            '"matched_text":"broke"}]},"audit":{"ceiling":"LOW_CONFID","verified_binding_count":1,'
            '"failed_binding_count":2},"retry":null}',
        )


if __name__ == "__main__":
    unittest.main()
