"""Strict JSON that keeps what Python's own reader loses: the digits of numbers, and the place of a fault.

Duplicate keys, NaN, raw control characters in strings and deep nesting are refused. A value is a dict, a list, a str, a
bool, None or a Number; what it means is not known here. Offsets count characters from the front of the text.
"""

import json
import re
from dataclasses import dataclass

DEPTH_MAX = 64

# The host's own JSON library gives keys that begin like this a meaning of their own.
_RESERVED = "$serde_json::private::"
# A path longer than this ends at an outer place.
_PATH_BYTES_MAX = 200
_EXCERPT_CHARS = 40

_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(r"[0-9]+")
_FOUR_HEX = re.compile(r"[0-9A-Fa-f]{4}")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class Number:
    """A number by its digits, so that 10.0 and a 20-digit integer stay what they are. An exponent is written `e+5`."""

    digits: str


class Fault(Exception):
    """Why a text holds no strict JSON value. What stands before `offset` is JSON as far as it goes."""

    def __init__(self, offset, reason):
        super().__init__(reason)
        self.offset = offset
        self.reason = reason
        # Filled on the way out, so the innermost place is first.
        self.trail = []

    def path(self):
        """JSON Pointer (RFC 6901) to the innermost place that was reached."""
        pointer = ""
        for segment in reversed(self.trail):
            longer = pointer + "/" + str(segment).replace("~", "~0").replace("/", "~1")
            if len(longer.encode()) > _PATH_BYTES_MAX:
                break
            pointer = longer
        return pointer


def read(text):
    """The value that is the whole text."""
    value, end = read_front(text, 0)
    end = _SPACE.match(text, end).end()
    if end < len(text):
        raise Fault(end, "trailing characters")
    return value


def read_front(text, start):
    """The value that begins at `start`, and where it ends."""
    reader = _Reader(text, start)
    return reader.value(0), reader.at


