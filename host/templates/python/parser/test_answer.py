import json
import unittest

import contract

ANSWER = {"answer_version": "composed_answer_v1", "headline": "h", "claim_order": ["c2", "c1"], "next_steps": ["n"]}


def answer(**fields):
    return json.dumps({**ANSWER, **fields})


class AnswerTest(unittest.TestCase):
    def test_an_answer_is_read_unchanged(self):
        self.assertEqual(
            contract.answer(f"<think>first draft: {answer(headline='x')}</think>\n{answer()}"),
            {"headline": "h", "claim_order": ["c2", "c1"], "next_steps": ["n"]},
        )

    def test_a_violation_has_its_place(self):
        for text, path in [
            (answer(headline=" \t\n"), "/headline"),
            (answer(headline="é" * 401), "/headline"),
            (answer(claim_order=["c1", "c1"]), "/claim_order/1"),
            (answer(claim_order=["c 1"]), "/claim_order/0"),
            (answer(next_steps=["x"] * 41), "/next_steps"),
            (answer(next_steps=[1]), "/next_steps/0"),
            (answer(mood="good"), ""),
        ]:
            with self.subTest(text[:200]), self.assertRaises(contract.Violation) as refused:
                contract.answer(text)
            self.assertEqual(refused.exception.path, path)


if __name__ == "__main__":
    unittest.main()
