/** The extension: it wires its parts, and hands the window's session to each. */
import * as vscode from "vscode";
import { CallTool } from "./agent/call_tool.js";
import { AgentProvider } from "./agent/provider.js";
import type { McpSidecarApi } from "./api.js";
import { ApiHost } from "./api_host.js";
import { Calls } from "./call/call.js";
import { Configuration } from "./configuration/configuration.js";
import { Diagnostics } from "./diagnostics/diagnostics.js";
import { Doctor } from "./doctor/doctor.js";
import { Inputs } from "./inputs/inputs.js";
import { currentWishes, Lifecycle } from "./lifecycle.js";
import { ServerLogs } from "./log/server_logs.js";
import { SidecarLog } from "./log/sidecar_log.js";
import { Overview } from "./overview/overview.js";
import type { Services } from "./services.js";
import { Session } from "./session.js";
import { Switches } from "./switches.js";
import { Trust } from "./trust/trust.js";

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): McpSidecarApi {
  const log = vscode.window.createOutputChannel("MCP Sidecar", { log: true });
  const switches = new Switches(context.workspaceState);
  session = new Session();
  const services: Services = {
    context,
    log,
    session,
    switches,
    wishes: () => currentWishes(context, switches),
  };
  const inputs = new Inputs(services, () => lifecycle.restart());
  const trust = new Trust(services, () => inputs.expect());
  const lifecycle = new Lifecycle(services, {
    approve: (question) => trust.approve(question),
    input: (question, context) => inputs.input(question, context),
  });
  const sidecarLog = new SidecarLog(services);
  const host = new ApiHost(session);
  context.subscriptions.push(
    log,
    inputs,
    trust,
    lifecycle,
    sidecarLog,
    new ServerLogs(services),
    host,
    new Overview(services, lifecycle),
    new Doctor(services, sidecarLog),
    new Diagnostics(services),
    new Configuration(services),
    new Calls(services),
    new AgentProvider(services),
    new CallTool(services),
  );
  lifecycle.restart();
  return host.api;
}

/** deactivate is waited for by VS Code, for a few seconds: the servers end in order. */
export async function deactivate(): Promise<void> {
  await session?.stop("closing");
}
