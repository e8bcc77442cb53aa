/** Configuration files in the editor: what is wrong in them, what they ask for, and entries of them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../driver/patience.js";
import { openWindow } from "../driver/shared.js";
import type { Window } from "../driver/window.js";

/** problem is one that the sidecar has found. VS Code's own view of JSON finds some of the same. */
function problem(window: Window, says: string) {
  return window.page
    .locator(".markers-panel .monaco-list-row", { hasText: says })
    .filter({ hasText: "mcp-sidecar" });
}

test("configuration files", async (t) => {
  const text = '// ours\n{"mcpServers": {\n  "off": {"command": "x", "enabled": false} // for now\n}}\n';
  const window = await openWindow(t, {
    files: () => ({
      ".mcp.json": '{\n  "mcpServers": {\n    "ü": 7\n  }\n}\n',
      ".mcp-sidecar/mcp.json": text,
    }),
  });

  await window.check(t, "have a squiggle where they are broken", async () => {
    await window.open(".mcp.json");
    await window.command("Problems: Focus on Problems View");
    await problem(window, "[Ln 3, Col 10]").waitFor();
    await window.squiggles().first().waitFor();
    await window.screenshot("squiggle");
  });
  await window.check(t, "have none when they are mended", async () => {
    window.project.write(".mcp.json", window.project.servers({ first: "tool echo" }));
    await window.notification("“first”").waitFor();
    await problem(window, "").first().waitFor({ state: "detached" });
    await window.squiggles().first().waitFor({ state: "detached" });
  });
  await window.check(t, "are opened at the line of a server", async () => {
    await window.view("MCP Sidecar");
    await window.row("first").first().hover();
    await window.row("first").getByRole("button", { name: "Open Configuration" }).click();
    await window.status(/Ln 3, Col \d/).waitFor();
  });
  await window.check(t, "are given another server, and left to be saved", async () => {
    const file = join(window.project.dir, ".mcp-sidecar/mcp.json");
    await window.command("MCP Sidecar: Add a Server to This Project");
    await window.status(/\(9 selected\)/).waitFor();
    assert.equal(readFileSync(file, "utf8"), text);
    await window.page.keyboard.type("mine");
    await window.page.keyboard.press("Control+S");
    await until("the file to be saved", () => readFileSync(file, "utf8") !== text);
    const saved = readFileSync(file, "utf8");
    assert.ok(
      saved.startsWith(
        '// ours\n{"mcpServers": {\n  "off": {"command": "x", "enabled": false}, // for now\n',
      ),
    );
    assert.match(saved, /\n {2}"mine": \{\n/);
  });
  await window.check(t, "of the user need not be there yet", async () => {
    await window.command("MCP Sidecar: Add a Server for Me");
    await window.status(/\(9 selected\)/).waitFor();
    await window.page.keyboard.press("Control+Shift+End");
    await window.command("View: Revert and Close Editor");
  });
});

test("a value that a file asks for", async (t) => {
  const window = await openWindow(t, {
    files: (project) => {
      const entry = project.fake("first", "tool echo");
      const servers = { first: { ...entry, env: { ...entry.env, TOKEN: "${input:token}" } } };
      const inputs = [
        { id: "token", type: "promptString", description: "Token of the test", password: true },
      ];
      return {
        ".vscode/settings.json": '{ "mcpSidecar.excludeEditorServers": false }',
        ".vscode/mcp.json": JSON.stringify({ inputs, servers }, null, 2),
      };
    },
  });
  const { hub } = window.project;

  await window.check(t, "is asked for when its server is allowed", async () => {
    await window.notification("“first”").getByRole("button", { name: "Allow", exact: true }).click();
    await window.page.getByText("MCP server “first”: Token of the test").waitFor();
    await window.screenshot("input");
    assert.equal(hub.count("first started"), 0);
    const secrets = await window.secrets();
    await window.answer("the-secret-value");
    await hub.saw("first started");
    await until("the value to be kept", async () => (await window.secrets()) !== secrets);
  });
  await window.check(t, "is kept for the next time", async () => {
    await window.load();
    await hub.saw("first started");
    await window.status("MCP 1/1").waitFor();
    assert.equal(await window.notification("needs a value").count(), 0);
  });
  await window.check(t, "is forgotten, and asked for again", async () => {
    await window.command("MCP Sidecar: Forget Saved Input Values");
    const secrets = await window.secrets();
    await window.pick(/token/);
    await window.page.getByRole("button", { name: "OK", exact: true }).click();
    await window.page.getByText("MCP server “first”: Token of the test").waitFor();
    await window.page.keyboard.press("Escape");
    await window.status(/MCP 0\/1/).waitFor();
    await until("the value to be forgotten", async () => (await window.secrets()) !== secrets);
  });
  await window.check(t, "that nobody expects is told of in a notification", async () => {
    await window.load();
    await window
      .notification("needs a value for ${input:token}")
      .getByRole("button", { name: "Enter Value…" })
      .click();
    await window.page.getByText("MCP server “first”: Token of the test").waitFor();
    await window.answer("another-value");
    await hub.saw("first started");
  });
});
