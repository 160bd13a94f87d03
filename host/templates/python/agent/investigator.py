"""Answers the executor: it calls the tools that the plan names and quotes each output, with its invocation id.

It stands where a model with tools would stand: replace `claim_of` with what understands an output.
"""

import strict_json

CLAIMS_MAX = 40
SENTENCE_CHARS_MAX = 4_000
PATH_CHARS_MAX = 1_024
# A quote is a place to begin reading, not the whole line.
QUOTE_CHARS_MAX = 300
BINDINGS_MAX = 8


class Blocked(Exception):
    """Policy forbids the call. Asking again is of no use."""


class NoResult(Exception):
    """A tool was not called, or gave no result. The words say why."""


def respond(text, tools):
    """The text of the document. `tools` has `available()` and `call(name, arguments)`, as the import has them."""
    given = _read(text)
    try:
        claims = _prior_claims(given["retry"])
        queries = _queries(given["plan"]["steps"], tools.available())
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"the input is not executor_input_v1: {error!r}")
    limitations = [] if queries else ["No tool could be asked."]
    for name, arguments in queries:
        try:
            result = tools.call(name, arguments)
        except NoResult as failure:
            limitations.append(f"{name}: {failure}"[:SENTENCE_CHARS_MAX])
            continue
        claim = claim_of(name, result)
        if claim is None:
            limitations.append(f"{name} returned nothing that can be quoted.")
        else:
            claims.append({"claim_id": _unused({claim["claim_id"] for claim in claims}), **claim})
    return strict_json.write(
        {
            "answer_version": "executor_evidence_v2",
            "claims": claims[:CLAIMS_MAX],
            "hypotheses": [],
            "limitations": limitations,
        }
    )


def claim_of(name, result):
    """One claim that quotes the first words of an output, or None when there are none."""
    place, quote = first_words(result.output)
    if not quote or len(place) > PATH_CHARS_MAX:
        return None
    binding = {
        "source_invocation_id": result.invocation_id,
        "tool_name": name,
        "raw_path": place,
        "matched_text": quote,
    }
    return {"text": f"A tool answered: {quote}", "evidence_bindings": [binding]}


def first_words(output):
    """The first text of an output as JSON Pointer and quote. An output that is no JSON is one text."""
    try:
        pending = [("", strict_json.read(output))]
    except strict_json.Fault:
        pending = [("", output)]
    while pending:
        place, value = pending.pop()
        if isinstance(value, str) and (quote := _quote(value)):
            return place, quote
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        pending.extend(reversed([(f"{place}/{_segment(key)}", member) for key, member in members]))
    return "", ""


def _read(text):
    try:
        given = strict_json.read(text)
    except strict_json.Fault as fault:
        raise ValueError(f"the input is no JSON: {fault.reason} at character {fault.offset}")
    if not isinstance(given, dict) or given.get("input_version") != "executor_input_v1":
        raise ValueError("the input is none that this agent answers")
    return given


def _queries(steps, available):
    """What the plan names and may be called; without such, the first tool that needs no arguments."""
    names = [tool.name for tool in available]
    planned = [
        (step["tool_name"], strict_json.write(step.get("arguments", {})))
        for step in steps
        if step.get("tool_name") in names
    ]
    return planned or [(tool.name, "{}") for tool in available if not _needs_arguments(tool.input_schema)][:1]


def _needs_arguments(schema):
    try:
        schema = strict_json.read(schema)
    except strict_json.Fault:
        return True
    return not isinstance(schema, dict) or bool(schema.get("required"))


def _prior_claims(retry):
    """Round 2 answers with a complete snapshot: what was verified in round 1 is stated again."""
    if retry is None:
        return []
    bindings = {}
    for item in retry["prior"]["evidence"]:
        bindings.setdefault(item["claim_id"], []).append({key: item[key] for key in item if key != "claim_id"})
    return [
        {**claim, "evidence_bindings": bindings.get(claim["claim_id"], [])[:BINDINGS_MAX]}
        for claim in retry["prior"]["claims"]
    ]


def _quote(text):
    """The first line with a letter or digit, cut between words: half a number is another number."""
    lines = (line.strip() for line in text.splitlines())
    line = next((line for line in lines if any(char.isalnum() for char in line)), "")
    if len(line) <= QUOTE_CHARS_MAX:
        return line
    return line[:QUOTE_CHARS_MAX].rpartition(" ")[0]


def _segment(key):
    return str(key).replace("~", "~0").replace("/", "~1")


def _unused(ids):
    number = 1
    while f"f{number}" in ids:
        number += 1
    return f"f{number}"
