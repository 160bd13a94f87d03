import unittest
from types import SimpleNamespace as Record

import adapter


class PrepareTest(unittest.TestCase):
    def test_the_input_is_the_projection(self):
        projection = Record(
            effective_verdict=Record(name="LOW_CONFID"),
            claims=[Record(claim_id="c1", text='the "pool" é')],
            missing_information=["since when"],
            recommendations=["roll\nback"],
        )
        self.assertEqual(
            adapter.prepare(projection),
            '{"input_version":"composer_input_v1","answer_version":"composed_answer_v1",'
            '"effective_verdict":"LOW_CONFID","claims":[{"claim_id":"c1","text":"the \\"pool\\" é"}],'
            '"missing_information":["since when"],"recommendations":["roll\\nback"]}',
        )


if __name__ == "__main__":
    unittest.main()
