// The client of the TypeScript SDK, version 1: node sdk-v1.mjs COMMAND [ARGUMENT…]
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { say, steer } from "./steered.mjs";

const [command, ...args] = process.argv.slice(2);
// Unless it is told the environment, it passes on six variables.
const transport = new StdioClientTransport({ command, args, env: process.env });
const client = new Client({ name: "sdk-v1", version: "1" }, { capabilities: {} });
client.setNotificationHandler(ToolListChangedNotificationSchema, () => say({ changed: true }));

let version;
transport.setProtocolVersion = (negotiated) => {
  version = negotiated;
};
await client.connect(transport);
await steer(
  {
    list: async () => (await client.listTools()).tools,
    call: (params, options) => client.callTool(params, undefined, options),
    close: () => client.close(),
  },
  version,
);
