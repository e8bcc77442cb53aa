import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** The modules that each module imports, compiled. */
const imports = new Map<string, string[]>();
const dir = new URL("../src/", import.meta.url);
for (const file of readdirSync(dir)) {
  if (!file.endsWith(".js")) continue;
  const code = readFileSync(new URL(file, dir), "utf8");
  imports.set(
    `./${file}`,
    [...code.matchAll(/^(?:import|export) .*?from "(.+)";$/gm)].map(([, from = ""]) => from),
  );
}

/** Everything that a module needs, directly or not. */
function needs(module: string, found = new Set<string>()): Set<string> {
  for (const other of imports.get(module) ?? []) {
    if (!found.has(other)) needs(other, found.add(other));
  }
  return found;
}

test("a session knows no process, file or socket, and so runs wherever a transport does", () => {
  const all = [...needs("./client.js")];
  assert.ok(all.includes("./connection.js"));
  assert.deepEqual(
    all.filter((module) => !module.startsWith("./")),
    [],
  );
});

test("the package needs nothing but Node", () => {
  const all = [...needs("./index.js")];
  assert.ok(all.includes("node:child_process"));
  assert.deepEqual(
    all.filter((module) => !module.startsWith("./") && !module.startsWith("node:")),
    [],
  );
});
