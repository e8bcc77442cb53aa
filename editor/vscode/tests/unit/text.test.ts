/** What others have written is text, wherever it is shown: see src/text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cut, ends, line, oneLine } from "../../src/text/bounded.js";
import { codeBlock, codeSpan, escaped, link, paragraph } from "../../src/text/markdown.js";
import { iconless, inMessage, inPick, linkless } from "../../src/text/places.js";
import { lastState, unmistakable, visible } from "../../src/text/visible.js";

test("what nobody sees becomes an escape, and what people write stays", () => {
  const table: readonly (readonly [text: string, shown: string])[] = [
    ["Größe 大 👩‍🚀", "Größe 大 👩‍🚀"],
    ["a\nb\tc\rd", "a\\nb\\tc\\rd"],
    ["\u0000\u001b[31m\u009f", "\\x00\\e[31m\\u{9f}"],
    ["\u202eabc\u2066\ufeff\u200b", "\\u{202e}abc\\u{2066}\\u{feff}\\u{200b}"],
    ["a\u2028b\u3164\u034f", "a\\u{2028}b\\u{3164}\\u{34f}"],
    ["\ud800x", "\\u{d800}x"],
  ];
  for (const [text, shown] of table) assert.equal(visible(text), shown);
});

test("a line is as long as it may be, and does not end in half of a character", () => {
  assert.equal(line("abc", 3), "abc");
  assert.equal(line("abcd", 3), "ab…");
  assert.equal(cut("ab🎉cd", 4), "ab…");
  assert.equal(line("x".repeat(10_000_000), 5), "xxxx…");
  assert.equal(line("\n\n\n", 4), "\\n\\…");
});

test("of a line that is written over and over, the last state counts", () => {
  assert.equal(lastState("10 %\r50 %\r\u001b[32m90 %\u001b[0m\r\n"), "90 %");
  assert.equal(lastState(""), "");
});

test("there are no icons in quick picks, and no links in messages", () => {
  assert.equal(iconless("$(sync~spin) $(whoami x) $5"), "\\$(sync~spin) $(whoami x) $5");
  assert.equal(linkless("[yes](command:x)"), "[yes]\\x28command:x)");
});

test("no character of a text means anything to Markdown", () => {
  const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  assert.equal(escaped(punctuation, 100), [...punctuation].map((character) => `\\${character}`).join(""));
  assert.equal(escaped("  a\nb ", 100), "a\\\\nb");
  assert.equal(paragraph("# a\n\n    b\r\n1. c", 10), "\\# a  \n  \nb  \n1\\. c");
});

test("what is cut off a text is told", () => {
  assert.equal(paragraph("a\nb\nc", 2), "a  \nb  \n…");
  assert.equal(paragraph("a\nb", 2), "a  \nb");
});

test("nothing in a block of code ends it", () => {
  const fenceOf = (text: string) => codeBlock(text, "text").split("\n");
  assert.deepEqual(fenceOf("a"), ["```text", "a", "```"]);
  for (const text of ["```", "````\n`````x", "a\n```\n[x](command:y)", "`".repeat(150)]) {
    const [head = "", ...rest] = fenceOf(text);
    const fence = head.replace("text", "");
    assert.equal(rest.pop(), fence);
    for (const inside of rest) assert.ok(!inside.includes(fence), inside);
  }
});

test("code in a line is one line, and nothing in it ends it", () => {
  assert.equal(codeSpan("a\n  b"), "`a b`");
  assert.equal(codeSpan("a `b``"), "``` a `b`` ```");
  assert.equal(codeSpan(""), "(nothing)");
  assert.equal(codeSpan("x".repeat(300), 5), "`xxxx…`");
  assert.equal(oneLine("  a\u2028\tb\u202e ", 9), "a b\\u{20…");
});

test("a link leads to the line, and its text is text", () => {
  assert.equal(link("a](b", { path: "/p/a (1).json", line: 3 }), "[a\\]\\(b](file:///p/a%20%281%29.json#L3)");
  assert.equal(link("x", { path: "/p/x" }), "[x](file:///p/x)");
});

test("what breaks a line, turns text around or looks like nothing becomes an escape", () => {
  const table: readonly (readonly [text: string, shown: string])[] = [
    ["npx -y a", "npx -y a"],
    ["Größe 大 🎉", "Größe 大 🎉"],
    ["a\nb\tc\rd", "a\\nb\\tc\\rd"],
    ["\u0000\u001b[31m\u007f", "\\x00\\e[31m\\x7f"],
    ["a\u00a0b\u00adc", "a\\u{a0}b\\u{ad}c"],
    ["\u202eexe.txt", "\\u{202e}exe.txt"],
    ["a\u200b\u200db\u2066\ufeff", "a\\u{200b}\\u{200d}b\\u{2066}\\u{feff}"],
    ["\u3164\u115f\u2800\uffa0", "\\u{3164}\\u{115f}\\u{2800}\\u{ffa0}"],
    ["\u{e0041}\u{e0100}\ufe0f", "\\u{e0041}\\u{e0100}\\u{fe0f}"],
    ["\ud800x", "\\u{d800}x"],
  ];
  for (const [text, shown] of table) assert.equal(unmistakable(text), shown);
});

test("a notification has no links", () => {
  assert.equal(inMessage("[yes](command:x)"), "[yes]\\x28command:x)");
  assert.equal(inMessage("[yes]\u200b(command:x)"), "[yes]\\u{200b}(command:x)");
});

test("a quick pick shows what would be an icon as it is written", () => {
  assert.equal(inPick("$(whoami) $(pass show x) ${NAME}"), "\\$(whoami) $(pass show x) ${NAME}");
  assert.equal(inPick("$(sync~spin)"), "\\$(sync~spin)");
});

test("a text that is too long says what is left out, and keeps its beginning and its end", () => {
  assert.deepEqual(ends("abc", 3), { text: "abc", whole: true });
  assert.deepEqual(ends("abcdefgh", 4), {
    text: "ab[… 4 characters are left out here …]gh",
    whole: false,
  });
  assert.deepEqual(ends("🎉🎉🎉🎉", 2).text, "🎉[… 2 characters are left out here …]🎉");
});
