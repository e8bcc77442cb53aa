/** Records of servers and tools to test with: what a test does not say is as usual. */
import type { Server, Tool, ToolDefinition } from "mcp-sidecar";
import type { View } from "../../src/view.js";

export function server(given: Partial<Server> = {}): Server {
  return {
    name: "files",
    status: "connected",
    phase: "ready",
    transport: "stdio",
    tools: { count: 2, from: "live" },
    source: {
      provider: "mcp-sidecar",
      providerName: "mcp-sidecar",
      level: "user",
      path: "/home/me/.config/mcp-sidecar/mcp.json",
      line: 3,
      column: 5,
    },
    attempt: 1,
    timings: {},
    ...given,
  };
}

export function tool(
  definition: Partial<ToolDefinition> & { name: string },
  given: Partial<Tool> = {},
): Tool {
  const of = given.server ?? "files";
  return {
    name: `mcp_${of}_${definition.name}`,
    label: `${of}/${definition.name}`,
    server: of,
    state: "live",
    path: `mcp:${of}`,
    definition: { inputSchema: { type: "object" }, ...definition },
    ...given,
  };
}

/** view is that of a sidecar that runs. */
export function view(given: Partial<View> = {}): View {
  return {
    condition: { kind: "running", binary: "/bin/mcp-sidecar", pid: 7, version: "1" },
    servers: [],
    tools: [],
    errors: [],
    ...given,
  };
}
