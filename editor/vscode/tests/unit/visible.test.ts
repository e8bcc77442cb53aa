/** In a question nothing hides: see src/trust/visible.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bounded, iconless, unlinked, visible } from "../../src/trust/visible.js";

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
  for (const [text, shown] of table) assert.equal(visible(text), shown);
});

test("a notification has no links", () => {
  assert.equal(unlinked("[yes](command:x)"), "[yes]\\x28command:x)");
  assert.equal(unlinked("[yes]\u200b(command:x)"), "[yes]\\u{200b}(command:x)");
});

test("a quick pick shows what would be an icon as it is written", () => {
  assert.equal(iconless("$(whoami) $(pass show x) ${NAME}"), "\\$(whoami) $(pass show x) ${NAME}");
  assert.equal(iconless("$(sync~spin)"), "\\$(sync~spin)");
});

test("a text that is too long says what is left out, and keeps its beginning and its end", () => {
  assert.deepEqual(bounded("abc", 3), { text: "abc", whole: true });
  assert.deepEqual(bounded("abcdefgh", 4), {
    text: "ab[… 4 characters are left out here …]gh",
    whole: false,
  });
  assert.deepEqual(bounded("🎉🎉🎉🎉", 2).text, "🎉[… 2 characters are left out here …]🎉");
});
