/**
 * What MCP servers say inside the sidecar's messages (modelcontextprotocol.io, the schema of 2025-11-25), and
 * the types of the wire that carry it.
 *
 * Servers are as people write them, and what they send comes through unchanged. So unknown members are
 * allowed everywhere, and what servers leave out in practice is optional here, also where MCP requires it.
 */
import type * as wire from "./protocol.gen.js";

/** A JSON Schema, written as an object. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** ToolDefinition is the server's own description of a tool (MCP: Tool). */
export interface ToolDefinition {
  name: string;
  title?: string | null;
  description?: string | null;
  /** inputSchema should describe an object. Some servers send none, null, or a boolean. */
  inputSchema?: JsonSchema | boolean | null;
  /** outputSchema describes structuredContent of the result. */
  outputSchema?: JsonSchema | boolean | null;
  annotations?: ToolAnnotations | null;
  _meta?: Record<string, unknown> | null;
  [member: string]: unknown;
}

/** ToolAnnotations are hints: a server may be wrong about itself. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
  [member: string]: unknown;
}

/** CallToolResult is what a tool answers. One with isError is an answer too: for the model to read. */
export interface CallToolResult {
  content?: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

/**
 * ContentBlock is one piece of a result. Its `type` says which members it has: "text" has text; "image" and
 * "audio" have data (base64) and mimeType; "resource" has resource; "resource_link" has uri and name. Other
 * types may come.
 */
export interface ContentBlock {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
  uri?: string;
  name?: string;
  resource?: ResourceContents;
  annotations?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

/** ResourceContents is the text, or the base64 blob, of a resource. */
export interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
  [member: string]: unknown;
}

/** Progress of a call (MCP: basic/utilities/progress). */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** ElicitParams is a server's question to the user (MCP: elicitation/create). */
export interface ElicitParams {
  /** mode is "form" if it is left out. */
  mode?: "form" | "url";
  message: string;
  /** requestedSchema is of mode "form": a flat object of simple values. */
  requestedSchema?: JsonSchema;
  /** url and elicitationId are of mode "url". */
  url?: string;
  elicitationId?: string;
  [member: string]: unknown;
}

/** ElicitResult is the user's answer. content goes with "accept", in mode "form". */
export interface ElicitResult {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
  [member: string]: unknown;
}

/** CreateMessageParams is a server's request for a model's answer (MCP: sampling/createMessage). */
export interface CreateMessageParams {
  messages: SamplingMessage[];
  systemPrompt?: string;
  maxTokens?: number;
  temperature?: number;
  stopSequences?: string[];
  includeContext?: string;
  modelPreferences?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  tools?: ToolDefinition[];
  toolChoice?: { mode?: string; [member: string]: unknown };
  [member: string]: unknown;
}

/** SamplingMessage is one turn of a conversation. */
export interface SamplingMessage {
  role: "user" | "assistant";
  content: ContentBlock | ContentBlock[];
  [member: string]: unknown;
}

/** CreateMessageResult is the model's answer. */
export interface CreateMessageResult extends SamplingMessage {
  model: string;
  stopReason?: string;
}

/** Tool is the wire's Tool with the server's definition in it. */
export interface Tool extends Omit<wire.Tool, "definition"> {
  definition: ToolDefinition;
}

/** CallOutcome is the wire's CallResult with the tool's result in it. */
export interface CallOutcome extends Omit<wire.CallResult, "result"> {
  result: CallToolResult;
}

/** ElicitRequest says which server asks what. */
export interface ElicitRequest extends Omit<wire.RelayParams, "params"> {
  params: ElicitParams;
}

/** SampleRequest says which server asks what. */
export interface SampleRequest extends Omit<wire.RelayParams, "params"> {
  params: CreateMessageParams;
}
