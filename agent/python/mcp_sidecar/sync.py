"""SyncSidecar is a Sidecar for programs without an event loop."""

from __future__ import annotations

import copy
import inspect
import os
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import fields
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import finalize

from .callbacks import check_callback
from .errors import SidecarClosedError, SidecarError
from .event_loop_thread import HEARING_SECONDS, EventLoopThread, LoopClosedError, in_thread, result
from .event_queue import EventQueue
from .events import Closed, Event
from .handlers import Handlers, checked
from .mcp import CallOutcome, Tool
from .process import OnStderr
from .protocol_gen import (
    Capabilities,
    ClientInfo,
    Diagnostic,
    DoctorReport,
    LogsResult,
    ProgressValue,
    ReloadMode,
    SearchHit,
    Server,
    Settings,
    SidecarInfo,
    Snapshot,
    WaitResult,
)
from .requests_gen import SyncRequests
from .sidecar import Sidecar
from .tool_source import OnProgress, ToolName
from .uncopied import Uncopied
from .workspace import Folder

if TYPE_CHECKING:
    from typing_extensions import Self

_T = TypeVar("_T")


class SyncEventStream(Iterator[Event]):
    """The events of a SyncSidecar, from the moment of `events()` on: iterating blocks. It ends after Closed.

    One that is not read stays small, as EventStream does.
    """

    # Guards the two below. put() is called in the loop, the others are in threads of the program.
    _changed: threading.Condition
    _queue: EventQueue
    _ended: bool

    def __init__(self, owner: object) -> None:
        # Whoever reads this wants its sidecar to live.
        self._owner = owner
        self._changed = threading.Condition()
        self._queue = EventQueue()
        self._ended = False

    def put(self, event: Event) -> None:
        """Is the session's to call."""
        with self._changed:
            if not self._ended:
                self._queue.put(event)
                self._ended = isinstance(event, Closed)
                self._changed.notify_all()

    def close(self) -> None:
        """Ends it at once, also for one who waits. What is unread is dropped."""
        with self._changed:
            self._ended = True
            self._queue = EventQueue()
            self._changed.notify_all()

    def __iter__(self) -> SyncEventStream:
        return self

    def __next__(self) -> Event:
        with self._changed:
            while (event := self._queue.take()) is None:
                if self._ended:
                    raise StopIteration
                self._changed.wait(HEARING_SECONDS)
            return event


