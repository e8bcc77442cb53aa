import assert from "node:assert/strict";
import { test } from "node:test";
import { Tracer } from "../../src/log/trace.js";

/** traced gives the lines of these messages, each 10 ms after the one before. */
function traced(detail: "messages" | "verbose", ...messages: ["sent" | "received", object][]): string[] {
  let now = 0;
  const tracer = new Tracer(() => now);
  return messages.map(([direction, message]) => {
    now += 10;
    return tracer.line(JSON.stringify({ jsonrpc: "2.0", ...message }), direction, detail);
  });
}

test("a line for each message: its way, method and id, and how long the answer took", () => {
  assert.deepEqual(
    traced(
      "messages",
      ["sent", { id: 1, method: "tools/call", params: { name: "x" } }],
      ["received", { method: "mcp/status", params: {} }],
      ["received", { id: 1, method: "trust/approve", params: {} }],
      ["sent", { id: 1, result: {} }],
      ["received", { id: 1, error: { code: 1001, message: 'unknown tool "x"\nand more' } }],
      ["received", { id: 2, result: {} }],
    ),
    [
      "→ tools/call (1)",
      "← mcp/status",
      "← trust/approve (1)",
      "→ trust/approve (1) answered in 10 ms",
      '← tools/call (1) refused in 40 ms: 1001 unknown tool "x"\\nand more',
      "← answer (2) answered",
    ],
  );
});

test("verbose has what the message says, below its line", () => {
  const [request, answer] = traced(
    "verbose",
    ["sent", { id: 7, method: "mcp/connect", params: { server: "a\u202e" } }],
    ["received", { id: 7, result: { name: "a" } }],
  );
  assert.equal(request, '→ mcp/connect (7)\n    {\n      "server": "a\\u{202e}"\n    }');
  assert.equal(answer, '← mcp/connect (7) answered in 10 ms\n    {\n      "name": "a"\n    }');
});

test("a body has an end", () => {
  const [line = ""] = traced("verbose", ["received", { method: "x", params: { text: "y".repeat(1e6) } }]);
  assert.ok(line.length < 11_000, `${line.length} characters`);
  assert.match(line, /… \(1\d{6} characters in all\)$/);
});

const SECRET = "hunter2";

const secrets: readonly [what: string, messages: ["sent" | "received", object][]][] = [
  [
    "the value of an input",
    [
      ["received", { id: 3, method: "input/request", params: { id: "key", password: true } }],
      ["sent", { id: 3, result: { value: SECRET } }],
    ],
  ],
  [
    "what a user answers a server",
    [
      ["received", { id: "e", method: "elicitation/create", params: {} }],
      ["sent", { id: "e", result: { action: "accept", content: { name: SECRET } } }],
    ],
  ],
  ["an answer to what was asked before the trace", [["sent", { id: 3, result: { value: SECRET } }]]],
  [
    "the endpoint",
    [
      ["sent", { id: 1, method: "runtime/share", params: {} }],
      ["received", { id: 1, result: { endpoint: SECRET } }],
    ],
  ],
  [
    "keys that were found",
    [
      ["sent", { id: 1, method: "mcp/reload", params: {} }],
      ["received", { id: 1, result: { snapshot: { exaApiKeys: [SECRET] } } }],
    ],
  ],
  [
    "entries of the user's settings",
    [
      [
        "sent",
        {
          id: 1,
          method: "runtime/initialize",
          params: { settings: { servers: { fs: { args: ["--key", SECRET] } } } },
        },
      ],
      [
        "sent",
        { id: 2, method: "runtime/configure", params: { settings: { servers: { w: { url: SECRET } } } } },
      ],
    ],
  ],
  ["the address of a login", [["received", { id: 1, method: "auth/openUrl", params: { url: SECRET } }]]],
  [
    "members that are called so",
    [
      [
        "sent",
        {
          id: 1,
          method: "tools/call",
          params: {
            arguments: {
              apiKey: SECRET,
              API_KEY: SECRET,
              list: [{ "access-token": SECRET, password: SECRET }],
            },
          },
        },
      ],
      [
        "received",
        { method: "x", params: { env: { A: SECRET }, headers: { b: SECRET }, clientSecret: SECRET } },
      ],
    ],
  ],
];

for (const [what, messages] of secrets) {
  test(`never in a trace: ${what}`, () => {
    const text = traced("verbose", ...messages).join("\n");
    assert.ok(!text.includes(SECRET), text);
    assert.ok(text.includes("[redacted]"), text);
  });
}

test("what only sounds like a secret is written", () => {
  const params = { password: true, progressToken: 4, environment: "test", servers: { fs: { url: "x" } } };
  const [line = ""] = traced("verbose", ["received", { method: "x", params }]);
  assert.deepEqual(JSON.parse(line.slice(line.indexOf("\n"))), params);
});

test("what is no JSON is no reason to fail", () => {
  assert.equal(new Tracer().line("{", "received", "verbose"), "← 1 characters that are no JSON");
});

test("after a new beginning an answer is nobody's", () => {
  const tracer = new Tracer(() => 0);
  tracer.line('{"id":1,"method":"runtime/share"}', "sent", "verbose");
  tracer.forget();
  const line = tracer.line(`{"id":1,"result":{"x":"${SECRET}"}}`, "received", "verbose");
  assert.equal(line, '← answer (1) answered\n    "[redacted]"');
});
