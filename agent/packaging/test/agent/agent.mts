// An agent as its author would write it; takes the directory of the user's project.
import { Sidecar } from "mcp-sidecar";

const sidecar = await Sidecar.spawn({ cwd: process.argv[2] ?? "." });
const names: string[] = sidecar.tools.map((tool) => tool.name);
const { result } = await sidecar.call("mcp_greeter_greet", { name: "npm" });
console.log(JSON.stringify({ binary: sidecar.binary, names, text: result.content?.[0]?.text }));
await sidecar.close();
