"""What the planner's agent is given: `planner_input_v1`. The order of the fields is part of it, so that the same
projection always gives the same bytes."""

import parts
import strict_json


def prepare(projection):
    """The serialized input of one planner stage. A ValueError says what cannot be written."""
    return strict_json.write(
        {
            "input_version": "planner_input_v1",
            "answer_version": "diagnosis_plan_v1",
            "query": parts.query(projection.query),
            "mode": projection.mode.name,
            "tools": [parts.tool(tool) for tool in projection.tools],
            "retry": parts.retry(projection.retry),
        }
    )
