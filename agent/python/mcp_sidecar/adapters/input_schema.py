"""The schema of a tool's arguments, as a provider takes it.

MCP asks of an `inputSchema` only that it is a JSON Schema whose `type` is "object", and servers send less
than that. Providers check every schema of a request and refuse the whole request for a single bad one, so
that one careless server would take all tools away. What is refused of any schema schema_keywords.py says, and
what of the arguments' names property_names.py. The rest is here:

    type "object" or properties missing                    both, at the top
    oneOf, anyOf, allOf                                    both, at the top
    enum, not                                              OpenAI, at the top
    a reference that leads nowhere                         both

What has to be changed is changed towards accepting more, never less, and for the model's eyes only: the
server gets what the model says, judges it by its own schema, and says what is wrong in words for the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from .property_names import plain_names
from .schema_keywords import Strictness, described, repaired
from .schema_tree import JsonObject, follow, map_schema
from .well_formed import well_formed

# Who judges the schema: "any" is for frameworks, which may hand it to every one.
Provider = Literal["anthropic", "any", "openai"]


@dataclass(frozen=True)
class InputSchema:
    """A schema to show."""

    # It describes an object, and shares nothing with the server's own.
    schema: JsonObject
    # Names of arguments in it that are not the server's own, and what those are.
    renamed: Mapping[str, str]


_STRICTNESS: Final[dict[Provider, Strictness]] = {
    "anthropic": Strictness(items=False, patterns=False),
    "any": Strictness(items=True, patterns=True),
    "openai": Strictness(items=True, patterns=True),
}

# How many objects and arrays may be in one another. What is deeper says nothing any more, and would only lead
# to an end of the stack.
_DEEPEST: Final = 128

# How many references are followed at the top, in all: some go round in circles, or double with every step.
_REFERENCES: Final = 32

_COMPOSED: Final = ("$ref", "allOf", "anyOf", "oneOf", "not", "enum")


def input_schema(own: object, provider: Provider) -> InputSchema:
    """What to show of the schema that a tool's definition has, which may be anything."""
    given: JsonObject = _copied(own, _DEEPEST) if isinstance(own, dict) else {}
    strictness = _STRICTNESS[provider]
    root = _Flattening(map_schema(given, lambda schema: repaired(schema, strictness)), strictness).root()
    # After all of the above, which moves what references point to.
    shown = map_schema(root, lambda schema: _without_loose_reference(schema, root))
    # What was changed is of no older draft any more. (To Python 1 and true are equal; their texts are not.)
    if "$schema" in shown and json.dumps(shown) != json.dumps(given):
        del shown["$schema"]
    return InputSchema(shown, {}) if provider == "openai" else InputSchema(*plain_names(shown))


def _copied(value: Any, deepest: int) -> Any:
    """A copy that shares nothing with the value, that can be sent, and is cut where it is too deep."""
    if isinstance(value, dict):
        if not deepest:
            return {}
        return {well_formed(name): _copied(item, deepest - 1) for name, item in value.items()}
    if isinstance(value, list):
        return [_copied(item, deepest - 1) for item in value] if deepest else []
    if isinstance(value, Decimal):
        return str(value)  # the client's form of an integer beyond Python's limit
    return well_formed(value) if isinstance(value, str) else value


def _without_loose_reference(schema: JsonObject, root: JsonObject) -> JsonObject:
    if "$ref" in schema and follow(schema["$ref"], root) is None:
        return _without(schema, "$ref")
    return schema


def _without(schema: JsonObject, *keywords: str) -> JsonObject:
    return {keyword: value for keyword, value in schema.items() if keyword not in keywords}


class _Flattening:
    """Makes one plain object of what is composed at the top of a document."""

    def __init__(self, document: JsonObject, strictness: Strictness) -> None:
        self._document = document
        self._strictness = strictness
        self._references_left = _REFERENCES
        self._targets: dict[str, JsonObject] = {}

    def root(self) -> JsonObject:
        """The document as an object with properties."""
        flat = self._flat(self._document)
        return {**flat, "type": "object", "properties": flat.get("properties", {})}

    def _flat(self, schema: JsonObject) -> JsonObject:
        """The schema without references and combinations at its own level."""
        while self._references_left and (target := self._target(schema.get("$ref"))) is not None:
            self._references_left -= 1
            schema = {**target, **_without(schema, "$ref")}
        out = _without(schema, *_COMPOSED)
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = [self._flat(branch) for branch in schema.get(keyword, []) if isinstance(branch, dict)]
            # The arguments always are an object.
            branches = [branch for branch in branches if _may_be_object(branch)]
            if branches:
                _join(out, branches, "allOf" if keyword == "allOf" else "anyOf")
        return out

    def _target(self, reference: object) -> JsonObject | None:
        """What a reference points to. That may be no part of the tree, and then nobody has repaired it."""
        found = follow(reference, self._document)
        if isinstance(found, bool):
            return {}
        if found is None or not isinstance(reference, str):
            return None
        if reference not in self._targets:
            self._targets[reference] = map_schema(found, lambda schema: repaired(schema, self._strictness))
        return self._targets[reference]


def _may_be_object(schema: JsonObject) -> bool:
    types = schema.get("type", "object")
    return types == "object" or (isinstance(types, list) and "object" in types)


def _join(out: JsonObject, branches: list[JsonObject], keyword: Literal["allOf", "anyOf"]) -> None:
    """Puts branches into out, whose own properties win."""
    own = out.get("properties", {})
    added = {name: schema for name, schema in _merged(branches, keyword).items() if name not in own}
    if added:
        out["properties"] = {**own, **added}
    sets: list[list[str]] = [branch.get("required", []) for branch in branches]
    if keyword == "allOf":
        required = [name for names in sets for name in names]
        for branch in branches:
            if "description" in branch:
                out["description"] = described(out, branch["description"])
    else:
        required = [name for name in sets[0] if all(name in names for names in sets)]
        choices = [", ".join(name for name in names if name not in required) for names in sets]
        choices = list(dict.fromkeys(choices))
        if len(choices) > 1 and all(choices):
            out["description"] = described(out, f"Give one of these: {'; or '.join(choices)}.")
    required = list(dict.fromkeys([*out.get("required", []), *required]))
    if required:
        out["required"] = required


def _merged(schemas: list[JsonObject], keyword: Literal["allOf", "anyOf"]) -> JsonObject:
    """The properties of all. One that several describe differently is combined by the keyword."""
    found: dict[str, dict[str, Any]] = {}
    for schema in schemas:
        for name, own in schema.get("properties", {}).items():
            # By their texts, because to Python 1 and true are equal.
            found.setdefault(name, {}).setdefault(json.dumps(own), own)
    return {
        name: next(iter(different.values())) if len(different) == 1 else {keyword: list(different.values())}
        for name, different in found.items()
    }
