import unittest
from types import SimpleNamespace as Record

import adapter


def projection(arguments, retry=None):
    tool_name = None if arguments is None else "query_logs"
    step = Record(step_id="s1", goal="look", tool_name=tool_name, arguments=arguments)
    tool = Record(name="query_logs", description="", input_schema="{}")
    return Record(query=Record(question="why?", facts=[]), plan=Record(steps=[step]), tools=[tool], retry=retry)


class PrepareTest(unittest.TestCase):
    def test_the_input_is_the_projection(self):
        self.assertEqual(
            adapter.prepare(projection('{"limit": 1e3}')),
            '{"input_version":"executor_input_v1","answer_version":"executor_evidence_v2",'
            '"query":{"question":"why?","facts":[]},"plan":{"steps":[{"step_id":"s1","goal":"look",'
            '"tool_name":"query_logs","arguments":{"limit":1e+3}}]},'
            '"tools":[{"name":"query_logs","description":"","input_schema":{}}],"retry":null}',
        )

    def test_round_2_is_told_to_answer_with_a_complete_snapshot(self):
        constraints = Record(
            max_retry=1,
            do_not_repeat_successful_queries=True,
            only_execute_incremental_queries=True,
            preserve_prior_verified_claims=True,
        )
        retry = Record(prior=Record(claims=[], evidence=[]), gaps=[], completed_queries=[], constraints=constraints)
        text = adapter.prepare(projection(None, retry))
        self.assertIn('"plan":{"steps":[{"step_id":"s1","goal":"look"}]}', text)
        self.assertTrue(text.endswith(f'"instruction":"{adapter.RETRY_INSTRUCTION}"}}'))

    def test_arguments_have_to_be_an_object(self):
        for arguments in ("[]", "", "{} {}"):
            with self.subTest(arguments), self.assertRaisesRegex(ValueError, "^arguments of step s1: "):
                adapter.prepare(projection(arguments))


if __name__ == "__main__":
    unittest.main()
