/**
 * mcp-sidecar: every MCP server the user has configured, as one set of tools that stays true.
 *
 * Sidecar starts the program and ends it; SidecarClient is the session alone, over a Transport of your own.
 */
export {
  type ClientOptions,
  SidecarClient,
  type SidecarEvents,
  type ToolSource,
} from "./client.js";
export * from "./errors.js";
export type { Answer, HandlerContext, Handlers } from "./handlers.js";
export type * from "./mcp.js";
// The wire's own Tool has a definition of unknown type: here it has MCP's.
export type { Tool } from "./mcp.js";
export type {
  CallOptions,
  ConnectOptions,
  DoctorOptions,
  InitializeOptions,
  LogsOptions,
  RequestOptions,
  SearchOptions,
  WaitOptions,
} from "./options.js";
export * from "./protocol.gen.js";
export { type JoinOptions, type ProgramOptions, Sidecar, type SpawnOptions } from "./sidecar.js";
export type { ToolsChange } from "./toolset.js";
export type { Trace } from "./trace.js";
export type { Transport, TransportListener } from "./transport.js";
export { VERSION } from "./version.js";
