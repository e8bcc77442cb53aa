/** The pictures of the README: `make vscode-screenshots` takes them from here into media/screenshots. */
import { test } from "node:test";
import { openWindow } from "../driver/shared.js";
import type { Project } from "../driver/world.js";

function tool(name: string, title: string, description: string, annotations: object = {}): string {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } };
  return `tool ${name} ${JSON.stringify({ name, title, description, inputSchema, annotations })}\n`;
}

const FILES =
  tool("list_directory", "List a Directory", "The files in a directory.", { readOnlyHint: true }) +
  tool("read_text_file", "Read a Text File", "What a file says.", { readOnlyHint: true }) +
  tool("write_file", "Write a File", "Writes a file, or replaces it.", { destructiveHint: true });

const MEMORY =
  tool("create_entities", "Create Entities", "Remembers people and things.") +
  tool("read_graph", "Read the Graph", "All that is remembered.", { readOnlyHint: true });

const TRACKER = tool("search_issues", "Search Issues", "The issues that fit the words.", {
  readOnlyHint: true,
});

/** started is the entry of a server that a script of the folder starts: pictures show short command lines. */
function started(project: Project, name: string, script: string): object {
  const { command, args, env } = project.fake(name, script);
  const variables = Object.entries(env).map(([variable, value]) => `export ${variable}='${value}'\n`);
  project.script(
    `servers/${name}`,
    `#!/bin/sh\n${variables.join("")}exec '${command}' '${args.join("' '")}'\n`,
  );
  return { command: "sh", args: [`servers/${name}`] };
}

/** In .mcp.json VS Code would show buttons of its own. */
const FILE = ".mcp-sidecar/mcp.json";

/** All kinds of servers: two that work, one that ends at once, one that takes its time. */
function mixed(project: Project): Record<string, string> {
  const servers = {
    files: started(project, "files", FILES),
    memory: started(project, "memory", MEMORY),
    database: started(
      project,
      "database",
      "on start\n  stderr no database answers at localhost:5432\n  crash 1\n",
    ),
    tracker: started(
      project,
      "tracker",
      `on start\n  stderr reading the index of issues\n  hold index\n${TRACKER}`,
    ),
  };
  return { [FILE]: `${JSON.stringify({ mcpServers: servers }, null, 2)}\n` };
}

test("the pictures of the README", async (t) => {
  const window = await openWindow(t, { folder: "shop", files: mixed });
  const { page } = window;

  await window.check(t, "the question about trust", async () => {
    await window.view("MCP Sidecar");
    await window.row("not trusted").nth(3).waitFor();
    await window.command("MCP Sidecar: Manage Trust in the Project's Servers…");
    for (const name of ["files", "memory", "tracker", "database"]) {
      await window.pick(name);
      const dialog = window.dialog(name);
      await dialog.waitFor();
      if (name === "files") await window.screenshot("readme-trust");
      await dialog.getByRole("button", { name: "Allow" }).click();
    }
    await window.picks(/database.*allowed/).waitFor();
    await page.keyboard.press("Escape");
    // The question of the notification is answered; only who sees it can take it away.
    await window.command("Notifications: Clear All Notifications");
  });
  await window.check(t, "the view, and the status bar", async () => {
    await window.status("MCP 2/4").waitFor();
    await window.row("files").locator(".monaco-tl-twistie").click();
    await window.row("Write a File").waitFor();
    await window.open("mcp.json");
    await window.screenshot("readme-view");
  });
  await window.check(t, "what can be done", async () => {
    await window.status("MCP 2/4").click();
    await window
      .picks(/database/)
      .first()
      .waitFor();
    await window.screenshot("readme-actions");
    await page.keyboard.press("Escape");
  });
});
