/** Which of a project's servers run: none in a restricted window, else those that the user has allowed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow } from "../driver/shared.js";
import type { Window } from "../driver/window.js";

/** answer presses a button of a notification that says this. */
async function answer(window: Window, says: string, name: string): Promise<void> {
  await window.notification(says).getByRole("button", { name, exact: true }).click();
}

test("a restricted window", async (t) => {
  const window = await openWindow(t, {
    trusted: false,
    files: (project) => ({ ".mcp.json": project.servers({ first: "tool echo" }) }),
  });
  const { editor, project } = window;

  await window.check(t, "starts nothing", async () => {
    await window.dialog("trust the authors").getByRole("button", { name: /^No/ }).click();
    await window.status("MCP off").waitFor();
    await window.view("MCP Sidecar");
    await window.welcome("No MCP server runs while the workspace is restricted.").waitFor();
    const sidecars = editor.world.processes().filter(({ command }) => command.includes("/bin/mcp-sidecar"));
    assert.deepEqual(sidecars, []);
  });
  await window.check(t, "says so to who asks", async () => {
    await window.command("MCP Sidecar: Manage Trust in the Project's Servers…");
    await window.notification("The workspace is restricted").waitFor();
  });
  await window.check(t, "starts the sidecar when it is trusted, and asks about the server", async () => {
    await answer(window, "The workspace is restricted", "Manage Workspace Trust");
    await window.page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await window.notification("Allow the MCP server “first” of this project? It runs:").waitFor();
    assert.equal(project.hub.count("first started"), 0);
  });
  await window.check(t, "starts the server when it is allowed", async () => {
    await answer(window, "“first”", "Allow");
    await project.hub.saw("first started");
    await window.status("MCP 1/1").waitFor();
    assert.equal(project.hub.count("first started"), 1, "nothing is started twice");
  });
});

test("servers of a project", async (t) => {
  const window = await openWindow(t, {
    files: (project) => ({ ".mcp.json": project.servers({ first: "tool echo", second: "tool echo" }) }),
  });
  const { project } = window;

  await window.check(t, "are told of in a notification, and reviewed one by one", async () => {
    await answer(window, "2 MCP servers of this project wait to be allowed: “first”, “second”.", "Review…");
    const dialog = window.dialog("Allow the MCP server “first” of this project? (1 of 2)");
    for (const says of ["Runs: ", "CONFORMANCE_CONTROL=", `File: ${project.dir}/.mcp.json:3`]) {
      await dialog.getByText(says).waitFor();
    }
    await window.screenshot("trust-dialog");
    assert.equal(project.hub.count("first started"), 0);
    await dialog.getByRole("button", { name: "Allow", exact: true }).click();
    await project.hub.saw("first started");
  });
  await window.check(t, "are shown in their file, and then asked about beside it", async () => {
    await window.dialog("“second”").getByRole("button", { name: "Show File" }).click();
    await window.tab(".mcp.json").waitFor();
    await window.status(/Ln 1\d, Col \d/).waitFor();
    await answer(window, "Allow the MCP server “second” of this project?", "Deny");
    await window.status("MCP 1/1").waitFor();
  });
  await window.check(t, "are remembered with what was decided", async () => {
    await window.load();
    await project.hub.saw("first started");
    await window.status("MCP 1/1").waitFor();
    assert.equal(await window.notification("MCP server").count(), 0);
    assert.equal(project.hub.count("second started"), 0);
  });
  await window.check(t, "are listed, and decided about anew", async () => {
    await window.command("MCP Sidecar: Manage Trust in the Project's Servers…");
    await window.picks(/first.*allowed/).waitFor();
    await window.pick(/second.*denied/);
    await window.dialog("is denied").getByRole("button", { name: "Allow", exact: true }).click();
    await project.hub.saw("second started");
    await window.pick(/first.*allowed/);
    await window.dialog("is allowed").getByRole("button", { name: "Forget the Decision" }).click();
    await project.hub.saw("first gone"); // that of the window before
    await project.hub.saw("first gone");
    await window.picks(/first.*not decided/).waitFor();
    await window.page.keyboard.press("Escape");
  });
  await window.check(t, "are asked about again when their entry changes", async () => {
    const changed = { ...project.fake("second", "tool echo"), cwd: "." };
    project.write(".mcp.json", JSON.stringify({ mcpServers: { second: changed } }));
    await window.notification("Allow the MCP server “second” of this project?").waitFor();
    await project.hub.saw("second gone");
    // What is shown is not what there is when it is allowed.
    project.write(".mcp.json", JSON.stringify({ mcpServers: { second: { ...changed, cwd: ".." } } }));
    const newer = window.notification(/It runs:.* In: \.\. /);
    await newer.waitFor();
    await window
      .notification(/It runs:.* In: \. /)
      .getByRole("button", { name: "Allow", exact: true })
      .click();
    await window.notification("“second” has changed since it was shown").waitFor();
    assert.equal(project.hub.count("second started"), 1);
    await newer.getByRole("button", { name: "Allow", exact: true }).click();
    await project.hub.saw("second started");
  });
});
