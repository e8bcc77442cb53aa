/**
 * What the adapters give, and take, is of the SDKs' own types. The compiler is the test.
 */
import type Anthropic from "@anthropic-ai/sdk";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { ToolSet } from "ai";
import type { AgentMiddleware } from "langchain";
import type * as Chat from "openai/resources/chat/completions";
import type * as Responses from "openai/resources/responses/responses";
import { aiTools } from "../../src/adapters/ai.js";
import { anthropicTools, runAnthropicToolUse } from "../../src/adapters/anthropic.js";
import { langchainMiddleware, langchainTools } from "../../src/adapters/langchain.js";
import {
  openaiResponsesTools,
  openaiTools,
  runOpenAIResponsesToolCall,
  runOpenAIToolCall,
  runOpenAIToolCalls,
} from "../../src/adapters/openai.js";
import type { Sidecar, SidecarClient, ToolSource } from "../../src/index.js";

/** Given is what is given to the adapters by the SDKs. */
interface Given {
  chat: Chat.ChatCompletionMessageToolCall;
  responses: Responses.ResponseFunctionToolCall;
  anthropic: Anthropic.ToolUseBlock;
}

export async function types(sidecar: Sidecar, client: SidecarClient, source: ToolSource, given: Given) {
  return {
    chatTools: openaiTools(sidecar) satisfies Chat.ChatCompletionTool[],
    chatMessage: (await runOpenAIToolCall(client, given.chat)) satisfies Chat.ChatCompletionToolMessageParam,
    chatMessages: (await runOpenAIToolCalls(source, [
      given.chat,
    ])) satisfies Chat.ChatCompletionMessageParam[],
    responsesTools: openaiResponsesTools(sidecar) satisfies Responses.FunctionTool[],
    responsesItem: (await runOpenAIResponsesToolCall(
      sidecar,
      given.responses,
    )) satisfies Responses.ResponseInputItem.FunctionCallOutput,
    anthropicTools: anthropicTools(sidecar) satisfies Anthropic.Tool[],
    anthropicResult: (await runAnthropicToolUse(
      sidecar,
      given.anthropic,
    )) satisfies Anthropic.ToolResultBlockParam,
    aiTools: aiTools(sidecar) satisfies ToolSet,
    langchainTools: langchainTools(sidecar) satisfies StructuredToolInterface[],
    langchainMiddleware: langchainMiddleware(sidecar) satisfies AgentMiddleware,
  };
}
