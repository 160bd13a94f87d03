import unittest

import sanitize

D = '{"answer_version":"v1","n":1}'
OTHER = '{"answer_version":"v1","n":2}'
DEEP = "[" * 65


class SanitizeTest(unittest.TestCase):
    def test_wrapping_is_removed(self):
        for text in [
            D,
            f"\ufeff {D}\n",
            f"before {D} after",
            f"```json\r\n{D}\r\n```",
            f"<answer>{D}</answer>",
            "[link](x) [0, 5) {x} " + D,
            f"it's {{a \"b\"}} {D} and {D}",
            f"{{a,\n```json\n{D}\n```",
            f"<think>{OTHER}</think>{D}",
            f'{OTHER}{{"n": 1 </THINKING> {D}',
            f"{D} … and }} done",
        ]:
            with self.subTest(text):
                self.assertEqual(list(sanitize.document(text, "v1")), ["answer_version", "n"])

    def test_more_than_wrapping_is_refused(self):
        for text, message in [
            ("", "no v1: there is no JSON object (line 1, column 1)"),
            (f"{D}\n{OTHER}", "ambiguous: a second document that differs (line 2, column 1)"),
            (f"{D}}}", "a closing brace too many (line 1, column 30)"),
            (f"[{D}]", "no v1: the document stands in an array (line 1, column 1)"),
            (f"{D}<think>", "the reasoning is not closed (line 1, column 30)"),
            (f'{{"n": [{D}, ], "answer_version":"v1"}}', "trailing comma (line 1, column 39)"),
            (f'{{"n": NaN, "draft": {D}}}', "expected value (line 1, column 7)"),
            ('{"answer_version":"v1","n":1,"n":1}', 'duplicate key "n" (line 1, column 32)'),
            ('{"answer_version":"v2"}', 'no v1: another answer_version: "v2" (line 1, column 1)'),
            (f"{DEEP}v1", "nested deeper than 64 (line 1, column 65)"),
        ]:
            with self.subTest(text), self.assertRaises(sanitize.Violation) as refused:
                sanitize.document(text, "v1")
            self.assertEqual(refused.exception.message, message)

    def test_a_text_is_bounded(self):
        with self.assertRaisesRegex(sanitize.Violation, "longer than 1048576 bytes"):
            sanitize.document("é" * 524_288 + "x", "v1")


if __name__ == "__main__":
    unittest.main()
