import json
import unittest

import contract

BINDING = {"tool_name": "query_logs", "raw_path": "$", "matched_text": "broke"}
CLAIM = {"claim_id": "c1", "text": "it broke", "evidence_bindings": [BINDING]}


def evidence(*claims, **fields):
    return json.dumps({"answer_version": "executor_evidence_v2", "claims": list(claims), **fields})


class EvidenceTest(unittest.TestCase):
    def test_what_may_be_absent(self):
        found = contract.evidence(evidence(CLAIM))
        self.assertEqual((found["hypotheses"], found["limitations"]), ([], []))
        self.assertIsNone(found["claims"][0]["evidence_bindings"][0]["source_invocation_id"])

    def test_nothing_found_is_legal(self):
        found = contract.evidence(evidence(no_evidence=True, limitations=["no traces"]))
        self.assertEqual(found, {"claims": [], "hypotheses": [], "limitations": ["no traces"]})

    def test_a_violation_has_its_place(self):
        for text, path in [
            (evidence(CLAIM, no_evidence=True), "/no_evidence"),
            (evidence(CLAIM, CLAIM), "/claims/1/claim_id"),
            (evidence({**CLAIM, "evidence_bindings": [BINDING] * 9}), "/claims/0/evidence_bindings"),
            (evidence({**CLAIM, "text": "é" * 4_001}), "/claims/0/text"),
            (evidence({**CLAIM, "evidence_bindings": [{"tool_name": ""}]}), "/claims/0/evidence_bindings/0/tool_name"),
            (evidence(hypotheses=[""]), "/hypotheses/0"),
            (evidence(confidence=1), ""),
        ]:
            with self.subTest(text[:200]), self.assertRaises(contract.Violation) as refused:
                contract.evidence(text)
            self.assertEqual(refused.exception.path, path)


if __name__ == "__main__":
    unittest.main()
