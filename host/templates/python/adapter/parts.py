"""The parts of an input that several adapters write. What WIT carries as JSON text becomes JSON, or a ValueError."""

import strict_json


def query(query):
    return {"question": query.question, "facts": [_fields(fact, "name", "value") for fact in query.facts]}


def tool(tool):
    schema = json_value(tool.input_schema, f"input schema of tool {tool.name}")
    return {**_fields(tool, "name", "description"), "input_schema": schema}


def material(material):
    evidence = ("claim_id", "source_invocation_id", "tool_name", "raw_path", "matched_text")
    return {
        "claims": [_fields(claim, "claim_id", "text") for claim in material.claims],
        "evidence": [_fields(item, *evidence) for item in material.evidence],
    }


def retry(retry):
    """What round 2 knows of round 1; None in round 1."""
    if retry is None:
        return None
    return {
        "prior": material(retry.prior),
        "gaps": [_gap(gap) for gap in retry.gaps],
        "completed_queries": [_completed(query) for query in retry.completed_queries],
        "constraints": _fields(
            retry.constraints,
            "max_retry",
            "do_not_repeat_successful_queries",
            "only_execute_incremental_queries",
            "preserve_prior_verified_claims",
        ),
    }


def json_value(text, what):
    try:
        return strict_json.read(text)
    except strict_json.Fault as fault:
        raise ValueError(f"{what}: {fault.reason} at character {fault.offset}")


def json_object(text, what):
    value = json_value(text, what)
    if not isinstance(value, dict):
        raise ValueError(f"{what}: not an object")
    return value


def _gap(gap):
    return {
        "claim_id": gap.claim_id,
        "fact": gap.fact,
        "verification": gap.verification.name.lower(),
        "reason": gap.reason,
    }


def _completed(query):
    arguments = json_value(query.arguments, f"arguments of {query.source_invocation_id}")
    return {**_fields(query, "tool_name", "source_invocation_id", "raw_path"), "arguments": arguments}


def _fields(record, *names):
    return {name: getattr(record, name) for name in names}
