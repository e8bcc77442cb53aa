import assert from "node:assert/strict";
import { test } from "node:test";
import { Chat } from "../driver/chat.js";
import { ALLOWED, openWindow } from "../driver/shared.js";

test("the agent in chat", async (t) => {
  const window = await openWindow(t, {
    ...ALLOWED,
    files: (project) => ({ ".mcp.json": project.servers({ first: "tool echo" }) }),
  });
  await window.project.hub.saw("first got tools/list");
  let chat: Chat;
  await window.check(t, "is there, signed out", async () => {
    chat = await Chat.open(window);
  });
  await window.check(t, "is offered the tools, asks, and calls one", async () => {
    const tools = await chat.ask('call mcp_mcp-sidecar_first_echo {"x":"from the chat"}');
    assert.ok(tools.includes("mcp_mcp-sidecar_first_echo"), tools.join(" "));
    await chat.confirmation.waitFor();
    await chat.allow();
    await window.project.hub.saw("first got tools/call echo");
    await chat.answered('It said: echo {"x":"from the chat"}');
  });
});
