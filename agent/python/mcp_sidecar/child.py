"""Child is one process and its three pipes, for a program with an event loop.

Pipes and process are waited for by daemon threads, and not by the event loop: that works with every loop and
on every platform, a loop that ends before the process does leaves nothing behind that complains, and none of
it keeps the program from ending. The threads and what ends them:

- *owner* starts the process and waits for its end. It is the last to tell something.
- *reader* takes stdout apart, until it is closed. It hands on one chunk at a time, and reads the next when
  the loop has taken it: a host that is busy is seen by the sidecar.
- *listener* reads stderr, until it is closed.
- *writer* writes what is sent to stdin, until it is told to stop, and then closes it.

A reader or listener may outlive the process when another process holds the pipe open. Nobody waits for it.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import SimpleQueue
from typing import IO, Any, Final, Protocol

from .framing import Decoder, FramingError, encode
from .stderr_tail import StderrTail

# An interrupt at the terminal is this program's affair alone, and no window is opened.
if sys.platform == "win32":
    _APART: Final[dict[str, Any]] = {
        "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    }
else:
    _APART: Final[dict[str, Any]] = {"start_new_session": True}

_KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)
_CHUNK_BYTES: Final = 256 * 1024
_LINE_BYTES: Final = 16 * 1024
"""How much of a line is waited for: what is longer is more than one."""
_DRAIN_BYTES: Final = 1024 * 1024
"""How much of a pipe is read after the end of the process, if somebody else holds it open, and writes: no
less than a pipe can hold."""
_DRAIN_SECONDS: Final = 0.1
"""How long that is waited for where a pipe cannot be polled (Windows)."""
_LINGER_SECONDS: Final = 1.0
"""How long a process may live on that has closed its stdin or its stdout."""
_LOOK_SECONDS: Final = 1.0
"""How often a thread that waits for the loop looks whether the loop is closed."""


class ChildWatcher(Protocol):
    """The one whose child it is. It is called in its event loop."""

    def started(self, pid: int, /) -> None:
        """The process runs."""

    def not_started(self, error: Exception, /) -> None:
        """There is no process, and nothing else will be told."""

    def said(self, texts: list[str], /) -> None:
        """It wrote messages."""

    def babbled(self, error: FramingError, /) -> None:
        """It wrote something that is no message. Nothing it says is told from now on, until `exited`."""

    def wrote(self, lines: list[str], /) -> None:
        """It wrote lines to stderr."""

    def deserted(self, how: str, /) -> None:
        """It runs, but has closed its stdin or its stdout, and did not end in time."""

    def exited(self, code: int, /) -> None:
        """It is gone: the last call."""


class Child:
    """One process. Its methods are called in the event loop, and do not wait."""

    # What is to be written. None is the end.
    _outbox: SimpleQueue[bytes | None]
    # Guards what the loop shares with the threads: the three below.
    _lock: threading.Lock
    _process: subprocess.Popen[bytes] | None
    # A signal is wanted that came before the process.
    _wanted: int | None
    # It was told to end while it ran: what is left of its group is its own.
    _told_to_end: bool
    # Set when the process has ended. The pipe has a byte from then on, for those who poll (not on Windows).
    _over: threading.Event
    _over_pipe: tuple[int, int] | None
    # The listener adds to it; its lines, which the loop reads, are replaced whole.
    _tail: StderrTail
    # Whether the reader waits for stdout, and not for the loop.
    _reading: bool

    def __init__(self, watcher: ChildWatcher, command: Sequence[str], env: Mapping[str, str] | None) -> None:
        """Starts the process, and returns before it runs."""
        self.loop: Final = asyncio.get_running_loop()
        self._watcher = watcher
        self._outbox = SimpleQueue()
        self._lock = threading.Lock()
        self._process = None
        self._wanted = None
        self._told_to_end = False
        self._over = threading.Event()
        self._over_pipe = None
        self._tail = StderrTail()
        self._reading = False
        _thread("owner", self._own, list(command), None if env is None else dict(env))

    @property
    def tail(self) -> tuple[str, ...]:
        """Those lines of stderr that may say why it ended."""
        return self._tail.lines

    def send(self, text: str) -> None:
        """Writes a message, some time."""
        self._outbox.put(encode(text))

    def close_stdin(self) -> None:
        """Closes stdin, when everything is written. May be called from any thread, and by a finalizer."""
        self._outbox.put(None)

    def terminate(self) -> None:
        """Asks it to end, and all of its group (SIGTERM)."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it, and all of its group, by force (SIGKILL)."""
        self._signal(_KILL)

    @property
    def told_to_end(self) -> bool:
        """Whether it got a signal while it ran."""
        return self._told_to_end

    @property
    def has_group(self) -> bool:
        """Whether anything is left of a process that was told to end, itself included."""
        with self._lock:
            return self._told_to_end and self._process is not None and _send(self._process, 0)

    def _signal(self, number: int) -> None:
        with self._lock:
            if self._process is None:
                self._wanted = number
            elif self._told_to_end or self._process.returncode is None:
                # Not for the first time after the end: the number of an empty group may be another's.
                self._told_to_end = True
                _send(self._process, number)

    # The threads.

    def _own(self, command: list[str], env: dict[str, str] | None) -> None:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=env,
                **_APART,
            )
        except Exception as error:  # noqa: BLE001  (whatever it is, there is one who waits for the start)
            self._tell(self._watcher.not_started, error)
            return
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        started: list[threading.Thread] = []
        try:
            if sys.platform != "win32":
                self._over_pipe = os.pipe()
            reader = _thread("reader", self._read, process.stdout)
            started.append(reader)
            listener = _thread("listener", self._listen, process.stderr)
            started.append(listener)
            _thread("writer", self._write, process.stdin)
        except (RuntimeError, OSError) as error:
            # Its group is killed, so that the pipes end, and those who read them before they are closed.
            _send(process, _KILL)
            process.wait()
            self._over.set()
            for thread in started:
                thread.join()
            with process:
                pass
            for descriptor in self._over_pipe or ():
                os.close(descriptor)
            self._tell(self._watcher.not_started, error)
            return
        with self._lock:
            self._process = process
            if self._wanted is not None:
                self._told_to_end = True
                _send(process, self._wanted)
        self._tell(self._watcher.started, process.pid)
        code = process.wait()
        self._over.set()
        self._outbox.put(None)
        self._drain(reader, listener)
        self._tell(self._watcher.exited, code)

    def _drain(self, reader: threading.Thread, listener: threading.Thread) -> None:
        """Waits until what the process has written is read. Others may hold its pipes open for ever."""
        if self._over_pipe is None:
            reader.join(_DRAIN_SECONDS)
            while reader.is_alive() and not self._reading:
                reader.join(_DRAIN_SECONDS)
            listener.join(_DRAIN_SECONDS)
            return
        heard, told = self._over_pipe
        # Not by closing it: a fork of this program has it, too.
        os.write(told, b"x")
        reader.join()
        listener.join()
        os.close(heard)
        os.close(told)

    def _read(self, stdout: IO[bytes]) -> None:
        decoder = Decoder()
        with stdout:
            chunks = self._chunks(stdout)
            try:
                for data in chunks:
                    texts = decoder.feed(data)
                    if texts and not self._hand(self._watcher.said, texts):
                        return
                    if decoder.fault is not None:
                        break
                decoder.finish()
            except FramingError as error:
                self._tell(self._watcher.babbled, error)
                # Whoever writes must not be stopped by a full pipe: it is to be ended.
                for _ in chunks:
                    pass
        self._desert("has closed its stdout")

    def _chunks(self, pipe: IO[bytes]) -> Iterator[bytes]:
        """Reads a pipe to its end, or after the end of the process as far as it is filled."""
        left = _DRAIN_BYTES
        while left > 0 and self._has_more(pipe):
            self._reading = True
            data = os.read(pipe.fileno(), _CHUNK_BYTES)
            self._reading = False
            if not data:
                return
            if self._over.is_set():
                left -= len(data)
            yield data

    def _has_more(self, pipe: IO[bytes]) -> bool:
        if sys.platform == "win32" or self._over_pipe is None:
            return True
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        poll.register(self._over_pipe[0], select.POLLIN)
        return any(descriptor == pipe.fileno() for descriptor, _ in poll.poll())

    def _desert(self, how: str) -> None:
        if not self._over.wait(_LINGER_SECONDS):
            self._tell(self._watcher.deserted, how)

    def _listen(self, stderr: IO[bytes]) -> None:
        with stderr:
            rest = b""
            for data in self._chunks(stderr):
                *complete, rest = (rest + data).split(b"\n")
                if len(rest) > _LINE_BYTES:
                    complete.append(rest)
                    rest = b""
                if complete and not self._note(complete):
                    return
            if rest:
                self._note([rest])

    def _note(self, raw: list[bytes]) -> bool:
        lines = [line.decode("utf-8", "replace").rstrip("\r") for line in raw]
        self._tail.add(lines)
        return self._hand(self._watcher.wrote, lines)

    def _write(self, stdin: IO[bytes]) -> None:
        # When it does not read any more it is gone, or will be told to go: the rest is of no use.
        try:
            with stdin:
                while (data := self._outbox.get()) is not None:
                    rest = memoryview(data)
                    while rest:
                        rest = rest[os.write(stdin.fileno(), rest) :]
        except OSError:
            self._desert("has closed its stdin")

    def _tell(self, call: Callable[..., None], *args: Any) -> bool:
        """Has something called in the loop. False: the loop is closed, and with it the child's stdin."""
        try:
            self.loop.call_soon_threadsafe(call, *args)
        except RuntimeError:
            self._outbox.put(None)
            return False
        return True

    def _hand(self, call: Callable[[list[str]], None], items: list[str]) -> bool:
        """Has something called in the loop, and waits until it was. False is as in `_tell`."""
        taken = threading.Event()

        def take() -> None:
            taken.set()
            call(items)

        if not self._tell(take):
            return False
        while not taken.wait(_LOOK_SECONDS):
            if self.loop.is_closed():
                self._outbox.put(None)
                return False
        return True


def _send(process: subprocess.Popen[bytes], number: int) -> bool:
    """Sends a signal to a process and to the group that it leads, and says whether there is anybody."""
    if sys.platform == "win32":
        if number:
            process.terminate()
        return process.poll() is None
    try:
        os.killpg(process.pid, number)
    except OSError:
        return False
    return True


def _thread(role: str, target: Callable[..., None], *args: Any) -> threading.Thread:
    thread = threading.Thread(target=target, args=args, name=f"mcp-sidecar {role}", daemon=True)
    thread.start()
    return thread
