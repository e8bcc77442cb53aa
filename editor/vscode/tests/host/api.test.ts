/** What the extension gives to others, as another extension finds it. */
import assert from "node:assert/strict";
import { suite, test } from "mocha";
import * as vscode from "vscode";
import type { McpSidecarApi } from "../../src/api.js";
import { insideProject } from "../driver/inside_project.js";
import { until } from "../driver/patience.js";

async function api(): Promise<McpSidecarApi> {
  const extension = vscode.extensions.getExtension<McpSidecarApi>("mcp-sidecar.mcp-sidecar");
  assert.ok(extension);
  return extension.activate();
}

/** heard collects what an event tells. */
function heard<T>(event: vscode.Event<T>): T[] {
  const all: T[] = [];
  event((value) => all.push(value));
  return all;
}

suite("the API for other extensions", () => {
  test("every command of the manifest is registered", async () => {
    await api();
    const registered = new Set(await vscode.commands.getCommands(true));
    const { packageJSON } = vscode.extensions.getExtension("mcp-sidecar.mcp-sidecar") ?? {};
    const { commands } = (packageJSON as { contributes: { commands: { command: string }[] } }).contributes;
    const missing = commands.filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  test("tools come, are called with progress, change, and go", async () => {
    const mcp = await api();
    const project = await insideProject();
    const tools = heard(mcp.onDidChangeTools);
    const servers = heard(mcp.onDidChangeServers);
    assert.equal(mcp.version, 1);
    await mcp.ready();
    assert.equal(mcp.state, "running");

    const script =
      "tool echo\nspare more\non tools/call echo\n  progress 1 2 half\n  default\non tools/call more\n  tools echo\n  changed\n  default\n";
    const settings = vscode.workspace.getConfiguration("mcpSidecar");
    await settings.update("servers", { api: project.fake("api", script) }, vscode.ConfigurationTarget.Global);
    const echo = await until("the tool", () => mcp.tools.find(({ server }) => server === "api"));
    assert.equal(echo.definition.name, "echo");
    assert.ok(
      Object.isFrozen(mcp.tools) && Object.isFrozen(echo.definition) && Object.isFrozen(mcp.servers[0]),
    );
    assert.ok(tools.some((told) => told.includes(echo)));
    await until("the server to be ready", () =>
      mcp.servers.some(({ name, phase }) => name === "api" && phase === "ready"),
    );
    assert.ok(servers.length > 0);

    const progress: unknown[] = [];
    const outcome = await mcp.call(
      echo.name,
      { text: "hello" },
      { onProgress: (told) => progress.push(told) },
    );
    assert.ok(!outcome.result.isError && Object.isFrozen(outcome.result));
    assert.deepEqual([outcome.details.server, outcome.details.tool], ["api", "echo"]);
    assert.deepEqual(progress, [{ progress: 1, total: 2, message: "half" }]);
    assert.deepEqual(
      await mcp.call({ server: "api", tool: "echo" }, '{"text":"hello"}').then(({ result }) => result),
      outcome.result,
    );
    const [found] = await mcp.search("echo");
    assert.equal(found?.name, echo.name);

    await assert.rejects(mcp.call("no_such_tool"), /no_such_tool/);
    await settings.update("servers", undefined, vscode.ConfigurationTarget.Global);
    await until("the tool to go", () => !mcp.tools.some(({ server }) => server === "api"));
    assert.ok(echo.definition.name, "what was given out stays as it was");
    project.close();
  });

  test("a call is cancelled, at the server too", async () => {
    const mcp = await api();
    const project = await insideProject();
    const settings = vscode.workspace.getConfiguration("mcpSidecar");
    const hangs = project.fake("hangs", "tool hang\non tools/call hang\n  hold on\n");
    await settings.update("servers", { hangs }, vscode.ConfigurationTarget.Global);
    await until("the server", () =>
      mcp.servers.some(({ name, phase }) => name === "hangs" && phase === "ready"),
    );
    const source = new vscode.CancellationTokenSource();
    const call = mcp.call({ server: "hangs", tool: "hang" }, {}, { token: source.token });
    await project.hub.saw("hangs got tools/call hang");
    source.cancel();
    await assert.rejects(call, vscode.CancellationError);
    await assert.rejects(
      mcp.call({ server: "hangs", tool: "hang" }, {}, { token: source.token }),
      vscode.CancellationError,
    );
    await settings.update("servers", undefined, vscode.ConfigurationTarget.Global);
    await until("the server to go", () => mcp.servers.every(({ name }) => name !== "hangs"));
    project.close();
  });
});
