import json
import unittest

import contract


def plan(*steps):
    return json.dumps({"answer_version": "diagnosis_plan_v1", "steps": list(steps)})


STEP = {"step_id": "s1", "goal": "look"}


class PlanTest(unittest.TestCase):
    def test_arguments_keep_their_digits(self):
        text = plan({**STEP, "tool_name": "query_logs", "arguments": "@"})
        text = text.replace('"@"', '{"z": 73019482551300006013, "a": [0.10, 1e1]}')
        step = contract.plan(f"Here it is:\n```json\n{text}\n```")["steps"][0]
        self.assertEqual(step["arguments"], '{"z":73019482551300006013,"a":[0.10,1e+1]}')

    def test_absent_and_null_are_the_same(self):
        steps = contract.plan(plan(STEP, {**STEP, "step_id": "s2", "tool_name": None, "arguments": None}))["steps"]
        self.assertEqual([(step["tool_name"], step["arguments"]) for step in steps], [(None, None)] * 2)

    def test_a_violation_has_its_place(self):
        for text, path in [
            (plan(), "/steps"),
            (plan(*[{**STEP, "step_id": f"s{n}"} for n in range(13)]), "/steps"),
            (plan(STEP, STEP), "/steps/1/step_id"),
            (plan({**STEP, "step_id": "s/1"}), "/steps/0/step_id"),
            (plan({**STEP, "goal": " "}), "/steps/0/goal"),
            (plan({**STEP, "why": "x"}), "/steps/0"),
            (plan({**STEP, "arguments": []}), "/steps/0/arguments"),
            (plan({"step_id": "s1"}), "/steps/0"),
        ]:
            with self.subTest(text), self.assertRaises(contract.Violation) as refused:
                contract.plan(text)
            self.assertEqual(refused.exception.path, path)


if __name__ == "__main__":
    unittest.main()
