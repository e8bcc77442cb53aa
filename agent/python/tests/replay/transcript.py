"""Reads the dialogues in conformance/: text in, steps out. conformance/README.md is the format."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .pattern import pattern_of

_MANY = 1 << 10

# How many words follow each verb, at least and at most.
_ARITY = {
    ">": (1, 1),
    "<": (1, 1),
    "<!": (1, 1),
    "<{": (0, 0),
    "start": (0, _MANY),
    "raw": (1, 1),
    "eof": (0, 0),
    "signal": (1, 1),
    "exit": (1, 1),
    "stop": (0, 0),
    "stderr": (1, _MANY),
    "put": (2, 2),
    "remove": (1, 1),
    "mode": (2, 2),
    "await": (2, _MANY),
    "count": (4, _MANY),
    "release": (2, 2),
    "kill": (1, 1),
    "gone": (0, 1),
    "launch": (1, 1),
    "attach": (1, _MANY),
    "as": (1, 1),
}


class TranscriptError(ValueError):
    """A file that is no transcript."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class Step:
    """One line of a dialogue with the lines that continue it, or one unordered group."""

    # line counts from 1 in the file.
    line: int
    verb: str
    # args are the words after the verb. Those that send or expect have one, the JSON; raw has one, the text.
    args: list[str] = field(default_factory=list)
    # group holds the expected messages of a group.
    group: list[Step] = field(default_factory=list)


@dataclass
class Transcript:
    """One file."""

    # title is the first line: the promise that the dialogue shows kept.
    title: str
    # comment is what stands between the title and the first section.
    comment: str
    steps: list[Step]


def read_transcript(text: str, expand: Callable[[str], str]) -> Transcript:
    """Reads a transcript. expand replaces the placeholders of a line."""
    head, *sections = _sections_of(text)
    title, *comment = head.lines or [""]
    if title == "":
        raise TranscriptError(1, "the first line must say what the transcript shows")
    dialogues = [section for section in sections if section.name == "dialogue"]
    if not dialogues:
        raise TranscriptError(1, "no section named dialogue")
    if len(dialogues) > 1:
        raise TranscriptError(dialogues[1].first, "two sections named dialogue")
    return Transcript(title, "\n".join(comment).strip(), _steps_of(dialogues[0], expand))


@dataclass
class _Section:
    name: str
    # first is the number of its first line in the file.
    first: int
    lines: list[str] = field(default_factory=list)


def _sections_of(text: str) -> list[_Section]:
    """The sections of a txtar archive; the first is the comment, which has no name."""
    sections = [_Section("", 1)]
    for i, line in enumerate(text.split("\n")):
        marker = re.fullmatch(r"-- (.*\S.*) --\s*", line)
        if marker:
            sections.append(_Section(marker[1].strip(), i + 2))
        else:
            sections[-1].lines.append(line)
    return sections


def _steps_of(section: _Section, expand: Callable[[str], str]) -> list[Step]:
    steps: list[Step] = []
    group: Step | None = None  # the open one
    for line, text in _joined(section):
        if group is not None and text == "}":
            steps.append(group)
            group = None
            continue
        step = _step_of(line, expand(text))
        if step.verb == "<{":
            group = step
        elif group is None:
            steps.append(step)
        elif step.verb == "<":
            group.group.append(step)
        else:
            raise TranscriptError(line, "only expected messages stand in a group")
    if group is not None:
        raise TranscriptError(group.line, "the group is not closed")
    return steps


def _joined(section: _Section) -> list[tuple[int, str]]:
    """The lines without blank ones and comments, each with the indented lines that continue it.

    Inside a group, an indented line that begins with "<" continues nothing.
    """
    lines: list[tuple[int, str]] = []
    for i, raw in enumerate(section.lines):
        text = raw.strip()
        if text == "" or text.startswith("#"):
            continue
        if raw.startswith(" ") and lines and not text.startswith("< "):
            number, before = lines[-1]
            lines[-1] = (number, f"{before} {text}")
        else:
            lines.append((section.first + i, text))
    return lines


def _step_of(line: int, text: str) -> Step:
    verb, _, rest = text.partition(" ")
    rest = rest.strip()
    if verb not in _ARITY:
        raise TranscriptError(line, f'unknown verb "{verb}"')
    if verb in (">", "<", "<!"):
        try:
            pattern_of(rest)
        except ValueError as error:
            raise TranscriptError(line, f"not a JSON object: {rest}") from error
        return Step(line, verb, [rest])
    if verb == "raw":
        if not re.fullmatch(r'".*"', rest):
            raise TranscriptError(line, f"not a quoted string: {rest}")
        return Step(line, verb, [rest])
    words = rest.split()
    least, most = _ARITY[verb]
    if not least <= len(words) <= most:
        raise TranscriptError(line, f"{verb} takes {least} words or more, has {len(words)}")
    if verb == "count" and not re.fullmatch(r"-?\d+", words[-1]):
        raise TranscriptError(line, f'count ends in a number, has "{words[-1]}"')
    return Step(line, verb, words)
