/**
 * Strict JSON that keeps what JSON.parse loses: the digits of numbers, the order of keys, and the place of a fault.
 *
 * Duplicate keys, NaN, raw control characters in strings and deep nesting are refused. A value is a Map, an array, a
 * string, a boolean, null or a JsonNumber; what it means is not known here. Offsets count UTF-16 units from the front.
 */

export const DEPTH_MAX = 64;

// The host's own JSON library gives keys that begin like this a meaning of their own.
const RESERVED = "$serde_json::private::";
// A path longer than this ends at an outer place.
const PATH_BYTES_MAX = 200;
const EXCERPT_CHARS = 40;

const PLAIN = /[^"\\\x00-\x1f]*/y;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** A number by its digits, so that 10.0 and a 20-digit integer stay what they are. An exponent is written `e+5`. */
export class JsonNumber {
  constructor(digits) {
    this.digits = digits;
  }
}

/** Why a text holds no strict JSON value. What stands before `offset` is JSON as far as it goes. */
export class Fault extends Error {
  constructor(offset, reason) {
    super(reason);
    this.offset = offset;
    this.reason = reason;
    // Filled on the way out, so the innermost place is first.
    this.trail = [];
  }

  /** JSON Pointer (RFC 6901) to the innermost place that was reached. */
  get path() {
    let pointer = "";
    for (const key of [...this.trail].reverse()) {
      const longer = `${pointer}/${segment(key)}`;
      if (bytes(longer) > PATH_BYTES_MAX) break;
      pointer = longer;
    }
    return pointer;
  }
}

/** The value that is the whole text. */
export function read(text) {
  const reader = new Reader(text, 0);
  const value = reader.value(0);
  if (reader.peek() !== "") throw reader.fault("trailing characters");
  return value;
}

/** The value that begins at `start`, and where it ends. */
export function readFront(text, start) {
  const reader = new Reader(text, start);
  return { value: reader.value(0), end: reader.at };
}

/** Compact JSON. An object may be a Map or a plain object; an undefined member is left out. */
export function write(value) {
  if (value instanceof JsonNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = [...(value instanceof Map ? value : Object.entries(value))];
  const written = members.filter(([, member]) => member !== undefined);
  return `{${written.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(",")}}`;
}

/** Whether two values are the same; the order of keys does not count. */
export function equal(one, other) {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => equal(item, other[index]));
  }
  if (one instanceof Map) {
    const isSame = ([key, member]) => other.has(key) && equal(member, other.get(key));
    return other instanceof Map && one.size === other.size && [...one].every(isSame);
  }
  if (one instanceof JsonNumber) return other instanceof JsonNumber && one.digits === other.digits;
  return one === other;
}

/** Enough of a text to recognise it, and too little to smuggle it out in a message. */
export function excerpt(text) {
  const chars = [...text.slice(0, 2 * EXCERPT_CHARS + 2)];
  return JSON.stringify(chars.slice(0, EXCERPT_CHARS).join("")) + (chars.length > EXCERPT_CHARS ? "…" : "");
}

