"""A sidecar's tools in an agent of `langchain.agents.create_agent`, in the middle of a conversation too.

Such an agent is given its tools once, when it is made. Two hooks change that: the one around a call of the
model gives the model the tools there are at that moment, and the one around a call of a tool finds the tool
that the agent itself does not know.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from .langchain import SidecarTool, ToolMaker
from .offer import is_exposed, tool_named

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, ToolCallRequest
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import BaseTool
    from langgraph.types import Command
except ImportError as error:
    raise ImportError(
        "langchain_middleware is for create_agent, and needs it: pip install langchain"
    ) from error


class SidecarMiddleware(AgentMiddleware[Any, Any, Any]):
    """What `langchain_middleware` makes."""

    def __init__(self, maker: ToolMaker) -> None:
        super().__init__()
        self._maker = maker

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Binds the current tools."""
        return handler(request.override(tools=self._rebound(request.tools)))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Binds the current tools."""
        return await handler(request.override(tools=self._rebound(request.tools)))

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Runs a tool of the sidecar."""
        return handler(self._found(request))

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Runs a tool of the sidecar."""
        return await handler(self._found(request))

    def _rebound(self, tools: list[BaseTool | dict[str, Any]]) -> list[BaseTool | dict[str, Any]]:
        """The request's tools with the current ones of the sidecar in place of earlier ones."""
        others = [tool for tool in tools if not self._is_ours(tool)]
        taken = {tool.name for tool in others if isinstance(tool, BaseTool)}
        own = [self._maker.tool(tool) for tool in self._maker.source.tools if tool["name"] not in taken]
        return [*others, *own]

    def _found(self, request: ToolCallRequest) -> ToolCallRequest:
        """The request with the tool to run, unless that is none of the sidecar's."""
        tool, name = request.tool, request.tool_call["name"]
        ours = self._is_ours(tool) if tool else is_exposed(name) or tool_named(self._maker.source, name)
        return request.override(tool=self._maker.named(name)) if ours else request

    def _is_ours(self, tool: object) -> bool:
        return isinstance(tool, SidecarTool) and tool.source is self._maker.source
