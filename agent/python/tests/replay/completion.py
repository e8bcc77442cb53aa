"""Adds the members that the protocol requires and a pattern leaves out.

conformance/README.md ("What the sidecar says") has the rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from .folder import REPOSITORY
from .pattern import PatternError
from .raw_json import Json, dump, object_text, read_json


class Told(Protocol):
    """What the host has now, by the rule of PROTOCOL.md: what it was told last, if told in order."""

    @property
    def revision(self) -> int: ...
    @property
    def hash(self) -> str: ...
    @property
    def tools(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def servers(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def errors(self) -> Sequence[Any]: ...


_PROTOCOL: dict[str, Any] = json.loads((REPOSITORY / "rpc" / "schema.json").read_text(encoding="utf-8"))

# The part of JSON Schema that rpc/schema.json uses.
_Schema = Mapping[str, Any]


def complete_params(method: str, params: Json, told: Told) -> str:
    """Completes the params of what the sidecar says. A method that the protocol lacks is left as it is."""
    if method not in _PROTOCOL["methods"]:
        return params.text
    # The record of a status is a server's own; without its name it would be about nobody.
    if method == "mcp/status" and "name" not in params.members:
        raise PatternError("a status must name its server")
    return _complete(_PROTOCOL["methods"][method]["params"], params, told)


def complete_result(method: str, result: Json, told: Told) -> str:
    """Completes the result of what the host asked."""
    schema = _PROTOCOL["methods"].get(method, {}).get("result")
    if schema is None:
        return result.text
    # A SnapshotAnswer is a Snapshot unless it says that nothing changed.
    if method == "tools/snapshot" and "unchanged" not in result.members:
        schema = {"$ref": "#/$defs/Snapshot"}
    return _complete(schema, result, told)


def _complete(schema: _Schema, value: Json, told: Told) -> str:
    name = _name_of(schema)
    if name is not None:
        rule = _LEFT_OUT.get(name) if value.kind == "object" else None
        chosen = rule(value, told) if rule is not None else {}
        return _complete_members(_definition(name), value, told, chosen)
    return _complete_members(schema, value, told, {})


def _complete_members(schema: _Schema, value: Json, told: Told, chosen: Mapping[str, str]) -> str:
    """Members stand in the order of the schema, as the sidecar writes them; those it lacks come last."""
    if value.kind == "array" and "items" in schema:
        return "[" + ",".join(_complete(schema["items"], element, told) for element in value.elements) + "]"
    if value.kind != "object":
        return value.text
    properties = schema.get("properties", {})
    members: dict[str, str] = {}
    for name, inner in properties.items():
        if name in value.members:
            members[name] = _complete(inner, value.members[name], told)
        elif name in schema.get("required", ()):
            members[name] = chosen[name] if name in chosen else _smallest(inner, told)
    # Where the schema allows any JSON, the text is kept byte for byte.
    if not members and "additionalProperties" not in schema:
        return value.text
    inner = schema.get("additionalProperties", {})
    for name, member in value.members.items():
        if name not in properties:
            members[name] = _complete(inner, member, told)
    return object_text(members.items())


def _smallest(schema: _Schema, told: Told) -> str:
    name = _name_of(schema)
    named = schema if name is None else _definition(name)
    match named.get("type"):
        case "string":
            return dump(named["enum"][0] if "enum" in named else "")
        case "integer" | "number":
            return "0"
        case "boolean":
            return "false"
        case "array":
            return "[]"
    # Any JSON is an object, too.
    return _complete(schema, read_json("{}"), told)


def _name_of(schema: _Schema) -> str | None:
    ref: str | None = schema.get("$ref")
    return None if ref is None else ref.removeprefix("#/$defs/")


def _definition(name: str) -> _Schema:
    definition: _Schema = _PROTOCOL["$defs"][name]
    return definition


def _initialize_rule(value: Json, told: Told) -> dict[str, str]:
    return {"protocolVersion": "1"}


def _snapshot_rule(value: Json, told: Told) -> dict[str, str]:
    given = value.members.get("tools")
    names = None if given is None else {_named(tool) for tool in given.elements}
    if "servers" in value.members:
        for server in value.members["servers"].elements:
            _named(server)
    same = names is None or names == {tool["name"] for tool in told.tools}
    revision: int = told.revision if same and told.revision > 0 else told.revision + 1
    if "revision" in value.members:
        revision = value.members["revision"].value()
    return {
        "revision": str(revision),
        "hash": dump(told.hash if revision == told.revision else str(revision)),
        "tools": dump(list(told.tools)),
        "servers": dump(list(told.servers)),
        "errors": dump(list(told.errors)),
    }


def _push_rule(value: Json, told: Told) -> dict[str, str]:
    given = value.members
    previous: int = given["previousRevision"].value() if "previousRevision" in given else told.revision
    revision = given["revision"].text if "revision" in given else str(previous + 1)
    return {"previousRevision": str(previous), "revision": revision, "hash": dump(revision)}


def _tool_rule(value: Json, told: Told) -> dict[str, str]:
    found = re.match(r"mcp_([^_]*)_", _named(value))
    server = {"server": dump(found[1])} if found else {}
    return server | _as_told(value, told.tools)


def _server_rule(value: Json, told: Told) -> dict[str, str]:
    return _as_told(value, told.servers)


def _as_told(value: Json, told: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The members of what the host has under that name."""
    name = value.members.get("name")
    for known in told:
        if name is not None and known["name"] == name.value():
            return {member: dump(has) for member, has in known.items()}
    return {}


def _named(value: Json) -> str:
    name = value.members.get("name")
    if name is None or name.kind != "string":
        raise PatternError(f"a tool or server of the host's set must be named: {value.text}")
    return str(name.value())


# The rules of the types whose members mean more than their type says.
_LEFT_OUT: Mapping[str, Callable[[Json, Told], Mapping[str, str]]] = {
    "InitializeResult": _initialize_rule,
    "Snapshot": _snapshot_rule,
    "ToolsChanged": _push_rule,
    "Tool": _tool_rule,
    "Server": _server_rule,
}
