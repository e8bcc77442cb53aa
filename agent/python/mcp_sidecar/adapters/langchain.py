"""The user's MCP tools for LangChain.

In a loop of one's own, bind the tools anew before every call of the model:

    answer = await model.bind_tools(langchain_tools(sidecar)).ainvoke(messages)
    messages.append(answer)
    for call in answer.tool_calls:
        messages.append(await langchain_tool(sidecar, call["name"]).ainvoke(call))

`create_agent` binds its tools once, and runs no others. Give it the middleware: it puts the tools of the
moment into every request to the model, and runs those that are called.

    agent = create_agent(model, tools=[mine], middleware=[langchain_middleware(sidecar)])

The tools of a `Sidecar` are awaited (`ainvoke`). Those of a `SyncSidecar` work both ways; `ainvoke` then
waits in a thread.

This module needs the package langchain-core, and the middleware needs langchain.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_sidecar.mcp import CallOutcome, Tool
from mcp_sidecar.protocol_gen import ProgressValue
from mcp_sidecar.tool_source import ToolSource

from .answer import Answer, ModelCall, started
from .content import IMAGE_LIMIT, Image, Part, Pdf, as_text, text_of
from .input_schema import input_schema
from .offer import DESCRIPTION_LIMIT, Offer, definition_of, offer, tool_named
from .property_names import own_names
from .source import CallOptions, SyncToolSource, is_async

try:
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import StructuredTool
    from pydantic import Field
except ImportError as error:
    raise ImportError(
        "mcp_sidecar.adapters.langchain needs LangChain: pip install langchain-core or langchain"
    ) from error

if TYPE_CHECKING:
    from .langchain_agent import SidecarMiddleware

# Is told the name of a tool and how far its call is.
OnToolProgress = Callable[[str, ProgressValue], object]

# What a tool returns: the content of a message or a whole message, and the artifact.
_Content = str | list[str | dict[str, Any]]
_Returned = tuple[_Content | ToolMessage, CallOutcome | None]


class SidecarTool(StructuredTool):
    """A tool of a sidecar. `langchain_tools` makes them.

    The content of its message is what the model is told: a text, or blocks if media are wanted. The artifact
    is the whole outcome of the call, with `structuredContent` and `details`, unless the sidecar refused it. A
    call that failed is a message with the status "error", and says so in words too, since few
    providers are told the status.
    """

    # The sidecar whose tool it is.
    source: Any = Field(exclude=True, repr=False)

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        # As one object: spread out, arguments named "config", "callbacks" or "run_manager" would be taken for
        # LangChain's own.
        return (), {"arguments": self._parse_input(tool_input, tool_call_id), "call_id": tool_call_id}


def langchain_tools(
    source: ToolSource | SyncToolSource,
    *,
    timeout: float | None = None,
    on_progress: OnToolProgress | None = None,
    max_bytes: int | None = None,
    description_limit: int | None = DESCRIPTION_LIMIT,
    media: bool = False,
) -> list[StructuredTool]:
    """The tools there are now. Ask anew before every call of the model.

    Some of the options are those of `call`; `on_progress` is given the tool's name too. Descriptions are cut
    at `description_limit` characters, which OpenAI wants; None leaves them whole. With `media`, images and
    PDFs are standard content blocks in the tool message: right for ChatAnthropic and others that take them
    there, and refused by OpenAI's Chat Completions. Without, they are described in words. The artifact always
    has them.
    """
    maker = ToolMaker(source, timeout, on_progress, max_bytes, description_limit, media)
    return [maker.tool(tool) for tool in source.tools]


def langchain_tool(
    source: ToolSource | SyncToolSource,
    name: str,
    *,
    timeout: float | None = None,
    on_progress: OnToolProgress | None = None,
    max_bytes: int | None = None,
    description_limit: int | None = DESCRIPTION_LIMIT,
    media: bool = False,
) -> StructuredTool:
    """The tool that a model has called, to be invoked with its call.

    A name that no tool has gives a tool too: invoking it tells the model so, and which names are near. The
    options are those of `langchain_tools`.
    """
    return ToolMaker(source, timeout, on_progress, max_bytes, description_limit, media).named(name)


def langchain_middleware(
    source: ToolSource | SyncToolSource,
    *,
    timeout: float | None = None,
    on_progress: OnToolProgress | None = None,
    max_bytes: int | None = None,
    description_limit: int | None = DESCRIPTION_LIMIT,
    media: bool = False,
) -> SidecarMiddleware:
    """Middleware for `create_agent`: its agent has the tools of the moment, at every request to the model.

    The agent's own tools stay, and win. The end of the sidecar ends the agent's run. Put it last in
    `middleware`: a call of a tool that looks like one of the sidecar's and is nobody's is answered by it,
    with the names that are near. An agent has one such middleware: the names of two sidecars' tools would
    clash. The options are those of `langchain_tools`.
    """
    # Not before it is wanted: the rest needs no more than langchain-core.
    from .langchain_agent import SidecarMiddleware

    return SidecarMiddleware(ToolMaker(source, timeout, on_progress, max_bytes, description_limit, media))


@dataclass(frozen=True)
class ToolMaker:
    """Makes LangChain tools of one source, all with the same options: those of `langchain_tools`."""

    source: ToolSource | SyncToolSource
    timeout: float | None
    on_progress: OnToolProgress | None
    max_bytes: int | None
    description_limit: int | None
    media: bool

    def tool(self, tool: Tool) -> SidecarTool:
        """A tool of the current set."""
        definition = definition_of(tool)
        about = {
            "server": tool["server"],
            "tool": definition.get("name"),
            "annotations": definition.get("annotations"),
        }
        return self._made(offer(tool, "any", self.description_limit), {"mcp": about})

    def named(self, name: str) -> SidecarTool:
        """The tool of that name, or one whose call the sidecar will refuse."""
        tool = tool_named(self.source, name)
        return self.tool(tool) if tool else self._gone(name)

    def _gone(self, name: str) -> SidecarTool:
        shown = input_schema(None, "any")
        return self._made(Offer(name, "", shown.schema, shown.renamed), {})

    def _made(self, offer: Offer, metadata: dict[str, Any]) -> SidecarTool:
        return SidecarTool(
            name=offer.name,
            description=offer.description,
            args_schema=offer.schema,
            func=self._function(offer),
            coroutine=self._coroutine(offer),
            response_format="content_and_artifact",
            metadata=metadata,
            source=self.source,
        )

    def _coroutine(self, offer: Offer) -> Callable[..., Any]:
        source, options = self.source, self._options(offer.name)

        async def run(arguments: object, call_id: str | None) -> _Returned:
            call = ModelCall(offer.name, own_names(arguments, offer.renamed))
            # A call that may block does so in a thread.
            begun = (
                started(source, call, options)
                if is_async(source)
                else await asyncio.to_thread(started, source, call, options)
            )
            return self._returned(offer.name, call_id, begun if isinstance(begun, Answer) else await begun)

        return run

    def _function(self, offer: Offer) -> Callable[..., Any]:
        source, options = self.source, self._options(offer.name)

        def run(arguments: object, call_id: str | None) -> _Returned:
            call = ModelCall(offer.name, own_names(arguments, offer.renamed))
            told = None if is_async(source) else started(source, call, options)
            if not isinstance(told, Answer):
                raise NotImplementedError(
                    f"{offer.name}: a Sidecar's tools are awaited: use ainvoke, or a SyncSidecar"
                )
            return self._returned(offer.name, call_id, told)

        return run

    def _options(self, name: str) -> CallOptions:
        told = self.on_progress
        on_progress = None if told is None else lambda value: told(name, value)
        return CallOptions(self.timeout, on_progress, self.max_bytes)

    def _returned(self, name: str, call_id: str | None, told: Answer) -> _Returned:
        content = self._content(told)
        if not told.failed or call_id is None:
            return content, told.outcome
        # LangChain would make its message a success.
        message = ToolMessage(content, name=name, tool_call_id=call_id, status="error", artifact=told.outcome)
        return message, told.outcome

    def _content(self, told: Answer) -> _Content:
        # A failure is told in words: providers want nothing else in one.
        if told.failed or not self.media or not any(isinstance(part, Image | Pdf) for part in told.parts):
            return as_text(told.parts, told.failed)
        return [_block(part) for part in told.parts]


def _block(part: Part) -> dict[str, Any]:
    """A part as a standard content block of LangChain."""
    if isinstance(part, Image) and len(part.data) <= IMAGE_LIMIT:
        return {"type": "image", "base64": part.data, "mime_type": part.mime_type}
    if isinstance(part, Pdf):
        return {
            "type": "file",
            "base64": part.data,
            "mime_type": "application/pdf",
            "extras": {"filename": part.name},
        }
    return {"type": "text", "text": text_of(part)}
