"""A JSON Schema as a tree: its schemas, each of which can be changed, and its references.

Nothing here knows what is wrong with a schema, or whom it is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote

JsonObject = dict[str, Any]

# Where a keyword holds a schema, a list of schemas, or schemas by name. Everything else is not looked into.
_ONE: Final = frozenset(
    (
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    )
)
_LIST: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_NAMED: Final = frozenset(("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"))

_POINTER: Final = re.compile(r"#(/.*)?", re.DOTALL)
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")


def map_schema(schema: JsonObject, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """Gives every schema of the tree to `change`, the inner ones first: the tree of what that returns.

    What is no schema becomes, in a list or under a name, the one that accepts anything. Elsewhere it is left
    out with its keyword, and so is what should be a list or an object of schemas and is none.
    """
    out: JsonObject = {}
    for keyword, value in schema.items():
        if keyword in _LIST or (keyword == "items" and isinstance(value, list)):  # so until draft 2019-09
            if isinstance(value, list) and (value or keyword == "items"):
                out[keyword] = [_mapped(item, change) for item in value]
        elif keyword in _ONE:
            if isinstance(value, dict | bool):
                out[keyword] = _mapped(value, change)
        elif keyword in _NAMED:
            if isinstance(value, dict):
                out[keyword] = {name: _mapped(item, change) for name, item in value.items()}
        else:
            out[keyword] = value
    return change(out)


def _mapped(schema: object, change: Callable[[JsonObject], JsonObject]) -> JsonObject | bool:
    if isinstance(schema, bool):
        return schema
    return map_schema(schema if isinstance(schema, dict) else {}, change)


def follow(reference: object, document: JsonObject) -> JsonObject | bool | None:
    """The schema that a reference within the document points to (RFC 6901, in a URI), or None."""
    if not isinstance(reference, str) or not _POINTER.fullmatch(reference):
        return None
    found: object = document
    for token in reference.split("/")[1:]:
        key = unescaped(token)
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and _INDEX.fullmatch(key) and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found if isinstance(found, dict | bool) else None


def unescaped(token: str) -> str:
    """The name that a token of a reference stands for."""
    return unquote(token).replace("~1", "/").replace("~0", "~")
