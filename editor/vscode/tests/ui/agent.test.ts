import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat } from "../driver/chat.js";
import { marked, WORLD } from "../driver/processes.js";
import { ALLOWED, openWindow } from "../driver/shared.js";
import type { Window } from "../driver/window.js";

/** The server lists one more tool when it is let go, and then one fewer. */
const SCRIPT = `
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

test("the editor's own agent", async (t) => {
  const window = await openWindow(t, {
    ...ALLOWED,
    files: (project) => ({ ".mcp.json": project.servers({ lab: SCRIPT }) }),
  });
  const { hub } = window.project;
  await hub.saw("lab got tools/list");
  const chat = await Chat.open(window);

  await window.check(t, "is offered the tools in its first turn, and calls one when it may", async () => {
    const tools = await chat.ask(`call ${EARLY} {"n":1}`);
    assert.ok(tools.includes(EARLY), tools.join());
    assert.ok(!tools.includes(LATE));
    assert.ok(!tools.includes("mcp_sidecar_call"), "it needs no other way to them");
    await chat.confirmation.waitFor();
    await window.screenshot("agent-allow");
    await chat.allow();
    await hub.saw("lab got tools/call early");
    await chat.answered("It said:");
    await window.screenshot("agent-answer");
  });
  await window.check(t, "is offered a tool that came late in its next turn", async () => {
    await hub.saw("lab holding more");
    hub.release("lab", "more");
    await hub.saw("lab got tools/list");
    await turn(chat, (tools) => tools.includes(LATE));
    const tools = await chat.ask(`call ${LATE} {}`);
    assert.ok(tools.includes(LATE) && tools.includes(EARLY), tools.join());
    await chat.allow();
    await hub.saw("lab got tools/call late");
  });
  await window.check(t, "is not offered one that is gone", async () => {
    await hub.saw("lab holding fewer");
    hub.release("lab", "fewer");
    await hub.saw("lab got tools/list");
    await turn(chat, (tools) => tools.includes(LATE) && !tools.includes(EARLY));
  });
  await window.check(t, "has what there is after the sidecar was killed", async () => {
    const [pid] = sidecars(window);
    assert.ok(pid);
    process.kill(pid, "SIGKILL");
    await hub.saw("lab gone");
    await hub.saw("lab got tools/list");
    await turn(chat, (tools) => tools.includes(REBORN));
    const tools = await chat.ask(`call ${REBORN} {}`);
    assert.ok(tools.includes(REBORN), tools.join());
    await chat.allow();
    await hub.saw("lab got tools/call reborn");
  });
});

/**
 * turn is one of the next that is offered what it should. The first that the sidecar could have told of is, mostly;
 * but no sign shows when a change has come all the way to VS Code.
 */
async function turn(chat: Chat, fits: (tools: string[]) => boolean): Promise<void> {
  let tools: string[] = [];
  for (let n = 0; n < 5; n++) {
    tools = await chat.ask("nothing");
    await chat.answered("Nothing to call.");
    if (fits(tools)) return;
  }
  assert.fail(`five turns were offered ${tools.join()}`);
}

/** sidecars are those of the window, and not what joins their sessions. */
function sidecars({ editor, project }: Window): number[] {
  const all = project.processes(marked(WORLD, editor.world.dir));
  return all.filter(({ command }) => /bin\/mcp-sidecar(?! mcp)/.test(command)).map(({ pid }) => pid);
}
