"""Patterns: whether a message is what a line asks for, and a message that a line asks for.

conformance/README.md ("Patterns") says what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .raw_json import Json, object_text, read_json, same_scalar

# The values that a dialogue has remembered, by name.
Saved = dict[str, Json]

_WORDS = ("$like", "$save", "$ref", "$not", "$has", "$some", "$raw", "$exact", "$absent")


class PatternError(ValueError):
    """The pattern itself is wrong, whatever the message is."""


@dataclass(frozen=True)
class _Matcher:
    """An object in a pattern that stands for more than itself."""

    word: str
    operand: Json
    # A value that would do, for whoever sends the message.
    like: Json | None


def _matcher_of(pattern: Json) -> _Matcher | None:
    # "$/progress" and its like are methods, not words.
    named = [name for name in pattern.members if name.startswith("$") and not name.startswith("$/")]
    if not named:
        return None
    if len(named) > 1:
        raise PatternError(f"two matchers in one object: {pattern.text}")
    for name in pattern.members:
        if name != "like" and name not in _WORDS:
            raise PatternError(f'matcher with an unknown field "{name}": {pattern.text}')
    like = pattern.members.get("like")
    if named[0] in ("$save", "$not") and like is None:
        raise PatternError(f'a matcher that has no example in "like": {pattern.text}')
    return _Matcher(named[0], pattern.members[named[0]], like)


def mismatch(pattern: Json, got: Json | None, saved: Saved, at: str = "") -> str | None:
    """Says why a message is not what the pattern asks for; None if it is.

    It begins with the JSON pointer to the first difference. Remembers into saved.
    """
    matcher = _matcher_of(pattern)
    if matcher is not None:
        return _mismatch_of(matcher, got, saved, at)
    if got is None:
        return f"{at}: want {pattern.text}, is missing"
    if pattern.kind != got.kind:
        return _differs(pattern, got, at)
    if pattern.kind == "object":
        # In order, so that a message is told to be another one (by its id) before its result is looked at.
        for name in sorted(pattern.members):
            found = mismatch(pattern.members[name], got.members.get(name), saved, f"{at}/{name}")
            if found is not None:
                return found
        return None
    if pattern.kind == "array":
        return _mismatch_of_elements(pattern, got, saved, at)
    return None if same_scalar(pattern, got) else _differs(pattern, got, at)


def _mismatch_of_elements(pattern: Json, got: Json, saved: Saved, at: str) -> str | None:
    want, have = len(pattern.elements), len(got.elements)
    if want != have:
        return f"{at}: want {want} elements, got {have}: {_shortened(got)}"
    for i, element in enumerate(pattern.elements):
        found = mismatch(element, got.elements[i], saved, f"{at}/{i}")
        if found is not None:
            return found
    return None


def _mismatch_of(matcher: _Matcher, got: Json | None, saved: Saved, at: str) -> str | None:
    word, operand = matcher.word, matcher.operand
    if word == "$absent":
        return None if got is None else f"{at}: want nothing there, got {_shortened(got)}"
    if got is None:
        return f"{at}: is missing"
    if word == "$like":
        return _other_kind(operand, got, at)
    if word == "$save":
        assert matcher.like is not None
        saved[operand.value()] = got
        return _other_kind(matcher.like, got, at)
    if word == "$ref":
        return mismatch(_remembered(operand, saved), got, saved, at)
    if word == "$not":
        fits = mismatch(operand, got, dict(saved), at) is None
        return f"{at}: is {_shortened(got)}, and must not be" if fits else None
    if word == "$has":
        if got.kind == "string" and operand.value() in got.value():
            return None
        return f"{at}: want a string with {operand.text} in it, got {_shortened(got)}"
    if word == "$some":
        return _mismatch_of_some(operand, got, saved, at)
    if word == "$raw":
        if operand.value() == got.text:
            return None
        return f"{at}: want these bytes:\n\t{operand.value()}\ngot\n\t{_shortened(got)}"
    return _inexact(operand, got, at)


def _mismatch_of_some(wanted: Json, got: Json, saved: Saved, at: str) -> str | None:
    """Finds each wanted element in the array, in that order."""
    if got.kind != "array":
        return f"{at}: want an array, got {_shortened(got)}"
    candidates = iter(got.elements)
    for want in wanted.elements:
        for candidate in candidates:
            attempt = dict(saved)
            if mismatch(want, candidate, attempt, at) is None:
                saved.update(attempt)
                break
        else:
            return f"{at}: want an element (in order) like {want.text}, got {_shortened(got)}"
    return None


def _inexact(want: Json, got: Json | None, at: str) -> str | None:
    """Compares whole values: no further members, but in any order."""
    if got is None:
        return f"{at}: want {want.text}, is missing"
    if want.kind == "object" and got.kind == "object":
        for name, member in got.members.items():
            if name not in want.members:
                return f"{at}/{name}: want nothing there, got {_shortened(member)}"
        pairs: list[tuple[Any, Json, Json | None]] = [
            (name, member, got.members.get(name)) for name, member in want.members.items()
        ]
    elif want.kind == "array" and got.kind == "array":
        if len(want.elements) != len(got.elements):
            return _differs(want, got, at)
        pairs = [(i, element, got.elements[i]) for i, element in enumerate(want.elements)]
    else:
        return mismatch(want, got, {}, at)
    for name, wanted, have in pairs:
        found = _inexact(wanted, have, f"{at}/{name}")
        if found is not None:
            return found
    return None


def example(pattern: Json, saved: Saved) -> str | None:
    """The text of a message that the pattern asks for, None for a member that must be absent.

    Remembers into saved as mismatch does.
    """
    matcher = _matcher_of(pattern)
    if matcher is not None:
        return _example_of(matcher, saved)
    if pattern.kind == "array":
        return _example_of_elements(pattern, saved)
    if pattern.kind != "object":
        return pattern.text
    made = [(name, example(pattern.members[name], saved)) for name in sorted(pattern.members)]
    return object_text((name, text) for name, text in made if text is not None)


def _example_of(matcher: _Matcher, saved: Saved) -> str | None:
    word, operand = matcher.word, matcher.operand
    if word == "$absent":
        return None
    if word == "$ref":
        return _remembered(operand, saved).text
    if word == "$save":
        assert matcher.like is not None
        saved[operand.value()] = matcher.like
    if matcher.like is not None:
        return matcher.like.text
    if word == "$some":
        return _example_of_elements(operand, saved)
    return str(operand.value()) if word == "$raw" else operand.text


def _example_of_elements(pattern: Json, saved: Saved) -> str:
    return "[" + ",".join(example(element, saved) or "null" for element in pattern.elements) + "]"


def _remembered(name: Json, saved: Saved) -> Json:
    value = saved.get(name.value())
    if value is None:
        raise PatternError(f"$ref to {name.text}, which nothing has saved")
    return value


def _other_kind(like: Json, got: Json, at: str) -> str | None:
    if like.kind == got.kind:
        return None
    return f"{at}: want something like {like.text}, got {_shortened(got)}"


def _differs(want: Json, got: Json, at: str) -> str:
    return f"{at}: want {want.text}, got {_shortened(got)}"


def _shortened(value: Json) -> str:
    most = 2000
    if len(value.text) <= most:
        return value.text
    return f"{value.text[:most]}… ({len(value.text)} characters)"


def pattern_of(text: str) -> Json:
    """The pattern that a line's text is."""
    pattern = read_json(text)
    if pattern.kind != "object":
        raise PatternError(f"not a JSON object: {text}")
    return pattern
