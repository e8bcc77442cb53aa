"""Records as the sidecar tells them, with what a test does not care about filled in."""

from __future__ import annotations

from typing import Any, cast

from mcp_sidecar.mcp import Tool
from mcp_sidecar.protocol import (
    ChangeReason,
    Diagnostic,
    InitializeResult,
    Phase,
    Server,
    Snapshot,
    Status,
    ToolsFrom,
    ToolState,
)
from mcp_sidecar.protocol import ToolsChanged as ToolsPush


def tool(name: str, server: str = "s", state: ToolState = "live", **definition: Any) -> Tool:
    """A tool. The members of its definition that are given are added."""
    told: dict[str, Any] = {
        "name": name,
        "label": f"{server}/{name}",
        "server": server,
        "state": state,
        "path": f"mcp:{server}",
        "definition": {"name": name, **definition},
    }
    return cast("Tool", told)


def server(name: str = "s", phase: Phase = "ready", tools_from: ToolsFrom = "live") -> Server:
    """A server."""
    status: dict[str, Status] = {"ready": "connected", "starting": "connecting"}
    told: dict[str, Any] = {
        "name": name,
        "status": status.get(phase, "disconnected"),
        "phase": phase,
        "transport": "stdio",
        "tools": {"count": 1, "from": tools_from},
        "source": {"provider": "host", "providerName": "host", "level": "host", "path": ""},
        "attempt": 1,
        "timings": {},
    }
    return cast("Server", told)


def diagnostic(error: str) -> Diagnostic:
    """A diagnostic."""
    return {"path": ".mcp.json", "error": error, "severity": "error"}


def snapshot(revision: int, *tools: Tool, servers: tuple[Server, ...] = (), **members: Any) -> Snapshot:
    """A snapshot. Its hash is of the tools' definitions, as the sidecar's is."""
    told: dict[str, Any] = {
        "revision": revision,
        "hash": _hash(tools),
        "tools": list(tools),
        "servers": list(servers),
        "errors": [],
        **members,
    }
    return cast("Snapshot", told)


def push(
    previous: int,
    revision: int,
    *,
    added: tuple[Tool, ...] = (),
    updated: tuple[Tool, ...] = (),
    removed: tuple[str, ...] = (),
    reason: ChangeReason = "connected",
) -> ToolsPush:
    """A tools/changed."""
    return {
        "previousRevision": previous,
        "revision": revision,
        "hash": f"pushed {revision}",
        "added": list(added),
        "updated": list(updated),
        "removed": list(removed),
        "servers": sorted({tool["server"] for tool in added + updated}) or ["s"],
        "reason": reason,
    }


def opened(told: Snapshot) -> InitializeResult:
    """The answer to runtime/initialize."""
    return {
        "protocolVersion": 1,
        "sidecar": {"name": "mcp-sidecar", "version": "9.9"},
        "methods": ["runtime/initialize", "runtime/configure", "tools/call"],
        "snapshot": told,
    }


def _hash(tools: tuple[Tool, ...]) -> str:
    return repr(sorted(repr({**tool, "state": None}) for tool in tools))
