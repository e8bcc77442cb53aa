import assert from "node:assert/strict";
import { test } from "node:test";
import { indented, logged } from "../../src/log/logged.js";
import { beginning } from "../../src/text/bounded.js";

const cases: readonly [what: string, text: string, shown: string][] = [
  ["plain text", 'a "b" ö 漢 👩‍💻', 'a "b" ö 漢 👩‍💻'],
  ["colours and movements", "\u001b[31mred\u001b[0m\u001b[2J.", "red."],
  ["titles of a terminal", "\u001b]0;title\u0007x\u001b]8;;http://a\u001b\\link", "xlink"],
  ["a lone escape", "\u001bX", "\\eX"],
  ["breaks", "a\nb\rc\u2028d\u0085e", "a\\nb\\rc\\u{2028}d\\u{85}e"],
  ["a tab", "a\tb", "a  b"],
  ["text that turns around", "a\u202eb\u2066c\u200fd", "a\\u{202e}b\\u{2066}c\\u{200f}d"],
  ["what nobody sees", "a\u200bb\ufeffc\u{e0041}d\u00ade", "a\\u{200b}b\\u{feff}c\\u{e0041}d\\u{ad}e"],
  ["half a character", "a\ud800b", "a\\u{d800}b"],
];

for (const [what, text, shown] of cases) {
  test(`visible: ${what}`, () => assert.equal(logged(text), shown));
}

test("a paragraph's later lines are indented, so that none looks like an entry of the log", () => {
  assert.equal(
    indented("one\n2026-12-01 10:00:00.000 [error] forged\r\nthree\rfour\n\n"),
    "one\n    2026-12-01 10:00:00.000 [error] forged\n    three\n    four",
  );
});

test("what is cut is said", () => {
  assert.equal(beginning("abc", 3), "abc");
  assert.equal(beginning("abcd", 3), "abc… (4 characters in all)");
});
