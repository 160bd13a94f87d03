import json
import unittest

import agent

QUERY = {"question": "Why is web slow?", "facts": []}


def respond(version, **fields):
    return json.loads(agent.respond(json.dumps({"input_version": version, **fields})))


class ThinkerTest(unittest.TestCase):
    def test_a_plan_asks_the_tools_that_need_no_arguments(self):
        tools = [
            {"name": "list_changes", "description": "", "input_schema": {"type": "object"}},
            {"name": "query_logs", "description": "", "input_schema": {"required": ["service"]}},
        ]
        plan = respond("planner_input_v1", query=QUERY, mode="INITIAL", tools=tools, retry=None)
        step = {"step_id": "s1", "goal": "See what list_changes says.", "tool_name": "list_changes", "arguments": {}}
        self.assertEqual(plan, {"answer_version": "diagnosis_plan_v1", "steps": [step]})

    def test_a_second_plan_closes_the_gaps(self):
        retry = {"gaps": [{"claim_id": "", "fact": "since when", "verification": "no_evidence", "reason": ""}]}
        plan = respond("planner_input_v1", query=QUERY, mode="EVIDENCE_GAP_ONLY", tools=[], retry=retry)
        self.assertEqual(plan["steps"], [{"step_id": "s1", "goal": "since when"}])

    def test_only_what_is_quoted_is_allowed(self):
        material = {
            "claims": [{"claim_id": "c1", "text": "it broke"}, {"claim_id": "c2", "text": "x" * 4_000}],
            "evidence": [{"claim_id": "c1"}],
        }
        for ceiling, verdict in [("PASS", "LOW_CONFID"), ("LOW_CONFID", "LOW_CONFID"), ("REJECT", "REJECT")]:
            report = respond("verifier_input_v1", material=material, audit={"ceiling": ceiling})
            self.assertEqual((report["verdict"], report["allowed_claims"]), (verdict, ["c1"]))
        self.assertEqual([len(fact["fact"]) for fact in report["facts"]], [12, 4_000])
        report = respond("verifier_input_v1", material={"claims": [], "evidence": []}, audit={"ceiling": "PASS"})
        self.assertEqual((report["verdict"], len(report["missing_information"])), ("LOW_CONFID", 1))

    def test_the_first_claim_that_fits_is_the_headline(self):
        claims = [{"claim_id": "a", "text": "x" * 401}, {"claim_id": "b", "text": "The pool is exhausted."}]
        answer = respond("composer_input_v1", claims=claims, recommendations=["roll back"])
        self.assertEqual(answer["headline"], "The pool is exhausted.")
        self.assertEqual((answer["claim_order"], answer["next_steps"]), (["a", "b"], ["roll back"]))
        answer = respond("composer_input_v1", claims=[], recommendations=[])
        self.assertEqual(answer["headline"], "The findings are listed below.")

    def test_what_is_no_input_of_a_thinker_is_refused(self):
        for text in ["", "{}", "[]", '{"input_version":[]}', '{"input_version":"composer_input_v1"}', "[" * 9_999]:
            with self.subTest(text[:20]), self.assertRaises(ValueError):
                agent.respond(text)


if __name__ == "__main__":
    unittest.main()
