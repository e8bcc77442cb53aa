// The client of the TypeScript SDK, version 2: node sdk-v2.mjs MODE COMMAND [ARGUMENT…].
// MODE is how it finds out what is spoken: legacy, auto, or the one version that may be.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { say, steer } from "./steered.mjs";

const [mode, command, ...args] = process.argv.slice(2);
// Unless it is told the environment, it passes on six variables.
const transport = new StdioClientTransport({ command, args, env: process.env });
const client = new Client(
  { name: "sdk-v2", version: "1" },
  {
    capabilities: {},
    versionNegotiation: { mode: mode === "legacy" || mode === "auto" ? mode : { pin: mode } },
    // In the stateless era this is what makes it listen.
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => say({ changed: true }) } },
  },
);
await client.connect(transport);
await steer(
  {
    list: async () => (await client.listTools()).tools,
    call: (params, options) => client.callTool(params, options),
    close: () => client.close(),
  },
  client.getNegotiatedProtocolVersion(),
);