class SyncSidecar(SyncRequests, Uncopied):
    """A Sidecar whose methods block. It may be used from many threads at once.

    >>> with SyncSidecar(cwd=project) as sidecar:
    ...     outcome = sidecar.call("mcp_files_read_text_file", {"path": "notes.txt"})

    What it is given, and what it does, is as in Sidecar, with these differences. An interrupt (Ctrl-C) of a
    method cancels what it waits for. Handlers are called in threads of their own, and may block.
    ``on_progress`` is called in the thread that makes the call, ``stderr`` in a thread of the sidecar.
    """

    # None: not started.
    _thread: EventLoopThread | None

    def __init__(
        self,
        *,
        cwd: str | os.PathLike[str] | None = None,
        binary: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str | None] | None = None,
        client: ClientInfo | None = None,
        workspace_folders: Sequence[Folder] | None = None,
        settings: Settings | None = None,
        handlers: Handlers | None = None,
        capabilities: Capabilities | None = None,
        stderr: OnStderr | None = None,
    ) -> None:
        self._sidecar = Sidecar(
            cwd=cwd,
            binary=binary,
            args=args,
            env=env,
            client=client,
            workspace_folders=workspace_folders,
            settings=settings,
            handlers=None if handlers is None else _blocking(handlers),
            capabilities=capabilities,
            stderr=stderr,
        )
        self._thread = None

    @classmethod
    def join(
        cls,
        endpoint: str | None = None,
        *,
        binary: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str | None] | None = None,
        client: ClientInfo | None = None,
        stderr: OnStderr | None = None,
    ) -> Self:
        """A guest of the session that another program shares: see Sidecar.join."""
        guest = cls()
        guest._sidecar = Sidecar.join(
            endpoint, binary=binary, args=args, env=env, client=client, stderr=stderr
        )
        return guest

    def __repr__(self) -> str:
        return f"<Sync{repr(self._sidecar)[1:]}"

    # What is known: see SidecarClient.

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools, sorted by name: a new tuple whenever anything in it changes."""
        return self._sidecar.tools

    @property
    def servers(self) -> tuple[Server, ...]:
        """All servers, sorted by name."""
        return self._sidecar.servers

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the configuration or with servers now."""
        return self._sidecar.errors

    @property
    def exa_api_keys(self) -> tuple[str, ...]:
        """The keys of Exa servers, which are taken out of the set."""
        return self._sidecar.exa_api_keys

    @property
    def revision(self) -> int:
        """Counts the sets of tools."""
        return self._sidecar.revision

    @property
    def hash(self) -> str:
        """An equal hash means equal tools, apart from their state."""
        return self._sidecar.hash

    @property
    def info(self) -> SidecarInfo | None:
        """The name and version of the sidecar."""
        return self._sidecar.info

    @property
    def methods(self) -> tuple[str, ...]:
        """The requests that this sidecar answers."""
        return self._sidecar.methods

    @property
    def guest(self) -> bool:
        """Whether the session that is open is another program's, so that this one decides nothing in it."""
        return self._sidecar.guest

    @property
    def closed(self) -> SidecarClosedError | None:
        """Why the session is over. None: it is not."""
        return self._sidecar.closed

    @property
    def pid(self) -> int | None:
        """The process, once it was started."""
        return self._sidecar.pid

    @property
    def binary(self) -> Path | None:
        """The program, once it was found."""
        return self._sidecar.binary

    # What can be done.

    def start(self) -> Self:
        """Starts the process, and returns when it has opened the session. `with` does it."""
        if self._thread is not None:
            raise SidecarError("this SyncSidecar was started before: make a new one")
        self._thread = EventLoopThread()
        finalize(self, self._thread.stop).atexit = False
        try:
            self._run(self._sidecar.start)
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Ends the session and the sidecar. It may be called again, also by several at once."""
        if self._thread is None or self._thread.is_elsewhere:
            return
        self._refuse_own_thread(self._thread)
        try:
            result(self._thread.submit(self._sidecar.close))
        except LoopClosedError:
            pass
        else:
            self._thread.stop()
        self._thread.join()

    def call(
        self,
        tool: ToolName,
        args: Mapping[str, Any] | str | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        max_bytes: int | None = None,
    ) -> CallOutcome:
        """Runs a tool: see SidecarClient.call. What ``on_progress`` raises ends the call."""
        check_callback("on_progress", on_progress)
        sidecar = self._sidecar
        if on_progress is None:
            return self._run(lambda: sidecar.call(tool, args, timeout=timeout, max_bytes=max_bytes))
        # None is the end.
        told: SimpleQueue[ProgressValue | None] = SimpleQueue()
        future = self._submit(
            lambda: sidecar.call(tool, args, timeout=timeout, max_bytes=max_bytes, on_progress=told.put)
        )
        future.add_done_callback(lambda _: told.put(None))
        try:
            while True:
                try:
                    value = told.get(timeout=HEARING_SECONDS)
                except Empty:
                    continue
                if value is None:
                    break
                on_progress(value)
        except BaseException:
            future.cancel()
            raise
        return self._result(future)

    def search(self, query: str, *, limit: int | None = None) -> list[SearchHit]:
        """Finds tools by words, best first."""
        return self._run(lambda: self._sidecar.search(query, limit=limit))

    def reload(self, mode: ReloadMode | None = None) -> Snapshot:
        """Reads all configuration again, and connects all servers anew ("full") or those that "changed"."""
        return self._run(lambda: self._sidecar.reload(mode))

    def configure(
        self, settings: Settings | None = None, *, workspace_folders: Sequence[Folder] | None = None
    ) -> Snapshot:
        """Replaces each member given in settings whole, and leaves the others."""
        return self._run(lambda: self._sidecar.configure(settings, workspace_folders=workspace_folders))

    def connect(self, server: str, *, restart: bool | None = None) -> Server:
        """Connects one server now, and returns when it has settled."""
        return self._run(lambda: self._sidecar.connect(server, restart=restart))

    def disconnect(self, server: str) -> Server:
        """Stops one server, and takes its tools out. It stays listed, in phase "stopped"."""
        return self._run(lambda: self._sidecar.disconnect(server))

    def wait(self, servers: Sequence[str] | None = None, *, timeout: float | None = None) -> WaitResult:
        """Waits until none of the servers (default: all) is on its way, or for ``timeout`` seconds (30)."""
        return self._run(lambda: self._sidecar.wait(servers, timeout=timeout))

    def logs(self, server: str, *, lines: int | None = None, after: int | None = None) -> LogsResult:
        """Gives the last lines of one server, or those ``after`` a seq that was seen already."""
        return self._run(lambda: self._sidecar.logs(server, lines=lines, after=after))

    def doctor(self, server: str | None = None) -> DoctorReport:
        """Examines the session as it is (or one server of it), and starts nothing.

        The report has every file and why it counts, every server, and what is wrong, with the likely fix.
        """
        return self._run(lambda: self._sidecar.doctor(server))

    def share(self) -> str:
        """Lets others join the session, and gives its endpoint, a secret, which is the same each time."""
        return self._run(self._sidecar.share)

    def events(self) -> SyncEventStream:
        """Subscribes to what happens from now on, which may be before the start."""
        stream = SyncEventStream(self)

        async def subscribe() -> None:
            self._sidecar.subscribe(stream)

        if self._thread is None:
            self._sidecar.subscribe(stream)
        else:
            self._refuse_own_thread(self._thread)
            try:
                result(self._thread.submit(subscribe))
            except LoopClosedError:
                self._sidecar.subscribe(stream)
        return stream

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def request_any(self, method: str, params: Mapping[str, Any]) -> Any:
        """Asks something that the protocol of this package does not know, or has no types for."""
        return self._run(lambda: self._sidecar.request_any(method, params))

    def _run(self, begin: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        return self._result(self._submit(begin))

    def _result(self, future: Future[_T]) -> _T:
        try:
            return result(future)
        except LoopClosedError:
            raise self._closed_error() from None

    def _closed_error(self) -> SidecarClosedError:
        return copy.copy(self.closed or SidecarClosedError("this sidecar is closed"))

    def _submit(self, begin: Callable[[], Coroutine[Any, Any, _T]]) -> Future[_T]:
        if self._thread is None:
            raise SidecarError("this SyncSidecar was not started: use it in `with`, or call start()")
        self._refuse_own_thread(self._thread)
        try:
            return self._thread.submit(begin)
        except LoopClosedError:
            raise self._closed_error() from None

    def _refuse_own_thread(self, thread: EventLoopThread) -> None:
        if thread.is_current:
            raise SidecarError("a callback in the sidecar's own thread cannot wait for the sidecar")
        if thread.is_elsewhere:
            raise SidecarError(
                "this SyncSidecar was started before this process was forked, and belongs to the other one: "
                "start a new one here"
            )


def _blocking(handlers: Handlers) -> Handlers:
    """Has every handler called in a thread of its own."""
    handlers = checked(handlers)
    return Handlers(**{field.name: _threaded(getattr(handlers, field.name)) for field in fields(handlers)})


def _threaded(handler: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    if handler is None:
        return None

    async def ask(question: Any) -> Any:
        answer = await in_thread(lambda: handler(question))
        return await answer if inspect.isawaitable(answer) else answer

    return ask
