/** What is said of a server before it may run: see src/trust/details.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProjectServer } from "mcp-sidecar";
import { commandOf, detailOf, keyOf, noticeOf, titleOf } from "../../src/trust/details.js";

function server(members: Partial<ProjectServer>): ProjectServer {
  const at = {
    path: "/p/.mcp.json",
    project: "/p",
    line: 3,
    column: 5,
    provider: "claude",
    providerName: "Claude Code",
  };
  return { name: "fs", ...at, uses: [], hash: "h", ...members };
}

test("the command line is quoted as a shell would need it", () => {
  const table: readonly (readonly [members: Partial<ProjectServer>, shown: string])[] = [
    [{ command: "npx", args: ["-y", "@a/b@1.2"] }, "npx -y @a/b@1.2"],
    [{ command: "sh", args: ["-c", "rm -rf /; echo 'x'"] }, "sh -c 'rm -rf /; echo '\\''x'\\'''"],
    [{ command: "a b", args: [""] }, "'a b' ''"],
    [{ command: "x", args: ["\u202ea"] }, "x '\\u{202e}a'"],
    [{ url: "https://a.example/\u200b" }, "https://a.example/\\u{200b}"],
    [{}, "nothing: its entry has neither a command nor a URL"],
  ];
  for (const [members, shown] of table) assert.equal(commandOf(server(members)), shown);
});

test("the dialog has everything that the entry says", () => {
  const { text, whole } = detailOf(
    server({
      command: "npx",
      args: ["a"],
      cwd: "/p/sub",
      env: { B: "2 3", A: "1" },
      uses: ["${TOKEN}", "$(whoami)", "file:/etc/x", "${input:key}"],
    }),
  );
  assert.equal(whole, true);
  assert.deepEqual(text.split("\n"), [
    "Runs: npx a",
    "In: /p/sub",
    "Environment: A=1",
    "Environment: B='2 3'",
    "Uses: ${TOKEN}",
    "Uses: $(whoami)",
    "Uses: file:/etc/x",
    "Uses: ${input:key}",
    "File: /p/.mcp.json:3",
    "",
    "Once allowed, it runs with your rights, now and later, for as long as its entry stays as shown here.",
  ]);
});

test("a server with a URL is contacted, with its headers", () => {
  const { text } = detailOf(server({ url: "https://a.example", headers: { "X-Key": "${KEY}" } }));
  assert.match(text, /^Contacts: https:\/\/a\.example\nHeaders: X-Key='\$\{KEY\}'\n/);
});

test("what is too long to be shown is said to be", () => {
  const long = detailOf(server({ command: "x", args: ["a".repeat(5000)] }));
  assert.equal(long.whole, false);
  assert.match(long.text, /^This is too long to be shown whole\./);
  assert.match(long.text, /\[… 3502 characters are left out here …\]/);
  const many = detailOf(
    server({ command: "x", env: Object.fromEntries([..."abcdefghijklmnop"].map((n) => [n, "1"])) }),
  );
  assert.equal(many.whole, false);
  assert.match(many.text, /Environment: \[… and 4 more …\]/);
});

test("one server that fits is decided about in the notification", () => {
  const { text, decidable } = noticeOf([
    server({ command: "npx", args: ["a"], env: { A: "1" }, uses: ["${B}"] }),
  ]);
  assert.equal(decidable, true);
  assert.equal(
    text,
    "Allow the MCP server “fs” of this project? It runs: npx a · Environment: A=1 · Uses: ${B} · File: /p/.mcp.json:3",
  );
});

test("one that does not fit, and several, are reviewed", () => {
  const long = noticeOf([server({ command: "npx", args: ["a".repeat(500)] })]);
  assert.deepEqual(long, {
    text: "The MCP server “fs” of this project waits to be allowed.",
    decidable: false,
  });
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const many = noticeOf(names.map((name) => server({ name })));
  assert.deepEqual(many, {
    text: "7 MCP servers of this project wait to be allowed: “a”, “b”, “c”, “d”, “e”, and 2 more.",
    decidable: false,
  });
});

test("nothing in a notification is a link", () => {
  const { text } = noticeOf([server({ name: "[a](command:x)", command: "[b](https://c)" })]);
  assert.doesNotMatch(text, /\]\(/);
});

test("the title says what was decided", () => {
  assert.equal(titleOf(server({})), "Allow the MCP server “fs” of this project?");
  assert.equal(titleOf(server({ decision: "deny" })), "The MCP server “fs” of this project is denied.");
});

test("an entry that has changed is another one", () => {
  assert.equal(keyOf(server({})), keyOf(server({ decision: "allow" })));
  for (const other of [server({ hash: "i" }), server({ name: "gs" }), server({ project: "/q" })]) {
    assert.notEqual(keyOf(server({})), keyOf(other));
  }
});
