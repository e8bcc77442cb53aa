"""JSON whose values keep the text they were written in.

A pattern may ask for exact bytes, and numbers are compared as they are written, not as floats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SCALAR = re.compile(r"[^\s,\]}]+")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class Json:
    """One value. Members and elements are empty unless the kind has them; of equal names the last counts."""

    # kind is "object", "array", "string", "number", "boolean" or "null".
    kind: str
    text: str
    members: Mapping[str, Json] = field(default_factory=dict)
    elements: Sequence[Json] = ()

    def value(self) -> Any:
        """What Python's own json makes of it."""
        return json.loads(self.text)


def read_json(text: str) -> Json:
    """Reads one value with nothing but white space around it."""
    # The scanner sees only text that is known to be JSON.
    json.loads(text)
    return _Scanner(text).value()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def value(self) -> Json:
        self._take(_SPACE)
        first = self._text[self._at]
        if first == "{":
            return self._object()
        if first == "[":
            return self._array()
        text = self._take(_STRING if first == '"' else _SCALAR)
        return Json(_scalar_kind(text), text)

    def _object(self) -> Json:
        start = self._at
        members: dict[str, Json] = {}
        more = self._opened("}")
        while more:
            self._take(_SPACE)
            name = json.loads(self._take(_STRING))
            self._take(_SPACE)
            self._at += 1  # the colon
            members[name] = self.value()
            more = self._another()
        return Json("object", self._text[start : self._at], members=members)

    def _array(self) -> Json:
        start = self._at
        elements: list[Json] = []
        more = self._opened("]")
        while more:
            elements.append(self.value())
            more = self._another()
        return Json("array", self._text[start : self._at], elements=elements)

    def _opened(self, end: str) -> bool:
        """Steps over the opening bracket, and over the closing one if it is next."""
        self._at += 1
        self._take(_SPACE)
        if self._text[self._at] != end:
            return True
        self._at += 1
        return False

    def _another(self) -> bool:
        """Steps over the comma or the closing bracket after a value."""
        self._take(_SPACE)
        self._at += 1
        return self._text[self._at - 1] == ","

    def _take(self, token: re.Pattern[str]) -> str:
        found = token.match(self._text, self._at)
        text = found.group() if found else ""
        self._at += len(text)
        return text


def _scalar_kind(text: str) -> str:
    if text.startswith('"'):
        return "string"
    return {"null": "null", "true": "boolean", "false": "boolean"}.get(text, "number")


def dump(value: Any) -> str:
    """The text of a value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def object_text(members: Iterable[tuple[str, str]]) -> str:
    """The text of an object with these members, in this order."""
    return "{" + ",".join(f"{dump(name)}:{text}" for name, text in members) + "}"


def same_scalar(a: Json, b: Json) -> bool:
    """Whether two scalars are equal: numbers as numbers, however many digits they have."""
    if a.kind != b.kind:
        return False
    if a.kind == "number":
        return Decimal(a.text) == Decimal(b.text)
    return bool(a.value() == b.value())
