import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen } from "../../src/agent/chosen.js";

test("without a choice all servers are offered", () => {
  assert.ok(chosen("any", { only: [], except: [] }));
});

test("what is excluded is not offered, also if it is chosen", () => {
  const choice = { only: ["git*", "files"], except: ["github"] };
  const offered = ["git", "gitlab", "files", "github", "other"].filter((name) => chosen(name, choice));
  assert.deepEqual(offered, ["git", "gitlab", "files"]);
});

test("patterns are those of the sidecar", () => {
  const cases: [glob: string, name: string, expected: boolean][] = [
    ["a*c", "abbc", true],
    ["*", "@scope/name", true],
    ["a?c", "a/c", true],
    ["a?c", "ac", false],
    ["a.c", "abc", false],
    ["A", "a", false],
    ["?", "😀", true],
    ["s[0-9]", "s7", true],
    ["s[^0-9]", "s7", false],
    ["s[^0-9]", "sx", true],
    ["\\*", "*", true],
    ["\\*", "x", false],
    ["[\\]]", "]", true],
    ["[z-a]", "m", false],
    ["[z-a]", "[z-a]", true],
    ["[", "x", false],
    ["[", "[", true],
  ];
  for (const [glob, name, expected] of cases) {
    assert.equal(chosen(name, { only: [glob], except: [] }), expected, `${glob} and ${name}`);
  }
});
