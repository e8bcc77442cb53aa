import assert from "node:assert/strict";
import { test } from "node:test";
import { channelName, isDocumentOf } from "../../src/log/channel_name.js";

test("a channel is called as its server, as far as that can be read", () => {
  assert.equal(channelName("fs", []), "MCP: fs");
  assert.equal(channelName("a\u202e", []), "MCP: a\\u{202e}");
});

test("a long name has an end, and is its own all the same", () => {
  const long = "s".repeat(300);
  const name = channelName(long, []);
  assert.equal(name.length, "MCP: ".length + 80);
  assert.equal(channelName(`${long}x`, [name]), `${name} (2)`);
});

test("no two servers have the same file", () => {
  assert.equal(channelName("ab", ["MCP: a/b"]), "MCP: ab (2)");
  assert.equal(channelName("A?B", ["MCP: a/b", "MCP: ab (2)"]), "MCP: A?B (3)");
  assert.equal(channelName("other", ["MCP: a/b"]), "MCP: other");
});

test("the document of a channel is known by its name", () => {
  assert.equal(isDocumentOf("MCP: a/b", "mcp-sidecar.mcp-sidecar.MCP ab.log"), true);
  assert.equal(isDocumentOf("MCP: fs", "extension-output-mcp-sidecar.mcp-sidecar-#2-MCP: fs"), true);
  assert.equal(isDocumentOf("MCP: fs", "mcp-sidecar.mcp-sidecar.MCP other.log"), false);
  assert.equal(isDocumentOf("MCP: fs", "mcp-sidecar.mcp-sidecar.MCP Sidecar.log"), false);
});
