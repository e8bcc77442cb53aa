"""ToolSource is all that an adapter needs of a client, and what a call is made with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from .mcp import CallOutcome, Tool
from .protocol_gen import ProgressValue

ToolName = str | tuple[str, str]
"""The name of a tool in the set, or the name of its server and the server's own name of it."""

OnProgress = Callable[[ProgressValue], object]
"""Is told what the server says about a call, all of it before the result."""


class ToolSource(Protocol):
    """A set of tools, and a way to call them: a Sidecar, or something that stands in for one."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of now."""

    async def call(
        self,
        tool: ToolName,
        args: Mapping[str, Any] | str | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        max_bytes: int | None = None,
    ) -> CallOutcome:
        """Runs a tool, as SidecarClient.call does."""
