"""A countdown runs out when the loop has run for so long, and not when it was held up for so long."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Callable
from typing import Any, cast

from mcp_sidecar.countdown import Countdown


class ByHand:
    """A loop whose timers fire when the test says so, however late that is."""

    def __init__(self) -> None:
        self.timers: list[tuple[float, Callable[[], None], asyncio.TimerHandle]] = []

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        handle = asyncio.TimerHandle(0, call, (), cast("Any", self))
        self.timers.append((seconds, call, handle))
        return handle

    def get_debug(self) -> bool:
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass

    def fire(self) -> float:
        """Fires the one timer there is, and gives the time that it was set to."""
        [(seconds, call, handle)] = self.timers
        self.timers.clear()
        if not handle.cancelled():
            call()
        return seconds


class ACountdown(unittest.TestCase):
    def setUp(self) -> None:
        self.loop = ByHand()
        self.ends: list[None] = []
        self.countdown = Countdown(cast("Any", self.loop), 60, lambda: self.ends.append(None))

    def test_runs_out_once_after_all_its_time(self) -> None:
        passed = 0.0
        while self.loop.timers:
            self.assertEqual(self.ends, [])
            passed += self.loop.fire()
        self.assertEqual((passed, self.ends), (60, [None]))
        self.countdown.cancel()

    def test_loses_little_of_it_when_the_loop_is_held_up(self) -> None:
        # However late a timer fires: that is one.
        self.assertLessEqual(self.loop.fire(), 2)
        self.assertEqual((len(self.loop.timers), self.ends), (1, []))

    def test_does_not_run_out_once_it_is_cancelled(self) -> None:
        self.loop.fire()
        self.countdown.cancel()
        self.loop.fire()
        self.assertEqual((self.loop.timers, self.ends), ([], []))


if __name__ == "__main__":
    unittest.main()