/** A key as a segment of a JSON Pointer. */
export function segment(key) {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The length of a text in UTF-8. */
export function bytes(text) {
  return new TextEncoder().encode(text).length;
}

class Reader {
  constructor(text, at) {
    this.text = text;
    this.at = at;
  }

  value(depth) {
    const char = this.peek();
    if (char === "{") return this.object(depth);
    if (char === "[") return this.array(depth);
    if (char === '"') return this.string();
    if (char === "-" || isDigit(char)) return this.number();
    if (char === "n") return this.word("null", null);
    if (char === "t") return this.word("true", true);
    if (char === "f") return this.word("false", false);
    throw this.unexpected("expected value", "a value");
  }

  object(depth) {
    const members = new Map();
    this.at += 1;
    let key = this.key(true);
    this.checkDepth(depth, "}");
    while (key !== null) {
      try {
        members.set(key, this.member(key, members, depth));
      } catch (fault) {
        throw within(key, fault);
      }
      key = this.key(false);
    }
    return members;
  }

  /** The next key, or null behind the closing brace. */
  key(isFirst) {
    let char = this.peek();
    if (char === "}") {
      this.at += 1;
      return null;
    }
    if (!isFirst) {
      if (char !== ",") throw this.unexpected("expected `,` or `}`", "an object");
      this.at += 1;
      char = this.peek();
      if (char === "}") throw this.fault("trailing comma");
    }
    if (char !== '"') throw this.unexpected("key must be a string", isFirst ? "an object" : "a value");
    return this.string();
  }

  member(key, members, depth) {
    if (members.has(key)) throw this.refusal(`duplicate key ${excerpt(key)}`, "}");
    if (key.startsWith(RESERVED)) throw this.refusal(`reserved key ${excerpt(key)}`, "}");
    if (this.peek() !== ":") throw this.unexpected("expected `:`", "an object");
    this.at += 1;
    return this.value(depth + 1);
  }

  array(depth) {
    const items = [];
    this.at += 1;
    this.checkDepth(depth, "]");
    try {
      while (this.hasItem(items.length === 0)) items.push(this.value(depth + 1));
    } catch (fault) {
      throw within(items.length, fault);
    }
    return items;
  }

  hasItem(isFirst) {
    let char = this.peek();
    if (char === "]") {
      this.at += 1;
      return false;
    }
    if (!isFirst) {
      if (char !== ",") throw this.unexpected("expected `,` or `]`", "a list");
      this.at += 1;
      char = this.peek();
      if (char === "]") throw this.fault("trailing comma");
    }
    if (char === "") throw this.unexpected("expected value", isFirst ? "a list" : "a value");
    return true;
  }

  string() {
    let found = "";
    this.at += 1;
    for (;;) {
      found += this.plain();
      const char = this.text.charAt(this.at);
      if (char === "\\") {
        this.at += 1;
        found += this.escape();
      } else if (char === '"') {
        this.at += 1;
        return found;
      } else {
        throw this.unexpected("control character (\\u0000-\\u001F) found while parsing a string", "a string");
      }
    }
  }

  escape() {
    const char = this.text.charAt(this.at);
    if (Object.hasOwn(ESCAPES, char)) {
      this.at += 1;
      return ESCAPES[char];
    }
    if (char !== "u") throw this.unexpected("invalid escape", "a string");
    this.at += 1;
    const unit = this.fourHex();
    if (isLowSurrogate(unit)) throw this.fault("lone leading surrogate in hex escape", this.at - 1);
    if (!isHighSurrogate(unit)) return String.fromCharCode(unit);
    for (const expected of "\\u") {
      if (!this.skip(expected)) throw this.unexpected("unexpected end of hex escape", "a string");
    }
    const low = this.fourHex();
    if (!isLowSurrogate(low)) throw this.fault("lone leading surrogate in hex escape", this.at - 1);
    return String.fromCharCode(unit, low);
  }

  fourHex() {
    const digits = this.text.slice(this.at, this.at + 4);
    this.at += digits.length;
    if (digits.length < 4) throw this.unexpected("invalid escape", "a string");
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) throw this.fault("invalid escape", this.at - 1);
    return Number.parseInt(digits, 16);
  }

  number() {
    const start = this.at;
    this.skip("-");
    if (!this.skip("0")) this.digits();
    else if (isDigit(this.text.charAt(this.at))) throw this.fault("invalid number");
    if (this.skip(".")) this.digits();
    const mantissa = this.text.slice(start, this.at);
    if (!this.skip("e") && !this.skip("E")) return new JsonNumber(mantissa);
    const sign = this.skip("-") ? "-" : "+";
    if (sign === "+") this.skip("+");
    return new JsonNumber(`${mantissa}e${sign}${this.digits()}`);
  }

  digits() {
    const start = this.at;
    while (isDigit(this.text.charAt(this.at))) this.at += 1;
    if (this.at === start) throw this.unexpected("invalid number", "a value");
    return this.text.slice(start, this.at);
  }

  word(word, value) {
    for (const char of word) {
      if (!this.skip(char)) throw this.unexpected("expected ident", "a value");
    }
    return value;
  }

  skip(char) {
    const found = this.text.charAt(this.at) === char;
    if (found) this.at += 1;
    return found;
  }

  /** What of a string stands here as it is: without quote, escape and control character. */
  plain() {
    PLAIN.lastIndex = this.at;
    const [found] = PLAIN.exec(this.text);
    this.at += found.length;
    return found;
  }

  /** The next character that is no white space, or an empty text. */
  peek() {
    let char = this.text.charAt(this.at);
    while (char === " " || char === "\n" || char === "\r" || char === "\t") {
      this.at += 1;
      char = this.text.charAt(this.at);
    }
    return char;
  }

  checkDepth(depth, closing) {
    if (depth >= DEPTH_MAX) throw this.refusal(`nested deeper than ${DEPTH_MAX}`, closing);
  }

  unexpected(reason, what) {
    if (this.at < this.text.length) return this.fault(reason);
    return new Fault(this.text.length - 1, `EOF while parsing ${what}`);
  }

  /** A fault of what is JSON all the same: it shows behind what was read, white space and an end included. */
  refusal(reason, closing) {
    const char = this.peek();
    if (char === closing) {
      this.at += 1;
    } else if (char === "," && closing === "]") {
      this.at += 1;
      this.peek();
    }
    return this.fault(reason, this.at - 1);
  }

  fault(reason, offset = this.at) {
    return new Fault(offset, reason);
  }
}

/** The fault, which showed in the member `key`. */
function within(key, fault) {
  if (fault instanceof Fault) fault.trail.push(key);
  return fault;
}

function isDigit(char) {
  return char >= "0" && char <= "9";
}

function isHighSurrogate(unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
