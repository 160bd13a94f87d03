"""What the verifier's agent is given: `verifier_input_v1`. The order of the fields is part of it, so that the same
projection always gives the same bytes."""

import parts
import strict_json


def prepare(projection):
    """The serialized input of one verifier stage. A ValueError says what cannot be written."""
    audit = projection.audit
    return strict_json.write(
        {
            "input_version": "verifier_input_v1",
            "answer_version": "verification_v1",
            "query": parts.query(projection.query),
            "material": parts.material(projection.material),
            "audit": {
                "ceiling": audit.ceiling.name,
                "verified_binding_count": audit.verified_binding_count,
                "failed_binding_count": audit.failed_binding_count,
            },
            "retry": parts.retry(projection.retry),
        }
    )
