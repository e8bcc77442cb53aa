"""What a client tells of its own accord: `async for event in client.events()`.

Each event is whole and never changes, so that one who missed ten is not behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import SidecarClosedError
from .mcp import Tool
from .protocol_gen import ChangeReason, Diagnostic, LogLevel, Server


@dataclass(frozen=True)
class ToolsChanged:
    """The set of tools changed: rebind. Not told for the first set, nor when only their ``state`` changed."""

    tools: tuple[Tool, ...]
    """The whole new set, sorted by name."""
    added: tuple[Tool, ...]
    updated: tuple[Tool, ...]
    removed: tuple[str, ...]
    """Names."""
    servers: tuple[str, ...]
    """The names of those whose tools changed."""
    reason: ChangeReason | Literal["snapshot"]
    """The sidecar's word, or "snapshot" when the change was learnt by asking for the whole set."""
    revision: int
    hash: str


@dataclass(frozen=True)
class StatusChanged:
    """One server, whole. Its last has phase "removed"."""

    server: Server


@dataclass(frozen=True)
class DiagnosticsChanged:
    """All errors there are now."""

    errors: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Log:
    """A message for the user's log."""

    level: LogLevel
    message: str
    server: str | None
    dropped: int = 0
    """How many messages before this one were dropped here, because nobody read them."""


@dataclass(frozen=True)
class ResourcesChanged:
    """A server's list of resources changed."""

    server: str


@dataclass(frozen=True)
class ResourceUpdated:
    """A subscribed resource changed."""

    server: str
    uri: str


@dataclass(frozen=True)
class PromptsChanged:
    """A server's list of prompts changed."""

    server: str


@dataclass(frozen=True)
class ElicitationComplete:
    """What a server asked for by URL is done."""

    server: str
    elicitation_id: str


@dataclass(frozen=True)
class Closed:
    """The session is over. Told once, last."""

    reason: SidecarClosedError


Event = (
    ToolsChanged
    | StatusChanged
    | DiagnosticsChanged
    | Log
    | ResourcesChanged
    | ResourceUpdated
    | PromptsChanged
    | ElicitationComplete
    | Closed
)
