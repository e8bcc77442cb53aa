/** What the user sees of servers: rows, status bar, notifications, checkboxes. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { until } from "../driver/patience.js";
import { parentOf } from "../driver/processes.js";
import { ALLOWED, openWindow } from "../driver/shared.js";
import type { Window } from "../driver/window.js";
import type { Project } from "../driver/world.js";

const FILE = ".mcp.json";
const nothing = { command: "no-such-program" };

/** open opens a window whose folder has these servers, and shows the view. */
async function open(t: TestContext, servers: (project: Project) => Record<string, object>): Promise<Window> {
  const files = (project: Project) => ({ [FILE]: text(servers(project)) });
  const window = await openWindow(t, { ...ALLOWED, files });
  await window.view("MCP Sidecar");
  return window;
}

function text(mcpServers: Record<string, object>): string {
  return JSON.stringify({ mcpServers }, null, 2);
}

test("servers", async (t) => {
  const window = await open(t, (project) => ({
    late: project.fake("late", "tool echo\non start\n  stderr Fetching the server\n  hold go"),
    missing: nothing,
  }));
  const { project } = window;
  const { hub } = project;

  await window.check(t, "that start say what they are doing", async () => {
    await window.row("late").filter({ hasText: "Fetching the server" }).waitFor();
    await window.status("MCP 0/2").locator(".codicon-sync").waitFor();
  });
  await window.check(t, "that cannot start say why, and where to correct it", async () => {
    await window.row("missing").filter({ hasText: 'failed · command "no-such-program" not found' }).waitFor();
    const notice = window.notification('MCP server "missing": command "no-such-program" not found');
    await notice.getByRole("button", { name: "Open Configuration" }).click();
    await window.tab(FILE).waitFor();
    await notice.waitFor({ state: "hidden" });
  });
  await window.check(t, "come with their tools", async () => {
    await hub.saw("late holding go");
    hub.release("late", "go");
    await window.row("late").filter({ hasText: "1 tool" }).waitFor();
    await window.status("MCP 1/2").waitFor();
    await window.row("late").locator(".monaco-tl-twistie").click();
    await window.row("echo").waitFor();
    await window.screenshot("servers");
  });
  await window.check(t, "that fail again are not told again", async () => {
    const late = project.fake("late", "tool echo");
    project.write(FILE, text({ missing: nothing, other: { command: "no-such-other" }, late }));
    await window.command("MCP Sidecar: Reload All Servers");
    // All that failed within this moment are told together: it is one.
    const notice = window.notification('MCP server "other": command');
    await notice.waitFor();
    assert.equal(await window.notification(/do not work|"missing"/).count(), 0);
    await window.row("missing").filter({ hasText: "failed" }).waitFor();
    await notice.getByRole("button", { name: "Show Log" }).click();
  });
  await window.check(t, "return when they can, and are told anew after that", async () => {
    project.write(FILE, text({ missing: project.fake("missing", "tool echo") }));
    await window.row("missing").filter({ hasText: "1 tool" }).waitFor();
    await window.status("MCP 1/1").waitFor();
    project.write(FILE, text({ missing: nothing }));
    await window.notification('MCP server "missing": command').waitFor();
    await window.status("MCP 0/1").waitFor();
  });
  await window.check(t, "that are gone leave the view", async () => {
    project.write(FILE, text({}));
    await window.row("missing").waitFor({ state: "detached" });
    await window.welcome("No MCP server is configured").waitFor();
  });
});

