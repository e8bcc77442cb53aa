import { test } from "node:test";
import { ALLOWED, openWindow } from "../driver/shared.js";

test("a window", async (t) => {
  const window = await openWindow(t, {
    ...ALLOWED,
    files: (project) => ({ ".mcp.json": project.servers({ first: "tool echo" }) }),
  });
  const { hub } = window.project;

  await window.check(t, "starts the servers of its folder", async () => {
    await hub.saw("first started");
    await hub.saw("first got tools/list");
  });
  await window.check(t, "has a view of them", async () => {
    await window.view("MCP Sidecar");
    await window.screenshot("view");
  });
  await window.check(t, "has a log", async () => {
    await window.command("Output: Show Output Channels...");
    await window.pick("MCP Sidecar");
    await window.output(/mcp-sidecar/).waitFor();
  });
  await window.check(t, "when it is closed, has them ended", async () => {
    await window.close();
    await hub.saw("first gone");
  });
});
