"""SidecarClient is the host's side of one session with a sidecar, over any Transport.

It knows no process: `Sidecar` adds that. All of it belongs to one event loop, the one in which it is first
used.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import reprlib
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, cast

from . import handlers as handling
from . import wire_json
from .callbacks import check_callback
from .errors import (
    InvalidArgumentError,
    ProtocolVersionError,
    ResponseError,
    SidecarClosedError,
    SidecarError,
)
from .event_stream import EventStream
from .handlers import Handlers
from .mcp import CallOutcome, Tool
from .protocol_gen import (
    METHOD_CALL,
    METHOD_CONFIGURE,
    METHOD_CONNECT,
    METHOD_DISCONNECT,
    METHOD_DOCTOR,
    METHOD_EXIT,
    METHOD_INITIALIZE,
    METHOD_LOGS,
    METHOD_RELOAD,
    METHOD_SEARCH,
    METHOD_SHARE,
    METHOD_SHUTDOWN,
    METHOD_WAIT,
    PROTOCOL_VERSION,
    Capabilities,
    ClientInfo,
    Diagnostic,
    DoctorReport,
    InitializeResult,
    LogsResult,
    ReloadMode,
    SearchHit,
    Server,
    Settings,
    SidecarInfo,
    Snapshot,
    WaitResult,
    WorkspaceFolder,
)
from .requests_gen import Requests
from .session import EventReader, Session
from .tool_source import OnProgress, ToolName
from .transport import Transport
from .uncopied import Uncopied
from .version import VERSION
from .workspace import Folder, absolute, folders_on_the_wire

if TYPE_CHECKING:
    from typing_extensions import Self

_LONGEST_SECONDS: Final = 2.0**31 / 1000
"""The longest timeout: about 24 days."""
_SHUTDOWN_SECONDS: Final = 2.0
"""How long the sidecar takes at most to stop its servers, if no setting says so."""
_LONGEST_SHUTDOWN_SECONDS: Final = 24 * 3600.0
SLACK_SECONDS: Final = 3.0
"""How much longer it may take to say so, and to end, until it is ended by force."""


class SidecarClient(Requests, Uncopied):
    """One session with a sidecar.

    ``client`` names this program to the sidecar. ``handlers`` answer what the sidecar asks, and declare what
    it may ask; ``capabilities`` refine that.
    """

    # close() is under way, or over. It ends by its own bounds.
    _closing: asyncio.Task[None] | None
    _shutdown_seconds: float

    def __init__(
        self,
        transport: Transport,
        *,
        client: ClientInfo | None = None,
        handlers: Handlers | None = None,
        capabilities: Capabilities | None = None,
    ) -> None:
        handlers = handling.checked(handlers)
        self._client: ClientInfo = client or {"name": "mcp-sidecar-python", "version": VERSION}
        self._capabilities = handling.declared(handlers, capabilities)
        self._closing = None
        self._shutdown_seconds = _SHUTDOWN_SECONDS
        self._transport = transport
        self._session = Session(transport, handlers)

    def __repr__(self) -> str:
        if self.closed is not None:
            state = f"closed: {self.closed}"
        elif not self._session.opened:
            state = "not open"
        else:
            state = f"{len(self.tools)} tools of {len(self.servers)} servers"
        return f"<{type(self).__name__} {state}>"

    # What is known. These are the sidecar's own objects: read them, and do not change them.

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools, sorted by name: a new tuple whenever anything in it changes, ``state`` included."""
        return self._session.known.tools

    @property
    def servers(self) -> tuple[Server, ...]:
        """All servers, sorted by name."""
        return self._session.known.servers

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the configuration or with servers now."""
        return self._session.known.errors

    @property
    def exa_api_keys(self) -> tuple[str, ...]:
        """The keys of Exa servers, which are taken out of the set (setting discovery.filterExa)."""
        return self._session.known.exa_api_keys

    @property
    def revision(self) -> int:
        """Counts the sets of tools. 0: none was told yet."""
        return self._session.known.revision

    @property
    def hash(self) -> str:
        """An equal hash means equal tools, apart from their state."""
        return self._session.known.hash

    @property
    def info(self) -> SidecarInfo | None:
        """The name and version of the sidecar, once it has answered."""
        return self._session.info

    @property
    def methods(self) -> tuple[str, ...]:
        """The requests that this sidecar answers."""
        return self._session.methods

    @property
    def guest(self) -> bool:
        """Whether the session that is open is another program's, so that this one decides nothing in it."""
        return bool(self.methods) and METHOD_CONFIGURE not in self.methods

    @property
    def closed(self) -> SidecarClosedError | None:
        """Why the session is over. None: it is not."""
        return self._session.connection.reason

    # What can be asked.

    async def initialize(
        self,
        *,
        cwd: str | os.PathLike[str],
        workspace_folders: Sequence[Folder] | None = None,
        process_id: int | None = None,
        settings: Settings | None = None,
    ) -> InitializeResult:
        """Opens the session, and learns the first set of tools. It comes before everything else, and once."""
        params = _given(
            protocolVersion=PROTOCOL_VERSION,
            client=self._client,
            cwd=str(absolute(cwd)),
            workspaceFolders=_folders(workspace_folders),
            processId=process_id,
            capabilities=self._capabilities,
            settings=settings,
        )
        try:
            result = await self._send(METHOD_INITIALIZE, params)
        except ResponseError as error:
            supported = error.data.get("supported") if isinstance(error.data, dict) else None
            if not isinstance(supported, list):
                raise
            raise ProtocolVersionError(supported, self._transport.peer) from error
        return cast("InitializeResult", result)

    async def call(
        self,
        tool: ToolName,
        args: Mapping[str, Any] | str | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        max_bytes: int | None = None,
    ) -> CallOutcome:
        """Runs a tool.

        ``args`` is an object, or its JSON text, which reaches the server byte for byte. ``timeout`` is in
        seconds, and bounds the server's silence: progress starts it anew. A tool that fails is a result with
        ``isError``.
        """
        check_callback("on_progress", on_progress)
        if isinstance(tool, str):
            params: dict[str, Any] = {"name": tool}
        else:
            try:
                server, name = tool
            except (TypeError, ValueError):
                raise InvalidArgumentError(
                    f"a tool is a name, such as tool['name'], or (server, tool), not {reprlib.repr(tool)}"
                ) from None
            params = {"server": server, "tool": name}
        params.update(_given(timeoutMs=_milliseconds(timeout), maxBytes=max_bytes))
        if on_progress is None:
            return cast("CallOutcome", await self._send(METHOD_CALL, params, args))
        token = params["progressToken"] = self._session.await_progress(on_progress)
        try:
            return cast("CallOutcome", await self._send(METHOD_CALL, params, args))
        finally:
            self._session.forget_progress(token)

    async def search(self, query: str, *, limit: int | None = None) -> list[SearchHit]:
        """Finds tools by words, best first."""
        result = await self._send(METHOD_SEARCH, _given(query=query, limit=limit))
        return cast("list[SearchHit]", result["tools"])

    async def reload(self, mode: ReloadMode | None = None) -> Snapshot:
        """Reads all configuration again, and connects all servers anew ("full") or those that "changed"."""
        return cast("Snapshot", (await self._send(METHOD_RELOAD, _given(mode=mode)))["snapshot"])

    async def configure(
        self, settings: Settings | None = None, *, workspace_folders: Sequence[Folder] | None = None
    ) -> Snapshot:
        """Replaces each member given in settings whole, and leaves the others. The set is new on return."""
        params = _given(settings=settings, workspaceFolders=_folders(workspace_folders))
        return cast("Snapshot", (await self._send(METHOD_CONFIGURE, params))["snapshot"])

    async def connect(self, server: str, *, restart: bool | None = None) -> Server:
        """Connects one server now, and returns when it has settled."""
        return cast("Server", await self._send(METHOD_CONNECT, _given(server=server, restart=restart)))

    async def disconnect(self, server: str) -> Server:
        """Stops one server, and takes its tools out. It stays listed, in phase "stopped"."""
        return cast("Server", await self._send(METHOD_DISCONNECT, {"server": server}))

    async def wait(
        self,
        servers: Sequence[str] | None = None,
        *,
        timeout: float | None = None,
    ) -> WaitResult:
        """Waits until none of the servers (default: all) is on its way, or for ``timeout`` seconds (30)."""
        if isinstance(servers, str):
            servers = [servers]
        params = _given(
            servers=servers if servers is None else list(servers), timeoutMs=_milliseconds(timeout)
        )
        return cast("WaitResult", await self._send(METHOD_WAIT, params))

    async def logs(self, server: str, *, lines: int | None = None, after: int | None = None) -> LogsResult:
        """Gives the last lines of one server, or those ``after`` a seq that was seen already."""
        return cast(
            "LogsResult", await self._send(METHOD_LOGS, _given(server=server, lines=lines, after=after))
        )

    async def doctor(self, server: str | None = None) -> DoctorReport:
        """Examines the session as it is (or one server of it), and starts nothing.

        The report has every file and why it counts, every server, and what is wrong, with the likely fix.
        """
        return cast("DoctorReport", await self._send(METHOD_DOCTOR, _given(server=server)))

    async def share(self) -> str:
        """Lets others join the session, and gives its endpoint, which is the same each time.

        It is a secret, and belongs in the environment of those it is for, as MCP_SIDECAR_ENDPOINT: there
        Sidecar.join() finds it.
        """
        return cast("str", (await self._send(METHOD_SHARE, {}))["endpoint"])

    def events(self) -> EventStream:
        """Subscribes to what happens from now on, which may be before the session is open."""
        stream = EventStream(self)
        self.subscribe(stream)
        return stream

    def subscribe(self, reader: EventReader) -> None:
        """Tells a reader what happens from now on. One that nobody refers to any more is forgotten."""
        self._session.subscribe(reader)

    async def request_any(self, method: str, params: Mapping[str, Any]) -> Any:
        """Asks something that the protocol of this package does not know, or has no types for."""
        return await self._send(method, params)

    async def close(self) -> None:
        """Ends the session and the sidecar: in good order if that comes to an end, and else by force.

        A guest leaves, and ends nothing else. What is awaited fails at once. It may be called again, also by
        several at once, and raises nothing.
        """
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        await asyncio.shield(self._closing)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _close(self) -> None:
        done = "left the session" if self.guest else "closed the sidecar"
        reason = SidecarClosedError(f"this program has {done}")
        try:
            if self._session.opened and self.closed is None:
                await self._shut_down(reason)
        except SidecarError:
            # In another loop nothing can be asked.
            pass
        finally:
            self._session.connection.end(reason)
            try:
                await self._transport.close()
            finally:
                self._session.tell_closed()

    async def _shut_down(self, reason: SidecarClosedError) -> None:
        connection = self._session.connection
        request_id, answer = connection.ask(METHOD_SHUTDOWN, "{}")
        # Nobody is to be told that the error was not looked at, should this be cancelled.
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        connection.end(reason, but=request_id)
        await asyncio.wait({answer}, timeout=self._shutdown_seconds + SLACK_SECONDS)
        if answer.done() and answer.exception() is None:
            connection.notify(METHOD_EXIT)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(connection.gone.wait(), SLACK_SECONDS)

    async def _send(
        self, method: str, params: Mapping[str, Any], args: Mapping[str, Any] | str | None = None
    ) -> Any:
        """Makes a request. ``args`` are added to its params as the text that they are."""
        try:
            text = wire_json.write(dict(params))
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidArgumentError(f"{method}: the params are not JSON: {error}") from error
        if args is not None:
            text = f'{text[:-1]},"arguments":{wire_json.arguments(args)}}}'
        if method in (METHOD_INITIALIZE, METHOD_CONFIGURE):
            self._note_bounds(params.get("settings"))
        return await self._session.request(method, text)

    def _note_bounds(self, settings: Settings | None) -> None:
        timeouts = settings.get("timeouts") if isinstance(settings, dict) else None
        if not isinstance(timeouts, dict):
            return
        shutdown_ms = timeouts.get("shutdownMs")
        # They replace all timeouts that were given before. What makes no sense is the sidecar's to refuse.
        if type(shutdown_ms) is int and shutdown_ms >= 0:
            self._shutdown_seconds = min(shutdown_ms, _LONGEST_SHUTDOWN_SECONDS * 1000) / 1000
        else:
            self._shutdown_seconds = _SHUTDOWN_SECONDS


def _given(**members: Any) -> dict[str, Any]:
    """Leaves out what is None: on the wire an optional member is left out, never null."""
    return {name: value for name, value in members.items() if value is not None}


def _folders(folders: Sequence[Folder] | None) -> list[WorkspaceFolder] | None:
    return None if folders is None else folders_on_the_wire(folders)


def _milliseconds(seconds: float | None) -> int | None:
    if seconds is None:
        return None
    try:
        if math.isfinite(seconds) and 0 <= seconds <= _LONGEST_SECONDS:
            return math.ceil(seconds * 1000)
    except (TypeError, OverflowError):
        pass
    raise InvalidArgumentError(f"a timeout is a number of seconds, not {seconds!r}")
