import assert from "node:assert/strict";
import { test } from "node:test";
import { countdown, counted, duration, shortPath } from "../../src/text/words.js";

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
