"""The user's MCP tools for the Anthropic API.

    message = await anthropic.messages.create(model=…, messages=messages, tools=anthropic_tools(sidecar), …)
    messages.append({"role": "assistant", "content": message.content})
    uses = [block for block in message.content if block.type == "tool_use"]
    results = [await run_anthropic_tool_use(sidecar, block) for block in uses]
    if results:
        messages.append({"role": "user", "content": results})

With a `SyncSidecar` the same functions block: leave out the `await`.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Protocol, overload

from mcp_sidecar.tool_source import OnProgress, ToolSource

from .answer import Answer, ModelCall, answered, call_id, member
from .content import IMAGE_LIMIT, Image, Part, Pdf, text_of
from .offer import Offer, offer, tool_named
from .property_names import own_names
from .source import CallOptions, HasTools, SyncToolSource

if TYPE_CHECKING:
    from anthropic.types import ToolParam, ToolResultBlockParam
    from anthropic.types.base64_image_source_param import Base64ImageSourceParam
    from anthropic.types.base64_pdf_source_param import Base64PDFSourceParam
    from anthropic.types.tool_result_block_param import Content


class ToolUse(Protocol):
    """A tool_use block, as the SDK has it."""

    @property
    def id(self) -> str:
        """What the result refers to."""

    @property
    def name(self) -> str:
        """The tool."""

    @property
    def input(self) -> object:
        """The arguments."""


def anthropic_tools(source: HasTools) -> list[ToolParam]:
    """The tools there are now. Ask anew before every request.

    An argument whose name the API refuses ("filter[id]", "$top") is offered under another one ("filter_id",
    "top"); `run_anthropic_tool_use` gives it its own name back.
    """
    return [_tool(offer(tool, "anthropic", None)) for tool in source.tools]


@overload
def run_anthropic_tool_use(
    source: ToolSource,
    tool_use: ToolUse | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> Coroutine[Any, Any, ToolResultBlockParam]: ...
@overload
def run_anthropic_tool_use(
    source: SyncToolSource,
    tool_use: ToolUse | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> ToolResultBlockParam: ...
def run_anthropic_tool_use(
    source: ToolSource | SyncToolSource,
    tool_use: ToolUse | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> ToolResultBlockParam | Coroutine[Any, Any, ToolResultBlockParam]:
    """Runs one tool_use block. The result is the tool_result block for the next message of the user.

    Images and PDFs are shown as such. A mistake of the model's is answered, not raised. The options are
    those of `call`.
    """
    use_id, name = call_id(tool_use, "id"), str(member(tool_use, "name"))
    call = ModelCall(name, _with_own_names(source, name, member(tool_use, "input")))
    options = CallOptions(timeout, on_progress, max_bytes)
    return answered(source, [call], options, lambda told: _tool_result(use_id, told[0]))


def _tool(offered: Offer) -> ToolParam:
    tool: ToolParam = {"name": offered.name, "input_schema": offered.schema}
    if offered.description:
        tool["description"] = offered.description
    return tool


def _with_own_names(source: HasTools, name: str, arguments: object) -> object:
    """The arguments under the names that the tool's server knows."""
    tool = tool_named(source, name)
    return own_names(arguments, offer(tool, "anthropic", None).renamed) if tool else arguments


def _tool_result(use_id: str, told: Answer) -> ToolResultBlockParam:
    if told.failed:
        # "all content must be type `text` if `is_error` is true"
        words: list[Content] = [{"type": "text", "text": text_of(part)} for part in told.parts]
        return {"type": "tool_result", "tool_use_id": use_id, "content": words, "is_error": True}
    return {"type": "tool_result", "tool_use_id": use_id, "content": [_block(part) for part in told.parts]}


def _block(part: Part) -> Content:
    if isinstance(part, Image) and len(part.data) <= IMAGE_LIMIT:
        image: Base64ImageSourceParam = {"type": "base64", "media_type": part.mime_type, "data": part.data}
        return {"type": "image", "source": image}
    if isinstance(part, Pdf):
        pdf: Base64PDFSourceParam = {"type": "base64", "media_type": "application/pdf", "data": part.data}
        return {"type": "document", "source": pdf, "title": part.name}
    return {"type": "text", "text": text_of(part)}
