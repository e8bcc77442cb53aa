import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { findBinary, type Surroundings } from "../src/binary.js";
import { BinaryNotFoundError } from "../src/errors.js";

const BUNDLED = "/modules/@mcp-sidecar/linux-x64/bin/mcp-sidecar";

/** A machine where these paths are programs, and these are files of packages. */
function machine(programs: string[], env: Record<string, string> = {}, more: Partial<Surroundings> = {}) {
  return {
    platform: "linux",
    arch: "x64",
    env,
    installed(file: string): string {
      const path = `/modules/${file}`;
      if (programs.includes(path)) return path;
      throw new Error("MODULE_NOT_FOUND");
    },
    unfit: (path: string) => (programs.includes(path) ? undefined : "does not exist"),
    ...more,
  } satisfies Surroundings;
}

test("the first place that has the program wins", () => {
  const all = ["/option", "/variable", BUNDLED, "/b/mcp-sidecar"];
  const env = { MCP_SIDECAR: "/variable", PATH: "/a:/b" };
  const cases: [string | undefined, Surroundings, string][] = [
    ["/option", machine(all, env), "/option"],
    [undefined, machine(all, env), "/variable"],
    [undefined, machine(all, { PATH: "/a:/b" }), BUNDLED],
    [undefined, machine(all, { MCP_SIDECAR: "", PATH: "/a:/b" }), BUNDLED],
    [undefined, machine(["/b/mcp-sidecar"], { PATH: "/a:/b" }), "/b/mcp-sidecar"],
    [undefined, machine(["/b/mcp-sidecar"], { PATH: ":/a::/b" }), "/b/mcp-sidecar"],
    ["other-name", machine(["/b/other-name"], { PATH: "/a:/b" }), "/b/other-name"],
    ["./here", machine([resolve("here")]), resolve("here")],
  ];
  for (const [option, here, expected] of cases) assert.equal(findBinary(option, here), expected);
});

test("on Windows the program is an .exe, of its own package", () => {
  const here = machine(["/modules/@mcp-sidecar/win32-arm64/bin/mcp-sidecar.exe"], {});
  const windows = { ...here, platform: "win32", arch: "arm64" } satisfies Surroundings;
  assert.equal(findBinary(undefined, windows), "/modules/@mcp-sidecar/win32-arm64/bin/mcp-sidecar.exe");
});

test("a place that was named and is wrong is an error, and the rest is not looked at", () => {
  const all = [BUNDLED, "/b/mcp-sidecar"];
  const cases: [string | undefined, Record<string, string>, RegExp, number][] = [
    ["/missing", { PATH: "/b" }, /the option `binary` names no program: \/missing does not exist/, 1],
    ["absent", { PATH: "/b" }, /the option `binary` names no program: absent is not in \/b/, 1],
    ["", { PATH: "/b" }, /the option `binary` names no program/, 1],
    [
      undefined,
      { MCP_SIDECAR: "/missing", PATH: "/b" },
      /variable MCP_SIDECAR names no program: \/missing/,
      2,
    ],
  ];
  for (const [option, env, text, places] of cases) {
    assert.throws(
      () => findBinary(option, machine(all, env)),
      (error) => {
        assert.ok(error instanceof BinaryNotFoundError);
        assert.match(error.message, text);
        assert.equal(error.looked.length, places);
        return true;
      },
    );
  }
});

test("when there is none, the error says of every place why not, and what to do", () => {
  const unfit = (path: string) => (path === "/a/mcp-sidecar" ? "is not executable" : "does not exist");
  assert.throws(
    () => findBinary(undefined, machine([], { PATH: "/a:/b" }, { unfit })),
    (error) => {
      assert.ok(error instanceof BinaryNotFoundError);
      assert.deepEqual(error.looked, [
        { where: "the option `binary`", why: "not given" },
        { where: "the environment variable MCP_SIDECAR", why: "not set" },
        {
          where: "the npm package @mcp-sidecar/linux-x64",
          why: "not installed (is there one? was npm told to omit optional packages?)",
        },
        { where: "the directories in PATH", why: "not in /a:/b (/a/mcp-sidecar is not executable)" },
      ]);
      for (const { where, why } of error.looked) assert.ok(error.message.includes(`${where}: ${why}`));
      assert.match(error.message, /Install it .* or say where it is/);
      return true;
    },
  );
});

test("files of this machine are told from programs", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "mcp-sidecar-binary-"));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "program"), "");
  chmodSync(join(dir, "program"), 0o755);
  writeFileSync(join(dir, "text"), "");
  mkdirSync(join(dir, "folder"));
  assert.equal(findBinary(join(dir, "program")), join(dir, "program"));
  const cases = {
    text: "is not executable (chmod +x makes it so)",
    folder: "is not a file",
    missing: "does not exist",
    "text/below": "does not exist",
  };
  for (const [name, why] of Object.entries(cases)) {
    assert.throws(() => findBinary(join(dir, name)), {
      message: new RegExp(`${name} ${why.replace(/[()+]/g, ".")}$`),
    });
  }
});
