import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BinaryNotFoundError } from "mcp-sidecar";
import { actual, type Surroundings } from "mcp-sidecar/binary";
import { findBinary } from "../../src/binary.js";

/** A machine where these paths are programs. */
function machine(programs: string[], env: Record<string, string> = {}, platform = "linux"): Surroundings {
  return {
    platform: platform as NodeJS.Platform,
    arch: "x64",
    env,
    installed: () => {
      throw new Error("there are no packages in an extension");
    },
    unfit: (path) => (programs.includes(path) ? undefined : "does not exist"),
  };
}

const BUNDLED = "/ext/bin/mcp-sidecar";
const ALL = ["/own/mcp-sidecar", "/variable", BUNDLED, "/path/mcp-sidecar"];

test("the user's own wins, then the variable, then the one of the extension, then PATH", () => {
  const env = { MCP_SIDECAR: "/variable", PATH: "/path" };
  assert.equal(findBinary("/own/mcp-sidecar", "/ext", machine(ALL, env)), "/own/mcp-sidecar");
  assert.equal(findBinary("", "/ext", machine(ALL, env)), "/variable");
  assert.equal(findBinary("", "/ext", machine(ALL, { PATH: "/path" })), BUNDLED);
  assert.equal(
    findBinary("", "/ext", machine(["/path/mcp-sidecar"], { PATH: "/path" })),
    "/path/mcp-sidecar",
  );
  assert.equal(findBinary("mcp-sidecar", "/ext", machine(ALL, { PATH: "/path" })), "/path/mcp-sidecar");
});

test("on Windows it is an .exe", () => {
  assert.equal(findBinary("", "/ext", machine([`${BUNDLED}.exe`], {}, "win32")), `${BUNDLED}.exe`);
});

test("the setting is not replaced by another program when it is wrong", () => {
  assert.throws(
    () => findBinary("/wrong", "/ext", machine(ALL, { PATH: "/path" })),
    (error) =>
      error instanceof BinaryNotFoundError && /mcpSidecar\.path.*\/wrong does not exist/.test(error.message),
  );
});

test("where it was looked for is said, and what to do", () => {
  assert.throws(
    () => findBinary("", "/ext", machine([], { PATH: "/path" })),
    (error) => {
      assert.ok(error instanceof BinaryNotFoundError);
      for (const said of ["MCP_SIDECAR", `${BUNDLED} does not exist`, "/path", "mcpSidecar.path"]) {
        assert.ok(error.message.includes(said), `${said} is not in: ${error.message}`);
      }
      return true;
    },
  );
});

test("the one of the extension can be executed, also if that got lost when it was unpacked", (t) => {
  const extension = mkdtempSync(join(tmpdir(), "extension-"));
  t.after(() => rmSync(extension, { recursive: true }));
  mkdirSync(join(extension, "bin"));
  const file = join(extension, "bin/mcp-sidecar");
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o644);
  const here: Surroundings = { ...actual(), platform: "linux", env: {} };
  assert.equal(findBinary("", extension, here), file);
  assert.equal(statSync(file).mode & 0o777, 0o755);
});