test("switches and restarts", async (t) => {
  const window = await open(t, (project) => ({
    files: project.fake("files", "tool one\ntool two"),
    spare: { ...project.fake("spare", "tool three"), enabled: false },
  }));
  const { hub } = window.project;
  const told = window.notification("The MCP sidecar is started again: it was killed by SIGKILL");
  const box = (row: string) => window.row(row).getByRole("checkbox");
  // VS Code loses a click on a row while it asks for the list anew, and then shows the box as it was.
  const toggle = (row: string, on: boolean, says: string) =>
    until(`${row} to be ${says}`, async () => {
      if ((await box(row).getAttribute("aria-checked")) !== String(on)) await box(row).click();
      const told = window.row(row).filter({ hasText: says }).waitFor({ timeout: 2000 });
      return told.then(
        () => true,
        () => false,
      );
    });
  await window.row("files").filter({ hasText: "2 tools" }).waitFor();
  await window.row("files").locator(".monaco-tl-twistie.collapsible").click();
  await window.row("two").waitFor();
  await window.screenshot("view");

  await window.check(t, "checkboxes switch tools off and on", async () => {
    await toggle("two", false, "off");
    await window.row("files").filter({ hasText: "1 tool, 1 off" }).waitFor();
    await toggle("two", true, "two");
    await window.row("files").filter({ hasText: "2 tools" }).waitFor();
    await window.row("two").filter({ hasText: "off" }).waitFor({ state: "detached" });
  });
  await window.check(t, "a checkbox connects a server that its file switches off", async () => {
    await window.row("spare").filter({ hasText: "off in its file" }).waitFor();
    await toggle("spare", true, "1 tool");
    assert.equal(await box("spare").getAttribute("aria-checked"), "true");
  });
  await window.check(t, "the sidecar's end is told, and what was open stays open", async () => {
    assert.equal(hub.count("files started"), 1, "nothing is started twice");
    process.kill(sidecarOf(hub.pids), "SIGKILL");
    await hub.saw("files gone");
    await hub.saw("spare gone");
    await told.waitFor();
    await hub.saw("files got tools/list");
    await window.row("one").waitFor();
    await window.status("MCP 1/1").waitFor();
  });
  await window.check(t, "its end is told once", async () => {
    await told.getByRole("button", { name: "Show Log" }).click();
    await told.waitFor({ state: "hidden" });
    await window.output("It is started again.").waitFor();
    process.kill(sidecarOf(hub.pids), "SIGKILL");
    await hub.saw("files gone");
    await hub.saw("files got tools/list");
    await window.status("MCP 1/1").waitFor();
    assert.equal(await told.count(), 0);
  });
  await window.check(t, "its restart can be wished for", async () => {
    await window.status("MCP 1/1").click();
    await window.picks("Restart the Sidecar").waitFor();
    await window.screenshot("status");
    await window.pick("Restart the Sidecar");
    await hub.saw("files gone");
    await hub.saw("files got tools/list");
    await window.status("MCP 1/1").waitFor();
    assert.equal(await told.count(), 0);
  });
  await window.check(t, "a checkbox switches a server off, also for the next window", async () => {
    await toggle("files", false, "switched off");
    await hub.saw("files gone");
    const starts = hub.count("files started");
    await until("the switch to be kept", async () => /switchedOff[^}]*files/.test(await window.state()));
    await window.load();
    await window.view("MCP Sidecar");
    await window.row("files").filter({ hasText: "switched off" }).waitFor();
    assert.equal(hub.count("files started"), starts);
    await toggle("files", true, "2 tools");
  });
  await window.check(t, "a window that is closed ends its servers", async () => {
    await window.close();
    await hub.saw("files gone");
  });
});

test("a sidecar that cannot run", async (t) => {
  const settings = ".vscode/settings.json";
  const files = { [settings]: JSON.stringify({ "mcpSidecar.path": "/no/such/program" }) };
  const window = await openWindow(t, { ...ALLOWED, files: () => files });
  await window.view("MCP Sidecar");
  await window.status("MCP failed").waitFor();

  await window.check(t, "leaves the view with what there is to do", async () => {
    await window.welcome("The sidecar does not run").waitFor();
    await window.welcome("Start It").waitFor();
    await window.welcome("Show Log").getByRole("button", { name: "Show Log" }).click();
    await window.output("/no/such/program").waitFor();
  });
  await window.check(t, "runs when the setting is corrected", async () => {
    window.project.write(settings, "{}");
    await window.status("MCP failed").waitFor({ state: "detached" });
    await window.welcome("The sidecar does not run").waitFor({ state: "detached" });
  });
});

/** sidecarOf is the process that has started these servers. */
function sidecarOf(servers: readonly number[]): number {
  const [server] = servers;
  assert.ok(server);
  return parentOf(server);
}
