"""EventLoopThread runs an event loop in a daemon thread, for programs that have none."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, wait
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

HEARING_SECONDS: Final = 0.5
"""How long a thread of the program waits at a time. An interrupt that comes just when it begins to wait (and
on Windows, any) is not heard before it looks up."""


class LoopClosedError(Exception):
    """The loop does not run any more."""


class EventLoopThread:
    """An event loop and its thread, which ends by `stop`, or with the program: it keeps none alive."""

    # Guards _open, so that nothing is given to a loop that does not run it.
    _lock: threading.Lock
    _open: bool

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = True
        self._process_id = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._own, name="mcp-sidecar loop", daemon=True)
        self._thread.start()

    @property
    def is_current(self) -> bool:
        """Whether the caller is in this thread, where waiting for the loop would be for ever."""
        return threading.current_thread() is self._thread

    @property
    def is_elsewhere(self) -> bool:
        """Whether this process is a fork of the one that the thread runs in: here nothing runs the loop."""
        return os.getpid() != self._process_id

    def submit(self, begin: Callable[[], Coroutine[Any, Any, _T]]) -> Future[_T]:
        """Has a coroutine run in the loop. Cancelling the future cancels it."""
        with self._lock:
            if not self._open:
                raise LoopClosedError
            return asyncio.run_coroutine_threadsafe(begin(), self._loop)

    def stop(self) -> None:
        """Ends the loop, once. Whatever runs in it is cancelled."""
        if self.is_elsewhere:
            return
        with self._lock:
            if not self._open:
                return
            self._open = False
        self._loop.call_soon_threadsafe(self._loop.stop)

    def join(self) -> None:
        """Waits for the end of a loop that was stopped."""
        self._thread.join()

    def _own(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            while tasks := asyncio.all_tasks(self._loop):
                for task in tasks:
                    task.cancel()
                self._loop.run_until_complete(asyncio.wait(tasks))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()


def result(future: Future[_T]) -> _T:
    """Waits for a result. An interrupt of the waiting cancels what is waited for.

    Raises LoopClosedError if the end of the loop has cancelled it.
    """
    try:
        while not wait([future], HEARING_SECONDS).done:
            pass
    except BaseException:
        future.cancel()
        raise
    try:
        return future.result()
    except CancelledError:
        raise LoopClosedError from None


async def in_thread(call: Callable[[], _T]) -> _T:
    """Awaits a blocking call in a daemon thread of its own: one that never returns keeps no program alive."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_T] = loop.create_future()

    def give(value: Callable[[], None]) -> None:
        if not answer.done():
            value()

    def run() -> None:
        try:
            value = call()
        except BaseException as error:  # noqa: BLE001  (it is raised where the call is awaited)
            failure = error if isinstance(error, Exception) else RuntimeError(repr(error))
            outcome = lambda: answer.set_exception(failure)  # noqa: E731
        else:
            outcome = lambda: answer.set_result(value)  # noqa: E731
        # Nobody waits any more if the loop is closed.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(give, outcome)

    threading.Thread(target=run, name="mcp-sidecar handler", daemon=True).start()
    return await answer
