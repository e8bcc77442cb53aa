"""StderrTail keeps those lines of a program's log that may say why it ended. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_LINES: Final = 20
_CHARACTERS: Final = 1000
"""How many lines are kept, and how much of each."""
_TELLING_LINES: Final = 10
"""How many lines `telling` picks."""

_CRASH: Final = re.compile(r"(panic|fatal error|SIG(ABRT|BUS|FPE|ILL|QUIT|SEGV|SYS|TRAP)): ")
"""Begins the line with which a Go program says why it crashes. Where its goroutines were comes after it."""


class StderrTail:
    """The last lines, the oldest first. Blank ones are not kept; of a crash the beginning, not the end."""

    lines: tuple[str, ...]

    def __init__(self) -> None:
        self.lines = ()

    def add(self, lines: Iterable[str]) -> None:
        """Adds lines."""
        kept = list(self.lines)
        for line in lines:
            if not line.strip():
                continue
            if len(kept) == _LINES and _CRASH.match(kept[0]):
                if not _CRASH.match(line):
                    continue
                kept.clear()  # that one did not end it
            kept.append(line[:_CHARACTERS])
            del kept[:-_LINES]
        self.lines = tuple(kept)


def telling(lines: Sequence[str]) -> Sequence[str]:
    """Picks the lines that say why the program ended: those of its crash, or the last ones."""
    for number, line in enumerate(lines):
        if _CRASH.match(line):
            return lines[number : number + _TELLING_LINES]
    return lines[-_TELLING_LINES:]
