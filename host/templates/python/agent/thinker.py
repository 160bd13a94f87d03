"""Answers planner, verifier and composer with the smallest legal document. The input says which of them asks.

It stands where a model would stand: replace `plan`, `verify` and `compose` one by one.
"""

import json

STEPS_MAX = 12
SENTENCE_CHARS_MAX = 4_000
HEADLINE_CHARS_MAX = 400


def respond(text):
    """The text of the document that the input's `answer_version` names. A ValueError is a sentence for the log."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the input is no JSON: {error}")
    version = given.get("input_version") if isinstance(given, dict) else None
    answer = _ANSWERS.get(version) if isinstance(version, str) else None
    if answer is None:
        raise ValueError("the input is none that this agent answers")
    try:
        return json.dumps(answer(given), ensure_ascii=False)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"the input is not {version}: {error!r}")


def plan(given):
    """Round 1: ask each tool that needs no arguments. Round 2: one step for each gap."""
    if given["retry"] is not None:
        steps = [{"goal": gap["fact"]} for gap in given["retry"]["gaps"]]
    else:
        tools = [tool["name"] for tool in given["tools"] if not _needs_arguments(tool["input_schema"])]
        steps = [{"goal": f"See what {name} says.", "tool_name": name, "arguments": {}} for name in tools]
    steps = steps[:STEPS_MAX] or [{"goal": "Find what explains the question."}]
    numbered = [{"step_id": f"s{number}", **step} for number, step in enumerate(steps, 1)]
    return {"answer_version": "diagnosis_plan_v1", "steps": numbered}


def verify(given):
    """A claim is supported when evidence quotes for it. The verdict is never better than the ceiling."""
    quoted = {item["claim_id"] for item in given["material"]["evidence"]}
    claims = given["material"]["claims"]
    allowed = [claim["claim_id"] for claim in claims if claim["claim_id"] in quoted]
    ceiling = given["audit"]["ceiling"]
    is_sure = bool(claims) and len(allowed) == len(claims)
    return {
        "answer_version": "verification_v1",
        "verdict": "LOW_CONFID" if ceiling == "PASS" and not is_sure else ceiling,
        "facts": [_fact(claim, claim["claim_id"] in quoted) for claim in claims],
        "allowed_claims": allowed,
        "missing_information": [] if claims else ["No finding was verified."],
        "recommendations": [],
    }


def compose(given):
    """The headline is the first claim that fits, word for word."""
    claims = given["claims"]
    fitting = [claim["text"] for claim in claims if len(claim["text"]) <= HEADLINE_CHARS_MAX]
    return {
        "answer_version": "composed_answer_v1",
        "headline": fitting[0] if fitting else "The findings are listed below.",
        "claim_order": [claim["claim_id"] for claim in claims],
        "next_steps": given["recommendations"],
    }


def _needs_arguments(schema):
    return not isinstance(schema, dict) or bool(schema.get("required"))


def _fact(claim, is_quoted):
    return {
        "fact": f"{claim['claim_id']}: {claim['text']}"[:SENTENCE_CHARS_MAX],
        "is_critical": True,
        "verification": "supported" if is_quoted else "no_evidence",
        "reason": "a tool's output is quoted for it" if is_quoted else "nothing is quoted for it",
    }


_ANSWERS = {"planner_input_v1": plan, "verifier_input_v1": verify, "composer_input_v1": compose}
