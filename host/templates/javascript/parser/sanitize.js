/**
 * Finds the one document in an agent's text. Wrapping is removed, nothing is repaired.
 *
 * - Values: at a `{` or `[` a strict JSON value is read, and nothing inside it is looked at. An object is the document
 *   when its `answer_version` is the wanted one. The same value found twice counts once; two that differ are ambiguous.
 * - Reasoning: a closing `</think>` (or `thinking`, `reasoning`, `thought`) drops all that came before it. An opening
 *   tag that is never closed is a violation.
 * - What is broken reaches to its closing bracket, and nothing within it is a candidate. If it names the wanted version
 *   it was meant as the document, and is a violation; else it is prose.
 * - A closing brace too many right behind the document is a violation.
 *
 * What a document holds beside its `answer_version` is not known here. No character is read more than a few times.
 */

import { Fault, bytes, equal, excerpt, readFront } from "./strict-json.js";

export const TEXT_BYTES_MAX = 1024 * 1024;

const TAG = "(?:think|thinking|reasoning|thought)>";
const CLOSING_CHARS_MAX = "</reasoning>".length;
// A bracket that begins as JSON does. A square bracket without is prose, as in a link or an interval.
const JSON_OPENING = /\{[ \t\n\f\r]*"|\[[ \t\n\f\r]*["{[]/y;
const FENCE = /[ \t]*(?:```|~~~)/y;
// White space, fences and separators; what Unicode calls White_Space, so without U+FEFF, which `\s` has.
const BEYOND = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`~\],]*/y;

/** Why a text is no legal document: a JSON Pointer to the place, empty for the whole text, and the reason. */
export class Violation extends Error {
  constructor(path, message) {
    super(message);
    this.path = path;
  }
}

/** The object of `text` whose `answer_version` is `version`, as a Map. */
export function document(text, version) {
  if (bytes(text) > TEXT_BYTES_MAX) throw new Violation("", `longer than ${TEXT_BYTES_MAX} bytes`);
  const search = new Search(text.replace(/^\ufeff/, ""), version);
  const mark = new RegExp(`[{[]|</?${TAG}`, "gi");
  for (let found; (found = mark.exec(search.text)); ) {
    mark.lastIndex = search.step(found.index, found[0]);
  }
  return search.conclude();
}

class Search {
  constructor(text, version) {
    this.text = text;
    this.version = version;
    this.forget();
  }

  /** All that was met so far is reasoning, and counts for nothing. */
  forget() {
    this.document = null;
    // Why the text is refused although it may hold a document. The first reason counts.
    this.refusal = null;
    // What explains best why there is no document.
    this.explanation = null;
  }

  /** Takes in what stands at a mark, and says where to look on: always behind it. */
  step(start, mark) {
    if (mark === "{" || mark === "[") return this.bracket(start);
    const end = start + mark.length;
    if (mark.startsWith("</")) {
      this.forget();
      return end;
    }
    const closing = new RegExp(`</${TAG}`, "gi");
    closing.lastIndex = end;
    const found = closing.exec(this.text);
    if (found) return found.index;
    this.refuse(start, "", "the reasoning is not closed");
    return this.text.length;
  }

  bracket(start) {
    try {
      const { value, end } = readFront(this.text, start);
      this.value(start, end, value);
      return end;
    } catch (fault) {
      if (fault instanceof Fault) return this.broken(start, fault);
      throw fault;
    }
  }

  /** What was read up to the fault is JSON as far as it goes, so it is not read again. */
  broken(start, fault) {
    const begun = this.text.slice(start, fault.offset + CLOSING_CHARS_MAX);
    const closings = [...begun.matchAll(new RegExp(`</${TAG}`, "gi"))];
    const last = closings.findLast((tag) => start + tag.index < fault.offset);
    if (last) {
      this.forget();
      return start + last.index + last[0].length;
    }
    const isJson = matches(JSON_OPENING, this.text, start);
    if (!isJson && this.text[start] === "[") return Math.max(fault.offset, start + 1);
    const end = extent(this.text, start, isJson);
    if (this.namesVersion(start, end)) this.refuse(fault.offset, fault.path, fault.reason);
    else this.explain(false, fault.offset, fault.path, fault.reason);
    return end;
  }

  value(start, end, value) {
    const namesVersion = this.namesVersion(start, end);
    if (Array.isArray(value)) {
      if (namesVersion) this.explain(true, start, "", "the document stands in an array");
      return;
    }
    const version = value.get("answer_version");
    if (version === this.version) this.accept(start, end, value);
    else if (version === undefined) this.explain(namesVersion, start, "", "an object without answer_version");
    else {
      const isText = typeof version === "string";
      const reason = isText ? `another answer_version: ${excerpt(version)}` : "answer_version must be a string";
      this.explain(namesVersion, start, "/answer_version", reason);
    }
  }

  accept(start, end, value) {
    if (this.document === null) this.document = value;
    else if (!equal(this.document, value)) this.refuse(start, "", "ambiguous: a second document that differs");
    matches(BEYOND, this.text, end);
    const beyond = BEYOND.lastIndex;
    if (this.text[beyond] === "}") this.refuse(beyond, "", "a closing brace too many");
  }

  namesVersion(start, end) {
    return this.text.slice(start, end).includes(this.version);
  }

  refuse(offset, path, reason) {
    this.refusal ??= { offset, path, reason };
  }

  /** What names the wanted version explains better than what does not; else the first counts. */
  explain(namesVersion, offset, path, reason) {
    if (this.explanation === null || (namesVersion && !this.explanation.namesVersion)) {
      this.explanation = { namesVersion, offset, path, reason: `no ${this.version}: ${reason}` };
    }
  }

  conclude() {
    if (this.document !== null && this.refusal === null) return this.document;
    const nothing = { offset: 0, path: "", reason: `no ${this.version}: there is no JSON object` };
    const { offset, path, reason } = this.refusal ?? this.explanation ?? nothing;
    const lines = this.text.slice(0, offset).split("\n");
    const column = [...lines.at(-1)].length + 1;
    throw new Violation(path, `${reason} (line ${lines.length}, column ${column})`);
  }
}

/**
 * Where something broken ends: at its closing bracket, at the end of the reasoning that it is part of, or with the
 * text. A brace that no key follows reaches no further than the next fence, and its quotes may be apostrophes.
 */
function extent(text, start, isJson) {
  const structure = new RegExp(`</${TAG}|[\\n\\\\"{}[\\]]`, "gi");
  structure.lastIndex = start;
  let depth = 0;
  let inString = false;
  let escaped = -1;
  for (let token; (token = structure.exec(text)); ) {
    const { 0: char, index: at } = token;
    if (char.length > 1) return at;
    if (char === "\n" && !isJson) {
      if (matches(FENCE, text, at + 1)) return at;
      inString = false;
      // A backslash before the line break reaches over it.
      if (at === escaped) escaped += 1;
    } else if (at === escaped) {
      continue;
    } else if (char === "\\") {
      if (inString) escaped = at + 1;
    } else if (char === '"') {
      inString = !inString;
    } else if ("{[".includes(char) && !inString) {
      depth += 1;
    } else if ("}]".includes(char) && !inString) {
      depth -= 1;
      if (depth <= 0) return at + 1;
    }
  }
  return text.length;
}

/** Whether a sticky pattern matches at `at`; its lastIndex is then the end of the match. */
function matches(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.test(text);
}
