import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow } from "../driver/shared.js";

test("a folder that is not trusted", async (t) => {
  const window = await openWindow(t, {
    trusted: false,
    machine: { "mcpSidecar.trust.project": "allow" },
    files: (project) => ({ ".mcp.json": project.servers({ first: "tool echo" }) }),
  });
  const { project, editor, page } = window;

  await window.check(t, "starts nothing", async () => {
    const dialog = window.dialog("trust the authors");
    await dialog.getByRole("button", { name: /^No/ }).click();
    await window.status("Restricted Mode").waitFor();
    await window.view("MCP Sidecar");
    await window.welcome("No MCP server runs while the workspace is restricted.").waitFor();
    assert.deepEqual(project.processes(editor.world.processes()), []);
    assert.equal(project.hub.count("first started"), 0);
  });
  await window.check(t, "starts its servers once it is trusted", async () => {
    await window.command("Workspaces: Manage Workspace Trust");
    await page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await project.hub.saw("first got tools/list");
  });
});
