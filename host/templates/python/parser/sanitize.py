"""Finds the one document in an agent's text. Wrapping is removed, nothing is repaired.

- Values: at a `{` or `[` a strict JSON value is read, and nothing inside it is looked at. An object is the document
  when its `answer_version` is the wanted one. The same value found twice counts once; two that differ are ambiguous.
- Reasoning: a closing `</think>` (or `thinking`, `reasoning`, `thought`) drops all that came before it. An opening tag
  that is never closed is a violation.
- What is broken reaches to its closing bracket, and nothing within it is a candidate. If it names the wanted version it
  was meant as the document, and is a violation; else it is prose.
- A closing brace too many right behind the document is a violation.

What a document holds beside its `answer_version` is not known here. No character is read more than a few times.
"""

import re

import strict_json

TEXT_BYTES_MAX = 1024 * 1024

_TAG = "(?:think|thinking|reasoning|thought)>"
_CLOSING = re.compile("</" + _TAG, re.IGNORECASE | re.ASCII)
_CLOSING_CHARS_MAX = len("</reasoning>")
_MARK = re.compile(r"[{\[]|</?" + _TAG, re.IGNORECASE | re.ASCII)
# A bracket that begins as JSON does. A square bracket without is prose, as in a link or an interval.
_JSON_OPENING = re.compile(r'\{[ \t\n\f\r]*"|\[[ \t\n\f\r]*["{\[]')
_STRUCTURE = re.compile(r'[\n\\"{}\[\]]|</' + _TAG, re.IGNORECASE | re.ASCII)
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
# White space, fences and separators, and then a brace that closes nothing.
_BEYOND = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`~\\],]*(\\})?")


class Violation(Exception):
    """Why a text is no legal document: a JSON Pointer to the place, empty for the whole text, and the reason."""

    def __init__(self, path, message):
        super().__init__(message)
        self.path = path
        self.message = message


def document(text, version):
    """The object of `text` whose `answer_version` is `version`."""
    if len(text.encode()) > TEXT_BYTES_MAX:
        raise Violation("", f"longer than {TEXT_BYTES_MAX} bytes")
    search = _Search(text.removeprefix("\ufeff"), version)
    at = 0
    while mark := _MARK.search(search.text, at):
        at = search.step(mark)
    return search.conclude()


class _Search:
    def __init__(self, text, version):
        self.text = text
        self.version = version
        self.forget()

    def forget(self):
        """All that was met so far is reasoning, and counts for nothing."""
        self.document = None
        # Why the text is refused although it may hold a document. The first reason counts.
        self.refusal = None
        # What explains best why there is no document.
        self.explanation = None
        self.explanation_names_version = False

    def step(self, mark):
        """Takes in what stands at a mark, and says where to look on: always behind it."""
        if mark[0] in ("{", "["):
            return self.bracket(mark.start())
        if mark[0].startswith("</"):
            self.forget()
            return mark.end()
        closing = _CLOSING.search(self.text, mark.end())
        if closing:
            return closing.start()
        self.refuse(mark.start(), "", "the reasoning is not closed")
        return len(self.text)

    def bracket(self, start):
        try:
            value, end = strict_json.read_front(self.text, start)
        except strict_json.Fault as fault:
            return self.broken(start, fault)
        self.value(start, end, value)
        return end

    def broken(self, start, fault):
        """What was read up to the fault is JSON as far as it goes, so it is not read again."""
        begun = self.text[start : fault.offset + _CLOSING_CHARS_MAX]
        closings = [tag.end() for tag in _CLOSING.finditer(begun) if start + tag.start() < fault.offset]
        if closings:
            self.forget()
            return start + closings[-1]
        is_json = _JSON_OPENING.match(self.text, start)
        if not is_json and self.text[start] == "[":
            return max(fault.offset, start + 1)
        end = _extent(self.text, start, is_json)
        if self.names_version(start, end):
            self.refuse(fault.offset, fault.path(), fault.reason)
        else:
            self.explain(False, fault.offset, fault.path(), fault.reason)
        return end

    def value(self, start, end, value):
        names_version = self.names_version(start, end)
        if isinstance(value, list):
            if names_version:
                self.explain(True, start, "", "the document stands in an array")
        elif value.get("answer_version") == self.version:
            self.accept(start, end, value)
        elif "answer_version" not in value:
            self.explain(names_version, start, "", "an object without answer_version")
        else:
            reason = "answer_version must be a string"
            if isinstance(value["answer_version"], str):
                reason = f"another answer_version: {strict_json.excerpt(value['answer_version'])}"
            self.explain(names_version, start, "/answer_version", reason)

    def accept(self, start, end, value):
        if self.document is None:
            self.document = value
        elif self.document != value:
            self.refuse(start, "", "ambiguous: a second document that differs")
        beyond = _BEYOND.match(self.text, end)
        if beyond[1]:
            self.refuse(beyond.start(1), "", "a closing brace too many")

    def names_version(self, start, end):
        return self.text.find(self.version, start, end) >= 0

    def refuse(self, offset, path, reason):
        if self.refusal is None:
            self.refusal = (offset, path, reason)

    def explain(self, names_version, offset, path, reason):
        """What names the wanted version explains better than what does not; else the first counts."""
        if self.explanation is None or names_version and not self.explanation_names_version:
            self.explanation = (offset, path, f"no {self.version}: {reason}")
            self.explanation_names_version = names_version

    def conclude(self):
        if self.document is not None and self.refusal is None:
            return self.document
        nothing = (0, "", f"no {self.version}: there is no JSON object")
        offset, path, reason = self.refusal or self.explanation or nothing
        before = self.text[: max(offset, 0)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise Violation(path, f"{reason} (line {line}, column {column})")


def _extent(text, start, is_json):
    """Where something broken ends: at its closing bracket, at the end of the reasoning that it is part of, or with the
    text. A brace that no key follows reaches no further than the next fence, and its quotes may be apostrophes."""
    depth, in_string, escaped = 0, False, -1
    for token in _STRUCTURE.finditer(text, start):
        at, char = token.start(), token[0]
        if len(char) > 1:
            return at
        if char == "\n" and not is_json:
            if _FENCE.match(text, at + 1):
                return at
            in_string = False
            # A backslash before the line break reaches over it.
            escaped += at == escaped
        elif at == escaped:
            continue
        elif char == "\\":
            if in_string:
                escaped = at + 1
        elif char == '"':
            in_string = not in_string
        elif char in "{[" and not in_string:
            depth += 1
        elif char in "}]" and not in_string:
            depth -= 1
            if depth <= 0:
                return at + 1
    return len(text)
