/** The log of the sidecar, the logs of servers and the report, as they can be read in the editor. */
import assert from "node:assert/strict";
import { suite, suiteSetup, suiteTeardown, test } from "mocha";
import * as vscode from "vscode";
import type { McpSidecarApi } from "../../src/api.js";
import { insideProject } from "../driver/inside_project.js";
import { until } from "../driver/patience.js";
import type { Project } from "../driver/world.js";

const SCRIPT = `tool say
on start
  stderr from the beginning
on tools/call say
  stderr it was said
  log warning a warning
  noise 2 not JSON
  default
`;
const SECRET = "hunter2";

let mcp: McpSidecarApi;
let project: Project;
const settings = () => vscode.workspace.getConfiguration("mcpSidecar");

/** output is the text of a channel that is, or was, in front. */
function output(name: string): string {
  const documents = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "output");
  return documents.find(({ uri }) => uri.path.endsWith(`${name}.log`))?.getText() ?? "";
}

async function shows(name: string, text: string): Promise<void> {
  await until(
    () => `"${text}" in ${name}, which has:\n${output(name)}`,
    () => output(name).includes(text),
  );
}

async function ready(): Promise<void> {
  await until("the server", () =>
    mcp.servers.some(({ name, phase }) => name === "talks" && phase === "ready"),
  );
}

suite("logs and the report", () => {
  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension<McpSidecarApi>("mcp-sidecar.mcp-sidecar");
    assert.ok(extension);
    mcp = await extension.activate();
    project = await insideProject();
    const talks = project.fake("talks", SCRIPT);
    const entry = { ...talks, env: { ...talks.env, API_TOKEN: SECRET } };
    await settings().update("servers", { talks: entry }, vscode.ConfigurationTarget.Global);
    await ready();
  });

  suiteTeardown(async () => {
    await settings().update("trace.server", undefined, vscode.ConfigurationTarget.Workspace);
    await settings().update("servers", undefined, vscode.ConfigurationTarget.Global);
    await until("the server to go", () => mcp.servers.every(({ name }) => name !== "talks"));
    project.close();
  });

  test("the log of a server has what it wrote, and follows it while it can be seen", async () => {
    await vscode.commands.executeCommand("mcpSidecar.showServerLog", { kind: "server", name: "talks" });
    await shows("MCP Sidecar talks", "stderr: from the beginning");
    await mcp.call({ server: "talks", tool: "say" }, { text: "hello" });
    // No status tells of these: they come because somebody looks.
    await shows("MCP Sidecar talks", "stderr: it was said");
    await shows("MCP Sidecar talks", "[warning]");
    await shows("MCP Sidecar talks", "log: a warning");
    await shows("MCP Sidecar talks", "2 lines on stdout are no MCP message");
    assert.equal(output("MCP Sidecar talks").split("from the beginning").length, 2, "each line once");
  });

  test("the trace begins and ends with the setting, and has no secrets", async () => {
    await vscode.commands.executeCommand("mcpSidecar.showLog");
    await shows("MCP Sidecar", "the sidecar runs: ");
    assert.ok(!output("MCP Sidecar").includes("→"));
    await settings().update("trace.server", "verbose", vscode.ConfigurationTarget.Workspace);
    await mcp.call({ server: "talks", tool: "say" }, { text: "traced", password: SECRET });
    await shows("MCP Sidecar", '"text": "traced"');
    await until("the answer", () => /← tools\/call \(\d+\) answered in \d+ ms/.test(output("MCP Sidecar")));
    await settings().update("trace.server", "off", vscode.ConfigurationTarget.Workspace);
    await mcp.search("untraced");
    await vscode.commands.executeCommand("mcpSidecar.restart");
    await until("another sidecar", () => output("MCP Sidecar").split("the sidecar runs: ").length === 3);
    assert.ok(!output("MCP Sidecar").includes("untraced"));
    // What the server echoes is a result, and results are written as they are.
    const mine = output("MCP Sidecar")
      .split("\n")
      .filter((line) => /^ {4}/.test(line) && !line.includes('"text":'));
    assert.ok(!mine.join("\n").includes(SECRET), mine.join("\n"));
  });

  test("a sidecar that is killed is told of, and a server's log goes on after it", async () => {
    await ready();
    const pid = Number(/.*the sidecar runs: .* process (\d+)/s.exec(output("MCP Sidecar"))?.[1]);
    process.kill(pid, "SIGKILL");
    await until("the end", () => mcp.state !== "running");
    await shows("MCP Sidecar", "was killed by SIGKILL");
    await shows("MCP Sidecar", "It is started again.");
    await mcp.ready();
    await ready();
    await vscode.commands.executeCommand("mcpSidecar.showServerLog", "talks");
    await shows("MCP Sidecar talks", "the sidecar was started anew");
    // Of the first sidecar, of the one after the restart, and of this one.
    await until(
      "the new beginning",
      () => output("MCP Sidecar talks").split("from the beginning").length === 4,
    );
  });

  test("the report names what is wrong, leads to the files, and can be made anew", async () => {
    project.write(".mcp.json", '{\n  "mcpServers": {\n    "broken": { "cmd": "x" }\n  }\n}\n');
    await until("the entry", () => mcp.servers.some(({ name }) => name === "broken"));
    await vscode.commands.executeCommand("mcpSidecar.doctor");
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, "mcp-sidecar-report");
    assert.equal(document.languageId, "markdown");
    assert.match(document.getText(), /## What is wrong\n\n- ❌ .*broken/);
    assert.ok(!document.getText().includes(SECRET));
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      "vscode.executeLinkProvider",
      document.uri,
    );
    const targets = links.map(({ target }) => `${target?.fsPath}#${target?.fragment}`);
    assert.ok(targets.includes(`${project.dir}/.mcp.json#L3`), targets.join("\n"));

    project.write(".mcp.json", '{ "mcpServers": {} }\n');
    await until("the entry to go", () => mcp.servers.every(({ name }) => name !== "broken"));
    await vscode.commands.executeCommand("mcpSidecar.refreshReport");
    await until("the new report", () => !document.getText().includes("broken"));

    await vscode.commands.executeCommand("mcpSidecar.copyReport");
    const copied = await vscode.env.clipboard.readText();
    assert.match(copied, /^# MCP Sidecar\n/);
    assert.ok(!copied.includes("API_TOKEN") && !copied.includes(SECRET));
  });
});
