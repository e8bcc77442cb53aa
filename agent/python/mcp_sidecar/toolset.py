"""What a client knows of the session's tools and servers, and how that changes.

Pure: every function takes what was known and what was told, and gives what is known now. The rule is that of
"Keeping the tool set" in PROTOCOL.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, cast

from .events import ToolsChanged
from .mcp import Tool
from .protocol_gen import ChangeReason, Diagnostic, Server, Snapshot, ToolState
from .protocol_gen import ToolsChanged as ToolsPush

_T = TypeVar("_T")


@dataclass(frozen=True)
class ToolSet:
    """The whole truth as far as it was told.

    Its parts are replaced, never changed, and only by others: what is equal stays the very same.
    """

    # 0 until the first set was told.
    revision: int = 0
    hash: str = ""
    # Sorted by name, as servers are.
    tools: tuple[Tool, ...] = ()
    servers: tuple[Server, ...] = ()
    errors: tuple[Diagnostic, ...] = ()
    exa_api_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """What comes of something that was told."""

    now: ToolSet
    # What to tell, if the set of tools changed.
    change: ToolsChanged | None = None
    # A push was missed: ask for a snapshot.
    gap: bool = False


def push(known: ToolSet, told: ToolsPush) -> Step:
    """Applies a difference to the set that it was made for."""
    if told["revision"] <= known.revision:
        return Step(known)
    if told["previousRevision"] != known.revision:
        return Step(known, gap=True)
    by_name = {tool["name"]: tool for tool in known.tools}
    for name in told["removed"]:
        by_name.pop(name, None)
    added, updated = _tools(told["added"]), _tools(told["updated"])
    by_name.update((tool["name"], tool) for tool in added + updated)
    tools = _kept(known.tools, _sorted(by_name.values()), _name)
    now = replace(known, revision=told["revision"], hash=told["hash"], tools=tools)
    change = ToolsChanged(
        tools=now.tools,
        added=added,
        updated=updated,
        removed=tuple(told["removed"]),
        servers=tuple(told["servers"]),
        reason=told["reason"],
        revision=now.revision,
        hash=now.hash,
    )
    return Step(now, change)


def snapshot(known: ToolSet, told: Snapshot, reason: ChangeReason | Literal["snapshot"]) -> Step:
    """Takes a whole set. One that is older than what is known is left alone."""
    if told["revision"] < known.revision:
        return Step(known)
    now = ToolSet(
        revision=told["revision"],
        hash=told["hash"],
        tools=_kept(known.tools, _sorted(_tools(told["tools"])), _name),
        servers=_kept(known.servers, tuple(sorted(told["servers"], key=_name)), _name),
        errors=_kept(known.errors, tuple(told["errors"]), repr),
        exa_api_keys=_kept(known.exa_api_keys, tuple(told.get("exaApiKeys", ())), repr),
    )
    first = known.revision == 0
    return Step(now, None if first or now.hash == known.hash else _difference(known, now, reason))


def status(known: ToolSet, told: Server) -> ToolSet:
    """Takes the record of one server, and what it says of the state of that server's tools."""
    servers = [server for server in known.servers if server["name"] != told["name"]]
    if told["phase"] != "removed":
        servers.append(told)
    state = _STATES.get(told["tools"]["from"])
    return replace(
        known,
        servers=_kept(known.servers, tuple(sorted(servers, key=_name)), _name),
        tools=known.tools if state is None else _with_state(known.tools, told["name"], state),
    )


def diagnostics(known: ToolSet, told: Iterable[Diagnostic]) -> ToolSet:
    """Takes the whole list of errors."""
    return replace(known, errors=_kept(known.errors, tuple(told), repr))


# The state of a server's tools, by where they are from. "none" says nothing: what is left is told by a push.
_STATES: dict[str, ToolState] = {"live": "live", "cache": "deferred"}


def _with_state(tools: tuple[Tool, ...], server: str, state: ToolState) -> tuple[Tool, ...]:
    if all(tool["server"] != server or tool["state"] == state for tool in tools):
        return tools
    return tuple(
        cast("Tool", {**tool, "state": state}) if tool["server"] == server else tool for tool in tools
    )


def _kept(old: tuple[_T, ...], new: tuple[_T, ...], key: Callable[[_T], str]) -> tuple[_T, ...]:
    """Gives the new items, in the place of equal ones the old ones, and the old tuple if all are."""
    former = {key(item): item for item in old}
    items = tuple(_kept_item(former.get(key(item)), item) for item in new)
    if len(items) == len(old) and all(one is other for one, other in zip(items, old, strict=True)):
        return old
    return items


def _kept_item(old: _T | None, new: _T) -> _T:
    return new if old is None or not _equal(old, new) else old


def _equal(one: object, other: object) -> bool:
    if one is other:
        return True
    try:
        # Not by == alone, for which true, 1 and 1.0 are one: the schema that has them is another.
        return one == other and repr(one) == repr(other)
    except RecursionError:
        # Nested too deeply to say. It is told as new, which is true of it at least.
        return False


def _difference(
    old: ToolSet, new: ToolSet, reason: ChangeReason | Literal["snapshot"]
) -> ToolsChanged | None:
    """Compares two sets, apart from the state of their tools."""
    before = {tool["name"]: tool for tool in old.tools}
    after = {tool["name"]: tool for tool in new.tools}
    added = [tool for name, tool in after.items() if name not in before]
    updated = [tool for name, tool in after.items() if name in before and _differ(before[name], tool)]
    removed = [tool for name, tool in before.items() if name not in after]
    if not (added or updated or removed):
        return None
    # A name that went from one server to another is a change of both.
    former = [before[tool["name"]] for tool in updated]
    return ToolsChanged(
        tools=new.tools,
        added=tuple(added),
        updated=tuple(updated),
        removed=tuple(tool["name"] for tool in removed),
        servers=tuple(sorted({tool["server"] for tool in [*added, *updated, *removed, *former]})),
        reason=reason,
        revision=new.revision,
        hash=new.hash,
    )


def _differ(one: Tool, other: Tool) -> bool:
    return one is not other and not _equal({**one, "state": None}, {**other, "state": None})


def merged(earlier: ToolsChanged, later: ToolsChanged) -> ToolsChanged:
    """Makes one difference of two that follow each other, for one who has seen neither."""
    added = {tool["name"]: tool for tool in earlier.added}
    updated = {tool["name"]: tool for tool in earlier.updated}
    removed: dict[str, None] = dict.fromkeys(earlier.removed)
    for name in later.removed:
        updated.pop(name, None)
        if added.pop(name, None) is None:
            removed[name] = None
    for tool in later.added:
        # One that was there before both may or may not be what it was.
        there_before = tool["name"] in removed
        removed.pop(tool["name"], None)
        (updated if there_before else added)[tool["name"]] = tool
    for tool in later.updated:
        (added if tool["name"] in added else updated)[tool["name"]] = tool
    return replace(
        later,
        added=_sorted(added.values()),
        updated=_sorted(updated.values()),
        removed=tuple(sorted(removed)),
        servers=tuple(sorted({*earlier.servers, *later.servers})),
    )


def _tools(told: Iterable[Any]) -> tuple[Tool, ...]:
    return tuple(told)


def _sorted(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    return tuple(sorted(tools, key=_name))


def _name(named: Tool | Server) -> str:
    return named["name"]