def write(value):
    """Compact JSON; keys keep their order."""
    if isinstance(value, Number):
        return value.digits
    if isinstance(value, dict):
        return "{" + ",".join(f"{write(key)}:{write(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def excerpt(text):
    """Enough of a text to recognise it, and too little to smuggle it out in a message."""
    return json.dumps(text[:_EXCERPT_CHARS], ensure_ascii=False) + ("…" if len(text) > _EXCERPT_CHARS else "")


class _Reader:
    def __init__(self, text, at):
        self.text = text
        self.at = at

    def value(self, depth):
        char = self.peek()
        if char == "{":
            return self.object(depth)
        if char == "[":
            return self.array(depth)
        if char == '"':
            return self.string()
        if char and char in "-0123456789":
            return self.number()
        for word, value in (("null", None), ("true", True), ("false", False)):
            if char == word[0]:
                return self.word(word, value)
        raise self.unexpected("expected value", "value")

    def object(self, depth):
        members = {}
        self.at += 1
        key = self.key(is_first=True)
        self.check_depth(depth, "}")
        while key is not None:
            try:
                members[key] = self.member(key, members, depth)
            except Fault as fault:
                fault.trail.append(key)
                raise
            key = self.key(is_first=False)
        return members

    def key(self, is_first):
        """The next key, or None behind the closing brace."""
        char = self.peek()
        if char == "}":
            self.at += 1
            return None
        if not is_first:
            if char != ",":
                raise self.unexpected("expected `,` or `}`", "object")
            self.at += 1
            char = self.peek()
            if char == "}":
                raise self.fault("trailing comma")
        if char != '"':
            raise self.unexpected("key must be a string", "object" if is_first else "value")
        return self.string()

    def member(self, key, members, depth):
        if key in members:
            raise self.refusal(f"duplicate key {excerpt(key)}", "}")
        if key.startswith(_RESERVED):
            raise self.refusal(f"reserved key {excerpt(key)}", "}")
        if self.peek() != ":":
            raise self.unexpected("expected `:`", "object")
        self.at += 1
        return self.value(depth + 1)

    def array(self, depth):
        items = []
        self.at += 1
        self.check_depth(depth, "]")
        try:
            while self.has_item(is_first=not items):
                items.append(self.value(depth + 1))
        except Fault as fault:
            fault.trail.append(len(items))
            raise
        return items

    def has_item(self, is_first):
        char = self.peek()
        if char == "]":
            self.at += 1
            return False
        if not is_first:
            if char != ",":
                raise self.unexpected("expected `,` or `]`", "list")
            self.at += 1
            char = self.peek()
            if char == "]":
                raise self.fault("trailing comma")
        if not char:
            raise self.unexpected("expected value", "list" if is_first else "value")
        return True

    def string(self):
        parts = []
        self.at += 1
        while True:
            plain = _PLAIN.match(self.text, self.at)
            parts.append(plain[0])
            self.at = plain.end()
            char = self.text[self.at : self.at + 1]
            if char == "\\":
                self.at += 1
                parts.append(self.escape())
            elif char == '"':
                self.at += 1
                return "".join(parts)
            else:
                raise self.unexpected("control character (\\u0000-\\u001F) found while parsing a string", "string")

    def escape(self):
        char = self.text[self.at : self.at + 1]
        if char in _ESCAPES:
            self.at += 1
            return _ESCAPES[char]
        if char != "u":
            raise self.unexpected("invalid escape", "string")
        self.at += 1
        unit = self.four_hex()
        if 0xDC00 <= unit <= 0xDFFF:
            raise self.fault("lone leading surrogate in hex escape", self.at - 1)
        if not 0xD800 <= unit <= 0xDBFF:
            return chr(unit)
        for expected in "\\u":
            if self.text[self.at : self.at + 1] != expected:
                raise self.unexpected("unexpected end of hex escape", "string")
            self.at += 1
        low = self.four_hex()
        if not 0xDC00 <= low <= 0xDFFF:
            raise self.fault("lone leading surrogate in hex escape", self.at - 1)
        return chr(0x10000 + (unit - 0xD800) * 0x400 + (low - 0xDC00))

    def four_hex(self):
        digits = self.text[self.at : self.at + 4]
        self.at += len(digits)
        if len(digits) < 4:
            raise self.unexpected("", "string")
        if not _FOUR_HEX.fullmatch(digits):
            raise self.fault("invalid escape", self.at - 1)
        return int(digits, 16)

    def number(self):
        start = self.at
        self.skip("-")
        if self.skip("0"):
            if _DIGITS.match(self.text, self.at):
                raise self.fault("invalid number")
        else:
            self.digits()
        if self.skip("."):
            self.digits()
        mantissa = self.text[start : self.at]
        if not (self.skip("e") or self.skip("E")):
            return Number(mantissa)
        sign = "-" if self.skip("-") else "+"
        if sign == "+":
            self.skip("+")
        return Number(f"{mantissa}e{sign}{self.digits()}")

    def digits(self):
        digits = _DIGITS.match(self.text, self.at)
        if not digits:
            raise self.unexpected("invalid number", "value")
        self.at = digits.end()
        return digits[0]

    def word(self, word, value):
        for char in word:
            if not self.skip(char):
                raise self.unexpected("expected ident", "value")
        return value

    def skip(self, char):
        found = self.text.startswith(char, self.at)
        self.at += found
        return found

    def peek(self):
        """The next character that is no white space, or an empty text."""
        self.at = _SPACE.match(self.text, self.at).end()
        return self.text[self.at : self.at + 1]

    def check_depth(self, depth, closing):
        if depth >= DEPTH_MAX:
            raise self.refusal(f"nested deeper than {DEPTH_MAX}", closing)

    def unexpected(self, reason, at_the_end):
        if self.at < len(self.text):
            return self.fault(reason)
        return Fault(len(self.text) - 1, f"EOF while parsing {'an' if at_the_end == 'object' else 'a'} {at_the_end}")

    def refusal(self, reason, closing):
        """A fault of what is JSON all the same: it shows behind what was read, white space and an end included."""
        char = self.peek()
        if char == closing:
            self.at += 1
        elif char == "," and closing == "]":
            self.at += 1
            self.peek()
        return self.fault(reason, self.at - 1)

    def fault(self, reason, offset=None):
        return Fault(self.at if offset is None else offset, reason)
