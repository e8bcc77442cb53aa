"""Makes a client do what a line after ">" says.

By the method it has for that, or by `request` where the line's params are not such that its users could have
said it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_sidecar.client import SidecarClient

from .folder import CLIENT
from .raw_json import Json, dump

# The members that a client's own method takes, by method. "!" marks those it cannot do without.
_SHAPES: Mapping[str, Mapping[str, str]] = {
    "runtime/initialize": {
        "protocolVersion!": "number",
        "client!": "object",
        "cwd!": "string",
        "workspaceFolders": "array",
        "capabilities": "object",
        "settings": "object",
    },
    "runtime/configure": {"settings": "object", "workspaceFolders": "array"},
    "mcp/reload": {"mode": "string"},
    "tools/call": {
        "name": "string",
        "server": "string",
        "tool": "string",
        "arguments": "object",
        "timeoutMs": "number",
        "progressToken": "string",
        "maxBytes": "number",
    },
    "tools/search": {"query!": "string", "limit": "number"},
    "mcp/connect": {"server!": "string", "restart": "boolean"},
    "mcp/disconnect": {"server!": "string"},
    "mcp/wait": {"servers": "array", "timeoutMs": "number"},
    "mcp/logs": {"server!": "string", "lines": "number", "after": "number"},
    "mcp/doctor": {"server": "string"},
    "runtime/share": {},
}

# The part of the wire's result that the client's own method gives.
_PARTS = {
    "tools/search": "tools",
    "mcp/reload": "snapshot",
    "runtime/configure": "snapshot",
    "runtime/share": "endpoint",
}

OnProgress = Callable[[Any], object]


@dataclass(frozen=True)
class Done:
    """What was done."""

    outcome: Coroutine[Any, Any, Any]
    # The part of the wire's result that it gives; None is all of it.
    part: str | None
    # Whether it was a method of its own, and not `request`.
    typed: bool


def perform(
    client: SidecarClient, method: str, params: Json | None, on_progress: OnProgress, *, opened: bool
) -> Done:
    """Does it."""
    given: Any = {} if params is None else params.value()
    # Nobody opens a session twice.
    if not _fits(method, params, given) or (opened and method == "runtime/initialize"):
        untyped: Any = client
        return Done(untyped.request(method, given), None, typed=False)
    outcome = _own(client, method, params, given, on_progress)
    return Done(outcome, _PARTS.get(method), typed=True)


def _fits(method: str, params: Json | None, given: Any) -> bool:
    if method not in _SHAPES or (params is not None and params.kind != "object"):
        return False
    shape, members = _SHAPES[method], {} if params is None else params.members
    for name, member in members.items():
        if member.kind != shape.get(name, shape.get(f"{name}!")):
            return False
    if any(name.endswith("!") and name[:-1] not in members for name in shape):
        return False
    if method == "runtime/initialize":
        return bool(given["protocolVersion"] == 1 and given["client"] == CLIENT)
    if method == "tools/call":
        pair = {"server", "tool"} & members.keys()
        return not pair if "name" in members else len(pair) == 2
    return True


def _own(
    client: SidecarClient, method: str, params: Json | None, given: Mapping[str, Any], on_progress: OnProgress
) -> Coroutine[Any, Any, Any]:
    match method:
        case "runtime/initialize":
            return client.initialize(
                cwd=given["cwd"],
                workspace_folders=given.get("workspaceFolders"),
                settings=given.get("settings"),
            )
        case "runtime/configure":
            folders = given.get("workspaceFolders")
            return client.configure(given.get("settings"), workspace_folders=folders)
        case "mcp/reload":
            return client.reload(given.get("mode"))
        case "tools/call":
            return client.call(
                given["name"] if "name" in given else (given["server"], given["tool"]),
                _arguments(None if params is None else params.members.get("arguments")),
                timeout=_seconds(given),
                on_progress=on_progress if "progressToken" in given else None,
                max_bytes=given.get("maxBytes"),
            )
        case "tools/search":
            return client.search(given["query"], limit=given.get("limit"))
        case "mcp/connect":
            return client.connect(given["server"], restart=given.get("restart"))
        case "mcp/disconnect":
            return client.disconnect(given["server"])
        case "mcp/wait":
            return client.wait(given.get("servers"), timeout=_seconds(given))
        case "mcp/doctor":
            return client.doctor(given.get("server"))
        case "runtime/share":
            return client.share()
    return client.logs(given["server"], lines=given.get("lines"), after=given.get("after"))


def _seconds(given: Mapping[str, Any]) -> float | None:
    return given["timeoutMs"] / 1000 if "timeoutMs" in given else None


def _arguments(given: Json | None) -> Mapping[str, Any] | str | None:
    """Arguments are text where Python would write them otherwise, as those of a model are."""
    if given is None:
        return None
    value: Mapping[str, Any] = given.value()
    return value if dump(value) == given.text else given.text
