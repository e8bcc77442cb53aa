"""ToolSource is all that an adapter needs of a client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from .mcp import CallOutcome, Tool
from .protocol_gen import ProgressValue


class ToolSource(Protocol):
    """A set of tools, and a way to call them: a Sidecar, or something that stands in for one."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of now."""

    async def call(
        self,
        tool: str | tuple[str, str],
        args: Mapping[str, Any] | str | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[ProgressValue], object] | None = None,
        max_bytes: int | None = None,
    ) -> CallOutcome:
        """Runs a tool, as SidecarClient.call does."""
