/**
 * The definition behind a name, and what it says in words.
 */
import type { ToolSource } from "../client.js";
import type { Tool } from "../mcp.js";
import { cut, wellFormed } from "./well-formed.js";

/**
 * isExposed: is this the name of a tool of a sidecar, now or at some time? (settings.toolNames has the
 * forms.)
 */
export function isExposed(name: string): boolean {
  return name.startsWith("mcp_");
}

/** toolNamed is the tool of that name. One that is gone has a definition without content. */
export function toolNamed(source: ToolSource, name: string): Tool {
  const tool = source.tools.find((one) => one.name === name);
  return tool ?? { name, label: name, server: "", state: "deferred", path: "", definition: { name } };
}

/**
 * LONGEST is how many characters OpenAI takes for a description ("string too long", from most of its models).
 */
export const LONGEST = 1024;

/** description is the tool's own, or else its title. */
export function description({ definition }: Tool, longest: number): string | undefined {
  const said = [definition.description, definition.title, definition.annotations?.title];
  const text = said.find((one) => typeof one === "string" && one.trim() !== "");
  return typeof text === "string" ? wellFormed(cut(text, longest)) : undefined;
}
