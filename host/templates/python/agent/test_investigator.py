import json
import unittest
from types import SimpleNamespace as Record

import agent


class Tools:
    """Answers every call in one way, and remembers what was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def available(self):
        return [
            Record(name="query_logs", description="", input_schema='{"required":["service"]}'),
            Record(name="list_changes", description="", input_schema='{"type":"object"}'),
        ]

    def call(self, name, arguments):
        self.asked.append((name, arguments))
        if isinstance(self.answer, Exception):
            raise self.answer
        return Record(invocation_id="inv-1", output=self.answer)


def executor_input(*steps, retry=None):
    plan = json.dumps({"steps": list(steps)}).replace('"@"', "73019482551300006013")
    return f'{{"input_version":"executor_input_v1","plan":{plan},"retry":{json.dumps(retry)}}}'


LOGS = {"step_id": "s1", "goal": "read", "tool_name": "query_logs", "arguments": {"service": "cart", "limit": "@"}}


class InvestigatorTest(unittest.TestCase):
    def test_what_the_plan_names_is_asked_and_quoted(self):
        tools = Tools('{"rows":[{"count":3,"message":"pool exhausted"}]}')
        evidence = json.loads(agent.respond(executor_input(LOGS, {"step_id": "s2", "goal": "think"}), tools))
        self.assertEqual(tools.asked, [("query_logs", '{"service":"cart","limit":73019482551300006013}')])
        binding = {
            "source_invocation_id": "inv-1",
            "tool_name": "query_logs",
            "raw_path": "/rows/0/message",
            "matched_text": "pool exhausted",
        }
        claim = {"claim_id": "f1", "text": "A tool answered: pool exhausted", "evidence_bindings": [binding]}
        self.assertEqual(evidence["claims"], [claim])

    def test_without_a_tool_in_the_plan_the_first_that_needs_nothing_is_asked(self):
        tools = Tools("\n  payment v4.2.0 rolled out\nmore")
        evidence = json.loads(agent.respond(executor_input(), tools))
        self.assertEqual(tools.asked, [("list_changes", "{}")])
        binding = evidence["claims"][0]["evidence_bindings"][0]
        self.assertEqual((binding["raw_path"], binding["matched_text"]), ("", "payment v4.2.0 rolled out"))

    def test_no_result_is_a_limitation_and_a_blocked_tool_is_said(self):
        for answer in [agent.NoResult("down"), "", "[1, 2]", "---"]:
            evidence = json.loads(agent.respond(executor_input(LOGS), Tools(answer)))
            self.assertEqual((evidence["claims"], len(evidence["limitations"])), ([], 1))
        with self.assertRaisesRegex(agent.Blocked, "not allowed"):
            agent.respond(executor_input(LOGS), Tools(agent.Blocked("not allowed")))

    def test_round_2_states_again_what_was_verified(self):
        quote = {
            "claim_id": "f1", "source_invocation_id": "inv-0", "tool_name": "t", "raw_path": "", "matched_text": "x",
        }
        retry = {"prior": {"claims": [{"claim_id": "f1", "text": "x"}], "evidence": [quote]}}
        evidence = json.loads(agent.respond(executor_input(LOGS, retry=retry), Tools("y")))
        self.assertEqual([claim["claim_id"] for claim in evidence["claims"]], ["f1", "f2"])
        self.assertEqual(evidence["claims"][0]["evidence_bindings"][0]["source_invocation_id"], "inv-0")

    def test_a_quote_is_cut_between_words(self):
        self.assertEqual(agent.first_words("word " * 100)[1], ("word " * 60).strip())
        self.assertEqual(agent.first_words("9" * 301), ("", ""))

    def test_other_inputs_are_refused(self):
        for text in ["", "{}", '{"input_version":"executor_input_v1"}', '{"input_version":"planner_input_v1"}']:
            with self.subTest(text), self.assertRaises(ValueError):
                agent.respond(text, Tools(""))


if __name__ == "__main__":
    unittest.main()
