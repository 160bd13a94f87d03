"""What the composer's agent is given: `composer_input_v1`. The order of the fields is part of it, so that the same
projection always gives the same bytes."""

import strict_json


def prepare(projection):
    """The serialized input of one composer stage."""
    return strict_json.write(
        {
            "input_version": "composer_input_v1",
            "answer_version": "composed_answer_v1",
            "effective_verdict": projection.effective_verdict.name,
            "claims": [{"claim_id": claim.claim_id, "text": claim.text} for claim in projection.claims],
            "missing_information": projection.missing_information,
            "recommendations": projection.recommendations,
        }
    )
