import assert from "node:assert/strict";
import { suite, test } from "mocha";
import * as vscode from "vscode";

suite("the extension", () => {
  test("is there, as it was packaged, and active", async () => {
    const extension = vscode.extensions.getExtension("mcp-sidecar.mcp-sidecar");
    assert.ok(extension);
    await extension.activate();
    assert.equal(extension.isActive, true);
    assert.match(extension.extensionPath, /\/extensions\/mcp-sidecar\.mcp-sidecar-/);
  });
});
