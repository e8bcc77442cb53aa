"""EventStream is what `SidecarClient.events()` gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from .event_queue import EventQueue
from .events import Closed, Event


class EventStream(AsyncIterator[Event]):
    """The events of a client, from the moment of `events()` on. It ends after Closed.

    One that is not read stays small: unread statuses are merged per server, changes of the tools into one
    difference, and of the logs the oldest are dropped. One that nobody refers to any more is forgotten.
    """

    # Nothing comes any more, once what is in the queue is read.
    _ended: bool
    # Those who wait in __anext__.
    _waiting: list[asyncio.Future[None]]

    def __init__(self, owner: object) -> None:
        # Whoever reads this wants its client to live.
        self._owner = owner
        self._queue = EventQueue()
        self._ended = False
        self._waiting = []

    def put(self, event: Event) -> None:
        """Is the session's to call."""
        if self._ended:
            return
        self._queue.put(event)
        self._ended = isinstance(event, Closed)
        self._wake()

    async def aclose(self) -> None:
        """Ends it at once. What is unread is dropped."""
        self._ended = True
        self._queue = EventQueue()
        self._wake()

    def __aiter__(self) -> EventStream:
        return self

    async def __anext__(self) -> Event:
        while (event := self._queue.take()) is None:
            if self._ended:
                raise StopAsyncIteration
            woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(woken)
            try:
                await woken
            finally:
                self._waiting.remove(woken)
        return event

    def _wake(self) -> None:
        for woken in self._waiting:
            if not woken.done():
                woken.set_result(None)
