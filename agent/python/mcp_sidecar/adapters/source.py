"""What an adapter needs of a sidecar: its tools, and a way to call one of them.

A `Sidecar` is a ToolSource and a `SyncSidecar` is a SyncToolSource. A program's own object can be either, for
example one that offers only some of the tools, or asks the user before it calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

from mcp_sidecar.mcp import CallOutcome, Tool
from mcp_sidecar.tool_source import OnProgress, ToolName, ToolSource


class HasTools(Protocol):
    """Anything that has tools."""

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools of now."""


class SyncToolSource(Protocol):
    """A ToolSource whose call is not awaited: it returns when it has been answered."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of now."""

    def call(
        self,
        tool: ToolName,
        args: Mapping[str, Any] | str | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        max_bytes: int | None = None,
    ) -> CallOutcome:
        """Runs a tool, as SyncSidecar.call does."""


@dataclass(frozen=True)
class CallOptions:
    """How a call is made, apart from what is called."""

    # Seconds of silence that end the call; progress starts them anew.
    timeout: float | None = None
    on_progress: OnProgress | None = None
    max_bytes: int | None = None


def is_async(source: ToolSource | SyncToolSource) -> TypeGuard[ToolSource]:
    """Whether calls of the source are known to be awaited: its `call` is an `async def`.

    Another `call` may return what is to be awaited too; that shows when it is called.
    """
    return inspect.iscoroutinefunction(source.call)
