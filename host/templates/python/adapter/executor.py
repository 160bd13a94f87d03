"""What the executor's agent is given: `executor_input_v1`. The order of the fields is part of it, so that the same
projection always gives the same bytes."""

import parts
import strict_json

# What an executor is told when it works to close gaps. The host merges nothing, so its answer has to be complete.
RETRY_INSTRUCTION = (
    "This is an evidence retry. Query incrementally: do not repeat a completed query, and ask only for what closes the "
    "gaps. Then answer with one complete executor_evidence_v2 snapshot: every prior claim that still holds, with its "
    "bindings, beside the new ones. Nothing is merged into your answer afterwards."
)


def prepare(projection):
    """The serialized input of one executor stage. A ValueError says what cannot be written."""
    fields = {
        "input_version": "executor_input_v1",
        "answer_version": "executor_evidence_v2",
        "query": parts.query(projection.query),
        "plan": {"steps": [_step(step) for step in projection.plan.steps]},
        "tools": [parts.tool(tool) for tool in projection.tools],
        "retry": parts.retry(projection.retry),
    }
    if projection.retry is not None:
        fields["instruction"] = RETRY_INSTRUCTION
    return strict_json.write(fields)


def _step(step):
    """What the planner left out is left out here too."""
    fields = {"step_id": step.step_id, "goal": step.goal}
    if step.tool_name is not None:
        fields["tool_name"] = step.tool_name
    if step.arguments is not None:
        fields["arguments"] = parts.json_object(step.arguments, f"arguments of step {step.step_id}")
    return fields
