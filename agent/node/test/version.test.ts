import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { VERSION } from "../src/version.js";

test("the version in the source is that of package.json", () => {
  const { version } = createRequire(import.meta.url)("../package.json") as { version: string };
  assert.equal(VERSION, version);
});
