/** Clients over a MemoryTransport, with a session that is open, and what a sidecar says in it. */
import { type ClientOptions, SidecarClient } from "../src/client.js";
import type { Tool } from "../src/mcp.js";
import type * as wire from "../src/protocol.gen.js";
import { MemoryTransport } from "./memory-transport.js";

export function tool(server: string, name: string, more: Partial<Tool> = {}): Tool {
  return {
    name: `mcp_${server}_${name}`,
    label: `${server}/${name}`,
    server,
    state: "live",
    path: `mcp:${server}`,
    definition: { name, inputSchema: { type: "object" } },
    ...more,
  };
}

export function server(name: string, more: Partial<wire.Server> = {}): wire.Server {
  return {
    name,
    status: "connected",
    phase: "ready",
    transport: "stdio",
    tools: { count: 1, from: "live" },
    source: { provider: "host", providerName: "host", level: "host", path: "" },
    attempt: 1,
    timings: {},
    ...more,
  };
}

export function snapshot(revision: number, tools: Tool[], more: Partial<wire.Snapshot> = {}): wire.Snapshot {
  return { revision, hash: hash(tools), tools, servers: [], errors: [], ...more };
}

/** push is the difference that leads from one revision to the next. */
export function push(
  [previousRevision, revision]: [number, number],
  more: Partial<wire.ToolsChanged>,
): { method: string; params: wire.ToolsChanged } {
  const nothing = { hash: `h${revision}`, added: [], updated: [], removed: [], servers: [] };
  return {
    method: "tools/changed",
    params: { previousRevision, revision, ...nothing, reason: "connected", ...more },
  };
}

export function welcome(first: wire.Snapshot): wire.InitializeResult {
  const sidecar = { name: "mcp-sidecar", version: "1.0.0" };
  return { protocolVersion: 1, sidecar, methods: ["runtime/configure", "tools/call"], snapshot: first };
}

/** opened is a client whose first snapshot has these tools. */
export async function opened(tools: Tool[] = [], options: ClientOptions = {}) {
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport, options);
  const opening = client.initialize({ cwd: "/project" });
  transport.say({ id: 1, result: welcome(snapshot(1, tools)) });
  await opening;
  return { transport, client };
}

/** hash is equal for tools that are, but for their state. */
function hash(tools: Tool[]): string {
  return JSON.stringify(tools.map((each) => ({ ...each, state: "" })));
}
