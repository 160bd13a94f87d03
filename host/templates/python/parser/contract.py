"""The four documents that agents answer with, field by field: `diagnosis_plan_v1`, `executor_evidence_v2`,
`verification_v1` and `composed_answer_v1`.

Each reader takes a value and its place, a JSON Pointer, and gives what it read or raises a Violation. Unknown fields
are refused: an unknown field is a misunderstanding that nobody would notice. Lengths count Unicode code points.
"""

import re

import sanitize
import strict_json
from sanitize import Violation

ID_CHARS_MAX = 64
NAME_CHARS_MAX = 128
PATH_CHARS_MAX = 1_024
QUOTE_CHARS_MAX = 16_384
HEADLINE_CHARS_MAX = 400
SENTENCE_CHARS_MAX = 4_000
STEPS_MAX = 12
CLAIMS_MAX = 40
BINDINGS_MAX = 8
FACTS_MAX = 80
SENTENCES_MAX = 40

_ID = re.compile(r"[A-Za-z0-9_.-]+")


def text(chars_max):
    """Any text of at most so many characters."""

    def read(value, path):
        if not isinstance(value, str):
            raise Violation(path, f"must be a string, is {kind(value)}")
        if len(value) > chars_max:
            raise Violation(path, f"longer than {chars_max} characters")
        return value

    return read


def words(chars_max):
    """A text that is not just white space as JSON knows it."""
    bounded = text(chars_max)

    def read(value, path):
        if not bounded(value, path).strip(" \t\r\n"):
            raise Violation(path, "must not be blank")
        return value

    return read


def identifier(value, path):
    if not _ID.fullmatch(text(ID_CHARS_MAX)(value, path)):
        raise Violation(path, f"{strict_json.excerpt(value)} is no id: use [A-Za-z0-9_.-]")
    return value


def flag(value, path):
    if not isinstance(value, bool):
        raise Violation(path, f"must be true or false, is {kind(value)}")
    return value


def mapping(value, path):
    if not isinstance(value, dict):
        raise Violation(path, f"must be an object, is {kind(value)}")
    return value


def one_of(*allowed):
    def read(value, path):
        if not isinstance(value, str) or value not in allowed:
            raise Violation(path, f"must be one of {', '.join(allowed)}")
        return value

    return read


def items(read_item, count_max):
    def read(value, path):
        if not isinstance(value, list):
            raise Violation(path, f"must be an array, is {kind(value)}")
        if len(value) > count_max:
            raise Violation(path, f"more than {count_max} items")
        return [read_item(item, f"{path}/{index}") for index, item in enumerate(value)]

    return read


def claim_ids(value, path):
    ids = items(identifier, CLAIMS_MAX)(value, path)
    check_unique(ids, lambda index: f"{path}/{index}")
    return ids


class optional:
    """A field that may be absent; `null` counts as absent, because some model servers cannot leave a field out."""

    def __init__(self, read, absent=lambda: None):
        self.read = read
        self.absent = absent


def record(**fields):
    """An object with just these fields."""

    def read(value, path):
        left = dict(mapping(value, path))
        found = {}
        for name, reader in fields.items():
            if isinstance(reader, optional):
                member = left.pop(name, None)
                found[name] = reader.absent() if member is None else reader.read(member, f"{path}/{name}")
            elif name in left:
                found[name] = reader(left.pop(name), f"{path}/{name}")
            else:
                raise Violation(path, f"field {name} is missing")
        for name in left:
            raise Violation(path, f"unknown field {strict_json.excerpt(name)}")
        return found

    return read


def check_unique(ids, path_of):
    """Refuses an id that occurs twice, at its second place."""
    seen = set()
    for index, name in enumerate(ids):
        if name in seen:
            raise Violation(path_of(index), f"{strict_json.excerpt(name)} occurs twice")
        seen.add(name)


def kind(value):
    if value is None:
        return "null"
    names = {bool: "a boolean", strict_json.Number: "a number", str: "a string", list: "an array", dict: "an object"}
    return names[type(value)]


SENTENCE = words(SENTENCE_CHARS_MAX)
SENTENCES = items(SENTENCE, SENTENCES_MAX)
NAME = words(NAME_CHARS_MAX)

STEP = record(step_id=identifier, goal=SENTENCE, tool_name=optional(NAME), arguments=optional(mapping))
PLAN = record(steps=items(STEP, STEPS_MAX))

BINDING = record(
    source_invocation_id=optional(NAME),
    tool_name=NAME,
    raw_path=text(PATH_CHARS_MAX),
    matched_text=text(QUOTE_CHARS_MAX),
)
CLAIM = record(claim_id=identifier, text=SENTENCE, evidence_bindings=items(BINDING, BINDINGS_MAX))
EVIDENCE = record(
    claims=items(CLAIM, CLAIMS_MAX),
    hypotheses=optional(SENTENCES, list),
    limitations=optional(SENTENCES, list),
    no_evidence=optional(flag),
)

FACT = record(
    fact=SENTENCE,
    is_critical=flag,
    verification=one_of("supported", "indirect_support", "no_evidence", "contradicted"),
    reason=text(SENTENCE_CHARS_MAX),
)
VERIFICATION = record(
    verdict=one_of("PASS", "LOW_CONFID", "REJECT"),
    facts=items(FACT, FACTS_MAX),
    allowed_claims=claim_ids,
    missing_information=SENTENCES,
    recommendations=SENTENCES,
)

ANSWER = record(headline=words(HEADLINE_CHARS_MAX), claim_order=claim_ids, next_steps=SENTENCES)


def plan(text):
    """Reads a planner's text. The arguments of a step become JSON text again, digit for digit."""
    steps = _read(text, "diagnosis_plan_v1", PLAN)["steps"]
    if not steps:
        raise Violation("/steps", "a plan has at least one step")
    check_unique([step["step_id"] for step in steps], lambda index: f"/steps/{index}/step_id")
    for step in steps:
        if step["arguments"] is not None:
            step["arguments"] = strict_json.write(step["arguments"])
    return {"steps": steps}


def evidence(text):
    """Reads an executor's text. `no_evidence` carries no information of its own, and must not be true beside claims."""
    found = _read(text, "executor_evidence_v2", EVIDENCE)
    if found.pop("no_evidence") and found["claims"]:
        raise Violation("/no_evidence", "true, but there are claims")
    check_unique([claim["claim_id"] for claim in found["claims"]], lambda index: f"/claims/{index}/claim_id")
    return found


def verification(text):
    """Reads a verifier's text."""
    return _read(text, "verification_v1", VERIFICATION)


def answer(text):
    """Reads a composer's text."""
    return _read(text, "composed_answer_v1", ANSWER)


def _read(text, version, read):
    fields = sanitize.document(text, version)
    del fields["answer_version"]
    return read(fields, "")
