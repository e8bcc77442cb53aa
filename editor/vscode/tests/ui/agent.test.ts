import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat } from "../driver/chat.js";
import { parentOf } from "../driver/processes.js";
import { ALLOWED, openWindow } from "../driver/shared.js";

/** The server lists one more tool when it is let go, and then one fewer. */
const LAB = `
tool early
spare late
spare reborn
on tools/call early
  default
  hold more
  tools early late
  changed
on tools/call late
  default
  hold fewer
  tools late
  changed
on start #2+
  tools late reborn
`;

const EARLY = "mcp_mcp-sidecar_lab_early";
const LATE = "mcp_mcp-sidecar_lab_late";
const REBORN = "mcp_mcp-sidecar_lab_reborn";
const OTHER = "mcp_mcp-sidecar_other_echo";
const SETTINGS = ".vscode/settings.json";

test("the editor's own agent", async (t) => {
  const window = await openWindow(t, {
    trusted: false,
    agent: true,
    ...ALLOWED,
    files: (project) => ({
      ".mcp-sidecar/mcp.json": project.servers({ lab: LAB, other: "tool echo" }),
      // VS Code runs this one as well, so that its processes are not the hub's affair.
      ".mcp.json": JSON.stringify({
        mcpServers: { both: { ...project.fake("both", "tool twice"), env: {} } },
      }),
      [SETTINGS]: "{}",
    }),
  });
  const { page } = window;
  const { hub } = window.project;

  await window.check(t, "is offered nothing in a restricted workspace", async () => {
    await window.dialog("trust the authors").getByRole("button", { name: /^No/ }).click();
    await window.status("MCP off").waitFor();
    // VS Code's agent has no model there, so that it cannot be asked; but these are all servers that VS Code has.
    await window.command("MCP: List Servers");
    await window.picks("Add Server").waitFor();
    assert.equal(await window.picks("MCP Sidecar").count(), 0);
    await window.dismiss();
  });
  await window.check(t, "is offered a server when the workspace is trusted", async () => {
    await window.command("Workspaces: Manage Workspace Trust");
    await page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await hub.saw("lab got tools/list");
    await window.command("View: Close All Editors");
    await window.command("MCP: List Servers");
    await window.picks("MCP Sidecar").waitFor();
    await window.dismiss();
  });
  const chat = await Chat.open(window);
  await window.check(t, "is offered the tools in its first turn, and calls one when it may", async () => {
    const tools = await chat.ask(`call ${EARLY} {"n":1}`);
    assert.deepEqual(ours(tools), [EARLY, OTHER]);
    await chat.confirmation.waitFor();
    await window.screenshot("agent-allow");
    assert.equal(hub.count("lab got tools/call early"), 0);
    await chat.allow();
    await hub.saw("lab got tools/call early");
    await chat.answered('It said: early {"n":1}');
    await window.screenshot("agent-answer");
  });
  await window.check(t, "has the tools of a server that VS Code runs as well once", async () => {
    let named: string[] = [];
    for (let n = 0; n < 5 && named.length === 0; n++) {
      named = (await chat.look()).filter((name) => name.endsWith("_twice"));
    }
    assert.deepEqual(named, ["mcp_both_twice"]);
  });
  await window.check(t, "is offered a tool that came late in its next turn", async () => {
    await hub.saw("lab holding more");
    hub.release("lab", "more");
    await turn(chat, [EARLY, LATE, OTHER]);
    await chat.ask(`call ${LATE} {"n":2}`);
    await chat.allow();
    await hub.saw("lab got tools/call late");
    await chat.answered('It said: late {"n":2}');
  });
  await window.check(t, "is not offered one that is gone", async () => {
    await hub.saw("lab holding fewer");
    hub.release("lab", "fewer");
    await turn(chat, [LATE, OTHER]);
  });
  await window.check(t, "is offered the servers that the user chooses", async () => {
    window.project.write(SETTINGS, '{ "mcpSidecar.agent.except": ["oth*"] }');
    await turn(chat, [LATE]);
    window.project.write(SETTINGS, '{ "mcpSidecar.agent.only": ["other"] }');
    await turn(chat, [OTHER]);
  });
  await window.check(t, "has one tool for all others, if the user wants it", async () => {
    // It is for the servers that are chosen, too.
    const chosen = '{ "mcpSidecar.agent.callTool": "always", "mcpSidecar.agent.only": ["other"] }';
    window.project.write(SETTINGS, chosen);
    await turn(chat, [OTHER, "mcp_sidecar_call"]);
    await chat.ask('call mcp_sidecar_call {"query":"late echo"}');
    await chat.answered(/It said: \{"name":"\S+","server":"other"/);
    await chat.ask('call mcp_sidecar_call {"tool":"mcp_other_echo","arguments":{"n":4}}');
    await chat.confirmation.waitFor();
    await window.screenshot("agent-call-tool");
    await chat.allow();
    await hub.saw("other got tools/call echo");
    await chat.answered('It said: echo {"n":4}');
  });
  await window.check(t, "has what there is after the sidecar was killed", async () => {
    window.project.write(SETTINGS, "{}");
    const [server] = hub.pids;
    assert.ok(server);
    process.kill(parentOf(server), "SIGKILL");
    await hub.saw("lab gone");
    // It lies over the chat.
    const told = window.notification("The MCP sidecar is started again");
    await told.hover();
    await told.getByRole("button", { name: /^Clear Notification/ }).click();
    await turn(chat, [LATE, REBORN, OTHER]);
    await chat.ask(`call ${REBORN} {"n":3}`);
    await chat.allow();
    await hub.saw("lab got tools/call reborn");
    await chat.answered('It said: reborn {"n":3}');
  });
});

/** ours are the tools that the extension offers. */
function ours(tools: string[]): string[] {
  return tools.filter((name) => /^mcp_(mcp-)?sidecar/.test(name)).sort();
}

/**
 * turn is one of the next that is offered just that. The first that the sidecar could have told of is, mostly; but no
 * sign shows when a change has come all the way to VS Code.
 */
async function turn(chat: Chat, expected: string[]): Promise<void> {
  let tools: string[] = [];
  for (let n = 0; n < 5; n++) {
    tools = ours(await chat.look());
    if (tools.join() === expected.join()) return;
  }
  assert.deepEqual(tools, expected, "in none of five turns");
}
