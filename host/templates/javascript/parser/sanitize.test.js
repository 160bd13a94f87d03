import assert from "node:assert/strict";
import test from "node:test";
import { document } from "./sanitize.js";

const D = '{"answer_version":"v1","n":1}';
const OTHER = '{"answer_version":"v1","n":2}';

test("wrapping is removed", () => {
  for (const text of [
    D,
    `\ufeff ${D}\n`,
    `before ${D} after`,
    `\`\`\`json\r\n${D}\r\n\`\`\``,
    `<answer>${D}</answer>`,
    `[link](x) [0, 5) {x} ${D}`,
    `it's {a "b"} ${D} and ${D}`,
    `{a,\n\`\`\`json\n${D}\n\`\`\``,
    `<think>${OTHER}</think>${D}`,
    `${OTHER}{"n": 1 </THINKING> ${D}`,
    `${D} … and } done`,
  ]) {
    assert.deepEqual([...document(text, "v1").keys()], ["answer_version", "n"], text);
  }
});

test("more than wrapping is refused", () => {
  for (const [text, message] of [
    ["", "no v1: there is no JSON object (line 1, column 1)"],
    [`${D}\n${OTHER}`, "ambiguous: a second document that differs (line 2, column 1)"],
    [`${D}}`, "a closing brace too many (line 1, column 30)"],
    [`[${D}]`, "no v1: the document stands in an array (line 1, column 1)"],
    [`${D}<think>`, "the reasoning is not closed (line 1, column 30)"],
    [`{"n": [${D}, ], "answer_version":"v1"}`, "trailing comma (line 1, column 39)"],
    [`{"n": NaN, "draft": ${D}}`, "expected value (line 1, column 7)"],
    ['{"answer_version":"v1","n":1,"n":1}', 'duplicate key "n" (line 1, column 32)'],
    ['{"answer_version":"v2"}', 'no v1: another answer_version: "v2" (line 1, column 1)'],
    [`${"[".repeat(65)}v1`, "nested deeper than 64 (line 1, column 65)"],
  ]) {
    assert.throws(() => document(text, "v1"), { message });
  }
});

test("a text is bounded", () => {
  assert.throws(() => document("é".repeat(524_288) + "x", "v1"), { message: "longer than 1048576 bytes" });
});
