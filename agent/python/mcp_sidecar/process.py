"""ProcessTransport is a Transport to a sidecar that is a child process."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from . import ending
from .callbacks import check_callback
from .child import Child
from .countdown import Countdown
from .errors import SidecarClosedError
from .framing import FramingError
from .transport import TransportListener

OnStderr = Callable[[str], object]

_SILENCE_SECONDS: Final = 30.0
"""How long a program may say nothing at all. A sidecar that connects servers tells of it at once."""
_LOOK_SECONDS: Final = 0.02
"""How often it is looked whether what a wrapper has started is gone."""
_KILLED_SECONDS: Final = 5.0
"""How long a killed process is waited for: the system may take its time, but not for ever."""


class ProcessTransport:
    """A child process. It is the watcher of its Child.

    The process is in a session of its own: an interrupt at the terminal reaches this program alone. When this
    program ends, however it does, the process sees the end of its stdin, and ends too.
    """

    # The program. None: it was not started.
    peer: str | None
    pid: int | None
    # How long the process may take to end when it is asked to, in seconds.
    grace: float
    # It joins a session of another program's, and ends with that.
    joins: bool

    _listener: TransportListener | None
    _child: Child | None
    # Done when the process runs, or failed when it does not.
    _start: asyncio.Future[None] | None
    # Whether the listener was told the end.
    _told: bool
    # Whether it has sent a message.
    _spoke: bool
    # Bounds the time until the first message.
    _silence: Countdown | None
    # Kills a process that was given up and does not end, unless its end comes before.
    _kill: asyncio.TimerHandle | None
    # Set when there is no process.
    _gone: asyncio.Event

    def __init__(self, on_stderr: OnStderr | None = None, grace: float = 5.0) -> None:
        check_callback("stderr", on_stderr)
        self.peer = None
        self.pid = None
        self.grace = grace
        self.joins = False
        self._on_stderr = on_stderr
        self._listener = None
        self._child = None
        self._start = None
        self._told = False
        self._spoke = False
        self._silence = None
        self._kill = None
        self._gone = asyncio.Event()
        self._gone.set()

    async def start(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        """Starts the process, once. If that is cancelled there may be a process: close() ends it."""
        self.peer = command[0]
        self._start = asyncio.get_running_loop().create_future()
        self._gone.clear()
        self._child = Child(self, command, env)
        await self._start

    def let_go(self) -> None:
        """Has the process end by itself. May be called from any thread, and by a finalizer."""
        if self._child is not None:
            self._child.close_stdin()

    # Transport.

    def listen(self, listener: TransportListener) -> None:
        """Is the client's to call."""
        self._listener = listener

    def send(self, text: str) -> None:
        """Writes a message, some time."""
        if self._child is not None and not self._told:
            self._child.send(text)

    async def close(self) -> None:
        """Ends the process: it is asked to, and killed if it does not in time."""
        self._tell_end(SidecarClosedError("this program has closed the sidecar"))
        if self._child is None:
            return
        self._child.close_stdin()
        if self._child.loop is not asyncio.get_running_loop():
            # In another loop its end cannot be waited for, and in its own nobody may be left to see it.
            self._child.terminate()
            return
        if not self._gone.is_set():
            self._child.terminate()
            try:
                await self._wait(self.grace)
            except asyncio.CancelledError:
                self._child.kill()
                raise
        if not self._gone.is_set():
            self._child.kill()
            await self._wait(_KILLED_SECONDS)
        elif self._child.told_to_end:
            await self._end_rest(self._child)

    async def _end_rest(self, child: Child) -> None:
        # What a wrapper has started outlives the wrapper, and has the same time to end.
        deadline = child.loop.time() + self.grace
        try:
            # Nothing tells the end of a grandchild.
            while child.has_group:
                if child.loop.time() >= deadline:
                    child.kill()
                    return
                await asyncio.sleep(_LOOK_SECONDS)
        except asyncio.CancelledError:
            child.kill()
            raise

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._gone.wait(), seconds)

    # ChildWatcher.

    def started(self, pid: int) -> None:
        """Is the child's to call."""
        self.pid = pid
        if not self._told:
            self._silence = Countdown(asyncio.get_running_loop(), _SILENCE_SECONDS, self._fell_silent)
        if self._start is not None and not self._start.done():
            self._start.set_result(None)

    def not_started(self, error: Exception) -> None:
        """Is the child's to call."""
        self._gone.set()
        failure = ending.not_started(self.peer or "", error)
        failure.__cause__ = error
        self._tell_end(failure)
        if self._start is not None and not self._start.done():
            # Another of the same words, since an error that is raised collects what it passes through.
            raised = copy.copy(failure)
            raised.__cause__ = error
            self._start.set_exception(raised)

    def said(self, texts: list[str]) -> None:
        """Is the child's to call."""
        self._spoke = True
        if self._silence is not None:
            self._silence.cancel()
        for text in texts:
            if self._listener is not None and not self._told:
                self._listener.message(text)

    def babbled(self, error: FramingError) -> None:
        """Is the child's to call."""
        self._give_up(ending.babbled(self.peer or "", error, self._tail(), spoke=self._spoke))

    def deserted(self, how: str) -> None:
        """Is the child's to call."""
        reason = ending.deserted(self.peer or "", self.pid or 0, how, self._tail(), spoke=self._spoke)
        if not self._told and self._child is not None:
            self._child.kill()
        self._tell_end(reason)

    def wrote(self, lines: list[str]) -> None:
        """Is the child's to call."""
        for line in lines:
            if self._on_stderr is None:
                return
            try:
                self._on_stderr(line)
            except Exception as error:  # noqa: BLE001  (it is the callback's, and the next line must be told)
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "mcp-sidecar: the callback for stderr raised", "exception": error}
                )

    def exited(self, code: int) -> None:
        """Is the child's to call."""
        self._gone.set()
        if self._kill is not None:
            self._kill.cancel()
        say = ending.parted if self.joins else ending.died
        self._tell_end(say(self.peer or "", self.pid or 0, code, self._tail(), spoke=self._spoke))

    def _tail(self) -> tuple[str, ...]:
        return () if self._child is None else self._child.tail

    def _fell_silent(self) -> None:
        self._give_up(ending.silent(self.peer or "", _SILENCE_SECONDS, self._tail()))

    def _give_up(self, reason: SidecarClosedError) -> None:
        """Ends a process that is of no use any more, without waiting for its end."""
        self._tell_end(reason)
        if self._child is not None and self._kill is None and not self._gone.is_set():
            self._child.close_stdin()
            self._child.terminate()
            self._kill = self._child.loop.call_later(self.grace, self._child.kill)

    def _tell_end(self, reason: SidecarClosedError) -> None:
        if not self._told:
            self._told = True
            if self._silence is not None:
                self._silence.cancel()
            if self._listener is not None:
                self._listener.closed(reason)
