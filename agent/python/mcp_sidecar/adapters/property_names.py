"""Names of arguments that every provider takes.

Anthropic refuses a request if a property of a tool's schema, at the top, is named other than
`[a-zA-Z0-9_.-]{1,64}`: `$filter`, `filter[id]`, names in other scripts. Those are shown to the model under
another name, and given back their own before the call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from .schema_tree import JsonObject, map_schema, unescaped

_PLAIN: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_LONGEST: Final = 64


def plain_names(schema: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """The schema of an object with plain names, and which of them stand for which own names of the server."""
    properties: JsonObject = schema["properties"]
    taken = set(properties)
    plain = {name: _plain_name(name, taken) for name in properties if not _PLAIN.fullmatch(name)}
    if not plain:
        return schema, {}
    renamed = {
        plain.get(name, name): _titled(value, name) if name in plain else value
        for name, value in properties.items()
    }
    out = {**schema, "properties": renamed}
    if "required" in schema:
        out["required"] = [plain.get(name, name) for name in schema["required"]]
    return map_schema(out, lambda inner: _redirected(inner, plain)), {
        shown: own for own, shown in plain.items()
    }


def own_names(arguments: object, renamed: Mapping[str, str]) -> object:
    """Arguments with the server's own names at the top: the same object if none was renamed."""
    if not renamed or not isinstance(arguments, Mapping):
        return arguments
    return {renamed.get(name, name): value for name, value in arguments.items()}


def _plain_name(name: str, taken: set[str]) -> str:
    """Makes up a name that is not taken, and takes it."""
    base = re.sub(r"[^a-zA-Z0-9.-]+", "_", name).strip("_") or "argument"
    plain, number = base[:_LONGEST], 2
    while plain in taken:
        plain, number = f"{base[: _LONGEST - 4]}_{number}", number + 1
    taken.add(plain)
    return plain


def _titled(value: Any, name: str) -> Any:
    """Tells the model the argument's own name."""
    return {**value, "title": name} if isinstance(value, dict) and "title" not in value else value


def _redirected(schema: JsonObject, plain: Mapping[str, str]) -> JsonObject:
    """The schema with its reference to an argument under the new name."""
    match str(schema.get("$ref")).split("/"):
        case ["#", "properties", token, *rest] if unescaped(token) in plain:
            return {**schema, "$ref": "/".join(["#/properties", plain[unescaped(token)], *rest])}
    return schema
