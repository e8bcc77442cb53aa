/** What others have written is text, wherever the view shows it: see src/overview/text.ts and markdown.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { block, escaped, link, paragraph } from "../../src/overview/markdown.js";
import { cut, iconless, lastState, line, linkless, visible } from "../../src/overview/text.js";
import { countdown, counted, duration, shortPath } from "../../src/overview/words.js";

test("what nobody sees becomes an escape, and what people write stays", () => {
  const table: readonly (readonly [text: string, shown: string])[] = [
    ["Größe 大 👩‍🚀", "Größe 大 👩‍🚀"],
    ["a\nb\tc\rd", "a\\nb\\tc\\rd"],
    ["\u0000\u001b[31m\u009f", "\\x00\\e[31m\\x9f"],
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
  assert.equal(linkless("[yes](command:x)"), "[yes] (command:x)");
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
  const fenceOf = (text: string) => block(text, 10).split("\n");
  assert.deepEqual(fenceOf("a"), ["```text", "a", "```"]);
  for (const text of ["```", "````\n`````x", "a\n```\n[x](command:y)", "`".repeat(150)]) {
    const [head = "", ...rest] = fenceOf(text);
    const fence = head.replace("text", "");
    assert.equal(rest.pop(), fence);
    for (const inside of rest) assert.ok(!inside.includes(fence), inside);
  }
  // Bounded text is fenced as it is shown, not as it was.
  assert.equal(
    block("`".repeat(1000), 10, 10),
    `${"`".repeat(10)}text\n${"`".repeat(9)}…\n${"`".repeat(10)}`,
  );
});

test("a link leads to the line, and its text is text", () => {
  assert.equal(link("a](b", { path: "/p/a (1).json", line: 3 }), "[a\\]\\(b](file:///p/a%20%281%29.json#L3)");
  assert.equal(link("x", { path: "/p/x" }), "[x](file:///p/x)");
});

test("numbers are said in words", () => {
  assert.deepEqual([counted(1, "tool"), counted(0, "tool")], ["1 tool", "0 tools"]);
  const times = [0, 999, 1000, 1250, 59_960, 125_000].map(duration);
  assert.deepEqual(times, ["0 ms", "999 ms", "1 s", "1.3 s", "1 min", "2 min 5 s"]);
  assert.deepEqual([-5, 1, 4001, 89_000, 300_000].map(countdown), [
    "now",
    "in 1 s",
    "in 5 s",
    "in 89 s",
    "in 5 min",
  ]);
});

test("paths are seen from the window's folders, and from home", () => {
  const here = { roots: ["/home/me/work/", "/srv"], home: "/home/me" };
  assert.equal(shortPath("/home/me/work/.mcp.json", here), ".mcp.json");
  assert.equal(shortPath("/home/me/.mcp.json", here), "~/.mcp.json");
  assert.equal(shortPath("/home/melanie/x", here), "/home/melanie/x");
  assert.equal(shortPath("/x", { roots: [], home: "" }), "/x");
});
