"""Countdown bounds what an event loop waits for, in the time in which the loop runs.

A loop that is held up, or a machine that sleeps, uses up one tick of it and not the whole: what came
meanwhile is read before the time is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

_TICKS: Final = 30


class Countdown:
    """One time that runs out, unless it is cancelled before."""

    _left: int
    _next: asyncio.TimerHandle

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, then: Callable[[], object]) -> None:
        self._loop = loop
        self._step = seconds / _TICKS
        self._then = then
        self._left = _TICKS
        self._next = loop.call_later(self._step, self._tick)

    def cancel(self) -> None:
        """Ends it, also when it has run out."""
        self._next.cancel()

    def _tick(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._then()
        else:
            self._next = self._loop.call_later(self._step, self._tick)
