// Compiles if the types of the entries that need nothing else installed can be used.
import type { ToolSource } from "mcp-sidecar";
import * as anthropic from "mcp-sidecar/anthropic";
import type { SidecarClient } from "mcp-sidecar/client";
import * as openai from "mcp-sidecar/openai";

export const made = (source: ToolSource) => [openai.openaiTools(source), anthropic.anthropicTools(source)];
export type Client = InstanceType<typeof SidecarClient>;
