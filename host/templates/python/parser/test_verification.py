import json
import unittest

import contract

FACT = {"fact": "c1: it broke", "is_critical": True, "verification": "supported", "reason": ""}
REPORT = {
    "answer_version": "verification_v1",
    "verdict": "LOW_CONFID",
    "facts": [FACT],
    "allowed_claims": ["c1"],
    "missing_information": ["traces"],
    "recommendations": ["roll back"],
}


def report(**fields):
    return json.dumps({**REPORT, **fields})


class VerificationTest(unittest.TestCase):
    def test_a_report_is_read_unchanged(self):
        self.assertEqual(contract.verification(report()), {k: v for k, v in REPORT.items() if k != "answer_version"})

    def test_a_violation_has_its_place(self):
        for text, path in [
            (report(verdict="pass"), "/verdict"),
            (report(facts=[{**FACT, "verification": "maybe"}]), "/facts/0/verification"),
            (report(facts=[{**FACT, "is_critical": 1}]), "/facts/0/is_critical"),
            (report(allowed_claims=["c1", "c1"]), "/allowed_claims/1"),
            (report(recommendations=None), "/recommendations"),
            (report(facts=[FACT] * 81), "/facts"),
        ]:
            with self.subTest(text[:200]), self.assertRaises(contract.Violation) as refused:
                contract.verification(text)
            self.assertEqual(refused.exception.path, path)


if __name__ == "__main__":
    unittest.main()
