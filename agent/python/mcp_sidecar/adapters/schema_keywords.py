r"""The keywords of one schema, as draft 2020-12 and the providers want them.

Servers write them in the way of older drafts and of OpenAPI, and make mistakes; a provider then refuses the
whole request, with all tools in it. What they refuse:

    what draft 2020-12 does not know, or not so              both
    an array without items                                   OpenAI
    a pattern with \p{L}, lookaround and the like            OpenAI
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from .schema_tree import JsonObject


@dataclass(frozen=True)
class Strictness:
    """What a provider wants beyond draft 2020-12."""

    # That every array says what is in it.
    items: bool
    # Only patterns that JavaScript, Python and engines without lookaround understand.
    patterns: bool


_TYPES: Final = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))

# What patterns may be made of, for JavaScript, Python and engines without lookaround: no properties of
# Unicode, references to groups, groups that are more than groups, quantifiers that do not give back, nor
# classes that are empty, have others in them, or have one as the end of a range. The rest is for Python's
# compiler to judge, which would warn of some of these.
_PLAIN: Final = re.compile(
    r"""(?:
      \\(?: [dDwWsSbBfnrtv] | 0(?![0-9]) | x[0-9a-fA-F]{2} | u[0-9a-fA-F]{4} | [^0-9A-Za-z] )
    | \[\^?(?![\[\]])
      (?:
          \\[dDwWsS](?!-[^\]])
        | (?! -\\[dDwWsS] | -- | && | ~~ | \|\| )
          (?: \\(?: [bfnrtv] | 0(?![0-9]) | x[0-9a-fA-F]{2} | u[0-9a-fA-F]{4} | [^0-9A-Za-z] ) | [^\\\]] )
      )*
      \]
    | \(\?: | \((?!\?)
    | (?![*+?}]\+)[^\\\[(]
    )*""",
    re.VERBOSE,
)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value % 1 == 0


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


# Of the keywords that hold no schemas: which values make sense.
_VALID: Final[dict[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("$anchor", "$comment", "$id", "$ref", "$schema"), _is_string),
    **dict.fromkeys(("description", "format", "pattern", "title"), _is_string),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"), _is_number),
    **dict.fromkeys(("maxContains", "maxItems", "maxLength", "maxProperties"), _is_count),
    **dict.fromkeys(("minContains", "minItems", "minLength", "minProperties"), _is_count),
    "enum": lambda value: _is_list(value) and bool(value),
    "examples": _is_list,
    "multipleOf": lambda value: _is_number(value) and value > 0,
    **dict.fromkeys(
        ("deprecated", "readOnly", "uniqueItems", "writeOnly"), lambda value: isinstance(value, bool)
    ),
}


def repaired(schema: JsonObject, strictness: Strictness) -> JsonObject:
    """The schema with keywords that will do. One whose value makes no sense is left out."""
    out = dict(schema)
    _repair_limits(out)
    _repair_type(out)
    _repair_required(out)
    _repair_items(out, strictness)
    if strictness.patterns:
        _repair_patterns(out)
    return {keyword: value for keyword, value in out.items() if _VALID.get(keyword, _any)(value)}


def described(schema: JsonObject, text: str) -> str:
    """The description of a schema with a text added."""
    description = schema.get("description")
    return f"{description} {text}" if isinstance(description, str) and description else text


def _any(_: object) -> bool:
    return True


def _repair_limits(out: JsonObject) -> None:
    """Until draft 4, and in OpenAPI 3.0, exclusiveMinimum is a flag beside minimum."""
    for flag, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if not isinstance(out.get(flag), bool):
            continue
        if out.pop(flag) and limit in out:
            out[flag] = out[limit]


def _repair_type(out: JsonObject) -> None:
    """A type that is none ("any", "int") goes, and all beside it: what it meant, they would exclude."""
    if "type" not in out:
        return
    types = out["type"] if isinstance(out["type"], list) else [out["type"]]
    if not types or not all(isinstance(name, str) and name in _TYPES for name in types):
        del out["type"]
    elif isinstance(out["type"], list):
        out["type"] = list(dict.fromkeys(types))


def _repair_required(out: JsonObject) -> None:
    """Until draft 3, and in OpenAPI 2.0, a property says itself that it is required."""
    if "required" not in out:
        return
    if isinstance(out["required"], list):
        out["required"] = list(dict.fromkeys(filter(_is_string, out["required"])))
    else:
        del out["required"]


def _repair_items(out: JsonObject, strictness: Strictness) -> None:
    """Until draft 2019-09 a tuple is a list in items, and additionalItems is for what comes after it."""
    items, types = out.get("items"), out.get("type")
    if isinstance(items, list):
        if items:
            out["prefixItems"] = items
        out["items"] = out.pop("additionalItems", {})
    elif (
        strictness.items and "items" not in out and "array" in (types if isinstance(types, list) else [types])
    ):
        out["items"] = {}


def _repair_patterns(out: JsonObject) -> None:
    """Moves a pattern that is not compiled everywhere into the description, where the model reads it."""
    pattern, named = out.get("pattern"), out.get("patternProperties")
    if isinstance(pattern, str) and not _is_plain(pattern):
        del out["pattern"]
        out["description"] = described(out, f"Pattern: {pattern}")
    if isinstance(named, dict):
        out["patternProperties"] = {name: named[name] for name in named if _is_plain(name)}


def _is_plain(pattern: str) -> bool:
    if not _PLAIN.fullmatch(pattern):
        return False
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True
