"""The user's MCP tools for the OpenAI API, and for the many others that speak it.

Chat Completions:

    tools = openai_tools(sidecar) or openai.omit
    completion = await client.chat.completions.create(model=…, messages=messages, tools=tools)
    message = completion.choices[0].message
    messages.append(message)
    messages += await run_openai_tool_calls(sidecar, message.tool_calls)

Responses:

    tools = openai_responses_tools(sidecar)
    response = await client.responses.create(model=…, input=items, tools=tools)
    items += response.output
    for item in response.output:
        if item.type == "function_call":
            items.append(await run_openai_responses_tool_call(sidecar, item))

With a `SyncSidecar` the same functions block: leave out the `await`.

Chat Completions takes no empty list of tools, and a user may have none: hence the `openai.omit`. OpenAI takes
128 tools at most. A source is anything with `tools` and `call`: give one with
fewer tools where there are more.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, overload

from mcp_sidecar.tool_source import OnProgress, ToolSource

from .answer import Answer, ModelCall, answered, call_id, member, refusal
from .content import Image, Part, Text, as_text, text_of
from .offer import DESCRIPTION_LIMIT, Offer, offer
from .source import CallOptions, HasTools, SyncToolSource

if TYPE_CHECKING:
    from openai.types.chat import (
        ChatCompletionContentPartParam,
        ChatCompletionMessageParam,
        ChatCompletionToolMessageParam,
        ChatCompletionToolParam,
    )
    from openai.types.responses import FunctionToolParam
    from openai.types.responses.response_function_call_output_item_param import (
        ResponseFunctionCallOutputItemParam,
    )
    from openai.types.responses.response_input_item_param import FunctionCallOutput
    from openai.types.shared_params import FunctionDefinition


class ToolCall(Protocol):
    """A tool call in a message of Chat Completions, as the SDK has it."""

    @property
    def id(self) -> str:
        """What the tool message refers to."""

    @property
    def type(self) -> str:
        """It is "function" for a tool of openai_tools."""


class FunctionCall(Protocol):
    """An item of type "function_call" of Responses, as the SDK has it."""

    @property
    def call_id(self) -> str:
        """What the output refers to."""

    @property
    def name(self) -> str:
        """The tool."""

    @property
    def arguments(self) -> str:
        """JSON, as the model wrote it."""


def openai_tools(
    source: HasTools, *, description_limit: int | None = DESCRIPTION_LIMIT
) -> list[ChatCompletionToolParam]:
    """The tools there are now, for Chat Completions. Ask anew before every request.

    Descriptions are cut at `description_limit` characters; None leaves them whole.
    """
    tools: list[ChatCompletionToolParam] = []
    for offered in _offers(source, description_limit):
        function: FunctionDefinition = {"name": offered.name, "parameters": offered.schema}
        if offered.description:
            function["description"] = offered.description
        tools.append({"type": "function", "function": function})
    return tools


def openai_responses_tools(
    source: HasTools, *, description_limit: int | None = DESCRIPTION_LIMIT
) -> list[FunctionToolParam]:
    """The tools there are now, for Responses. Ask anew before every request.

    Descriptions are cut at `description_limit` characters; None leaves them whole.
    """
    tools: list[FunctionToolParam] = []
    for offered in _offers(source, description_limit):
        # Responses takes silence for strict, whose subset of JSON Schema is that of few MCP servers.
        tool: FunctionToolParam = {
            "type": "function",
            "name": offered.name,
            "parameters": offered.schema,
            "strict": False,
        }
        if offered.description:
            tool["description"] = offered.description
        tools.append(tool)
    return tools


@overload
def run_openai_tool_call(
    source: ToolSource,
    tool_call: ToolCall | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> Coroutine[Any, Any, ChatCompletionToolMessageParam]: ...
@overload
def run_openai_tool_call(
    source: SyncToolSource,
    tool_call: ToolCall | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> ChatCompletionToolMessageParam: ...
def run_openai_tool_call(
    source: ToolSource | SyncToolSource,
    tool_call: ToolCall | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> ChatCompletionToolMessageParam | Coroutine[Any, Any, ChatCompletionToolMessageParam]:
    """Runs one tool call of Chat Completions. The result is the tool message to append to the conversation.

    A mistake of the model's is answered, not raised. Tool messages are text: an image is only mentioned (see
    run_openai_tool_calls). The options are those of `call`.
    """
    tool_call_id, call = _read_call(tool_call)
    options = CallOptions(timeout, on_progress, max_bytes)
    return answered(source, [call], options, lambda told: _tool_message(tool_call_id, told[0], text_of))


@overload
def run_openai_tool_calls(
    source: ToolSource,
    tool_calls: Iterable[ToolCall | Mapping[str, Any]] | None,
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> Coroutine[Any, Any, list[ChatCompletionMessageParam]]: ...
@overload
def run_openai_tool_calls(
    source: SyncToolSource,
    tool_calls: Iterable[ToolCall | Mapping[str, Any]] | None,
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> list[ChatCompletionMessageParam]: ...
def run_openai_tool_calls(
    source: ToolSource | SyncToolSource,
    tool_calls: Iterable[ToolCall | Mapping[str, Any]] | None,
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> list[ChatCompletionMessageParam] | Coroutine[Any, Any, list[ChatCompletionMessageParam]]:
    """Runs all tool calls of a message of the model. The result are the messages to append, in their order.

    If there are images in the results, a last message shows them, as the user's: Chat Completions has no
    other way to show one to the model. The calls run at the same time if they are awaited, else one after
    the other.
    """
    calls = [_read_call(tool_call) for tool_call in tool_calls or ()]
    ids = [tool_call_id for tool_call_id, _ in calls]
    options = CallOptions(timeout, on_progress, max_bytes)
    return answered(source, [call for _, call in calls], options, lambda told: _messages(ids, told))


@overload
def run_openai_responses_tool_call(
    source: ToolSource,
    tool_call: FunctionCall | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> Coroutine[Any, Any, FunctionCallOutput]: ...
@overload
def run_openai_responses_tool_call(
    source: SyncToolSource,
    tool_call: FunctionCall | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> FunctionCallOutput: ...
def run_openai_responses_tool_call(
    source: ToolSource | SyncToolSource,
    tool_call: FunctionCall | Mapping[str, Any],
    *,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
    max_bytes: int | None = None,
) -> FunctionCallOutput | Coroutine[Any, Any, FunctionCallOutput]:
    """Runs one function call of Responses. The result is the item to append to the input.

    Images and PDFs are shown as such. A mistake of the model's is answered, not raised. The options are
    those of `call`.
    """
    output_id = call_id(tool_call, "call_id")
    call = ModelCall(str(member(tool_call, "name")), member(tool_call, "arguments"))
    options = CallOptions(timeout, on_progress, max_bytes)
    return answered(source, [call], options, lambda told: _function_call_output(output_id, told[0]))


def _offers(source: HasTools, description_limit: int | None) -> list[Offer]:
    return [offer(tool, "openai", description_limit) for tool in source.tools]


def _read_call(tool_call: object) -> tuple[str, ModelCall | Answer]:
    """The id, and the call or what is wrong with it."""
    tool_call_id, function = call_id(tool_call, "id"), member(tool_call, "function")
    if function is None:
        # A model makes such calls up. Those of type "custom" are for tools without a schema.
        return tool_call_id, refusal("Only tools of type function can be called here.")
    return tool_call_id, ModelCall(str(member(function, "name")), member(function, "arguments"))


def _tool_message(
    tool_call_id: str, told: Answer, words: Callable[[Part], str]
) -> ChatCompletionToolMessageParam:
    content = as_text(told.parts, told.failed, words)
    return {"role": "tool", "tool_call_id": tool_call_id, "content": content}


def _messages(ids: list[str], answers: list[Answer]) -> list[ChatCompletionMessageParam]:
    """The tool messages, and the user's message with the images, if there are any."""
    images: list[Image] = []

    def text(part: Part) -> str:
        if not isinstance(part, Image):
            return text_of(part)
        images.append(part)
        return f"[image {len(images)}, see below]"

    messages: list[ChatCompletionMessageParam] = [
        _tool_message(tool_call_id, told, text) for tool_call_id, told in zip(ids, answers, strict=True)
    ]
    if images:
        messages.append({"role": "user", "content": _shown(images)})
    return messages


def _shown(images: list[Image]) -> list[ChatCompletionContentPartParam]:
    content: list[ChatCompletionContentPartParam] = []
    for number, image in enumerate(images, 1):
        content.append({"type": "text", "text": f"Image {number} of the tools' results:"})
        content.append({"type": "image_url", "image_url": {"url": _data_url(image.mime_type, image.data)}})
    return content


def _function_call_output(output_id: str, told: Answer) -> FunctionCallOutput:
    if all(isinstance(part, Text) for part in told.parts):
        return {
            "type": "function_call_output",
            "call_id": output_id,
            "output": as_text(told.parts, told.failed),
        }
    output = [_output_item(part) for part in told.parts]
    if told.failed:
        output.insert(0, {"type": "input_text", "text": "Error:"})
    return {"type": "function_call_output", "call_id": output_id, "output": output}


def _output_item(part: Part) -> ResponseFunctionCallOutputItemParam:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if isinstance(part, Image):
        return {"type": "input_image", "image_url": _data_url(part.mime_type, part.data)}
    return {"type": "input_file", "filename": part.name, "file_data": _data_url("application/pdf", part.data)}


def _data_url(mime_type: str, data: str) -> str:
    return f"data:{mime_type};base64,{data}"
