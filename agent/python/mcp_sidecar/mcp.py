"""What MCP servers say inside the sidecar's messages, and the types of the wire that carry it.

The source is modelcontextprotocol.io, the schema of 2025-11-25. Servers are as people write them, and what
they send comes through unchanged: unknown members may be there, and what servers leave out in practice is
optional here, also where MCP requires it. All of these are plain dicts.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from . import protocol_gen as wire


class ToolAnnotations(TypedDict, total=False):
    """Hints about a tool. A server may be wrong about itself."""

    title: str
    readOnlyHint: bool
    destructiveHint: bool
    idempotentHint: bool
    openWorldHint: bool


class _ToolDefinitionRequired(TypedDict):
    name: str


class ToolDefinition(_ToolDefinitionRequired, total=False):
    """The server's own description of a tool (MCP: Tool)."""

    title: str | None
    description: str | None
    # inputSchema should describe an object. Some servers send none, null, or a boolean.
    inputSchema: dict[str, Any] | bool | None
    # outputSchema describes structuredContent of the result.
    outputSchema: dict[str, Any] | bool | None
    annotations: ToolAnnotations | None
    icons: list[dict[str, Any]] | None
    _meta: dict[str, Any] | None


class _ResourceContentsRequired(TypedDict):
    uri: str


class ResourceContents(_ResourceContentsRequired, total=False):
    """The text, or the base64 blob, of a resource."""

    mimeType: str
    text: str
    blob: str
    _meta: dict[str, Any]


class _ContentBlockRequired(TypedDict):
    type: str


class ContentBlock(_ContentBlockRequired, total=False):
    """One piece of a result.

    Its ``type`` says which members it has: "text" has text; "image" and "audio" have data (base64) and
    mimeType; "resource" has resource; "resource_link" has uri and name. Other types may come.
    """

    text: str
    data: str
    mimeType: str
    uri: str
    name: str
    title: str
    description: str
    size: int
    resource: ResourceContents
    annotations: dict[str, Any]
    _meta: dict[str, Any]


class CallToolResult(TypedDict, total=False):
    """What a tool answers. One with isError is an answer too: for the model to read."""

    content: list[ContentBlock]
    structuredContent: Any
    isError: bool
    _meta: dict[str, Any]


class ElicitParams(TypedDict, total=False):
    """A server's question to the user (MCP: elicitation/create)."""

    # mode is "form" if it is left out.
    mode: Literal["form", "url"]
    message: str
    # requestedSchema is of mode "form": a flat object of simple values.
    requestedSchema: dict[str, Any]
    # url and elicitationId are of mode "url".
    url: str
    elicitationId: str
    _meta: dict[str, Any]


class _ElicitResultRequired(TypedDict):
    action: Literal["accept", "decline", "cancel"]


class ElicitResult(_ElicitResultRequired, total=False):
    """The user's answer. content goes with "accept", in mode "form"."""

    content: dict[str, str | int | float | bool | list[str]]
    _meta: dict[str, Any]


class SamplingMessage(TypedDict):
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: ContentBlock | list[ContentBlock]


class _CreateMessageParamsRequired(TypedDict):
    messages: list[SamplingMessage]


class CreateMessageParams(_CreateMessageParamsRequired, total=False):
    """A server's request for a model's answer (MCP: sampling/createMessage)."""

    systemPrompt: str
    maxTokens: int
    temperature: float
    stopSequences: list[str]
    includeContext: str
    modelPreferences: dict[str, Any]
    metadata: dict[str, Any]
    tools: list[ToolDefinition]
    toolChoice: dict[str, Any]
    _meta: dict[str, Any]


class _CreateMessageResultRequired(SamplingMessage):
    model: str


class CreateMessageResult(_CreateMessageResultRequired, total=False):
    """The model's answer."""

    stopReason: str
    _meta: dict[str, Any]


# The members below are "any JSON" on the wire, and narrower here.


class Tool(wire.Tool):
    """The wire's Tool with the server's definition in it."""

    definition: ToolDefinition


class CallOutcome(wire.CallResult):
    """The wire's CallResult with the tool's result in it."""

    result: CallToolResult


class ElicitRequest(wire.RelayParams):
    """Which server asks the user what."""

    params: ElicitParams


class SampleRequest(wire.RelayParams):
    """Which server asks the model what."""

    params: CreateMessageParams
