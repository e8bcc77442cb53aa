// An MCP server over stdio with one tool, for the agents beside it.
import { createInterface } from "node:readline";

const inputSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "greeter", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "greet", description: "Greets.", inputSchema }] }),
  "tools/call": (params) => ({ content: [{ type: "text", text: `hello ${params.arguments.name}` }] }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const end = answer
    ? { result: answer(params) }
    : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...end })}\n`);
}
