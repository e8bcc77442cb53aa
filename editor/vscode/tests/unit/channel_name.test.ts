import assert from "node:assert/strict";
import { test } from "node:test";
import { channelName, isDocumentOf } from "../../src/log/channel_name.js";

test("a channel is called as its server, as far as that can be read", () => {
  assert.equal(channelName("fs", []), "MCP Sidecar: fs");
  assert.equal(channelName("a\u202e", []), "MCP Sidecar: a\\u{202e}");
});

test("a long name has an end, and is its own all the same", () => {
  const long = "s".repeat(300);
  const name = channelName(long, []);
  assert.equal(name.length, "MCP Sidecar: ".length + 80);
  assert.equal(channelName(`${long}x`, [name]), `${name} (2)`);
});

test("no two servers have the same file", () => {
  assert.equal(channelName("ab", ["MCP Sidecar: a/b"]), "MCP Sidecar: ab (2)");
  assert.equal(channelName("A?B", ["MCP Sidecar: a/b", "MCP Sidecar: ab (2)"]), "MCP Sidecar: A?B (3)");
  assert.equal(channelName("other", ["MCP Sidecar: a/b"]), "MCP Sidecar: other");
});

test("the document of a channel is known by its name", () => {
  assert.equal(isDocumentOf("MCP Sidecar: a/b", "mcp-sidecar.mcp-sidecar.MCP Sidecar ab.log"), true);
  assert.equal(
    isDocumentOf("MCP Sidecar: fs", "extension-output-mcp-sidecar.mcp-sidecar-#2-MCP Sidecar: fs"),
    true,
  );
  assert.equal(isDocumentOf("MCP Sidecar: fs", "mcp-sidecar.mcp-sidecar.MCP Sidecar other.log"), false);
  assert.equal(isDocumentOf("MCP Sidecar: fs", "mcp-sidecar.mcp-sidecar.MCP Sidecar.log"), false);
});
