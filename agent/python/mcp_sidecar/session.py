"""Session is what a client learns from its connection, and what it tells of it.

Whatever the sidecar says takes effect here when it is read, in the order of the wire.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final, Literal, Protocol
from weakref import WeakSet

from . import handlers as handling
from . import toolset
from .connection import Connection, Question, Settle
from .errors import ProtocolVersionError
from .events import (
    Closed,
    DiagnosticsChanged,
    ElicitationComplete,
    Event,
    Log,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    StatusChanged,
)
from .handlers import Handlers
from .protocol_gen import (
    CODE_CANCELLED,
    METHOD_CONFIGURE,
    METHOD_DIAGNOSTICS,
    METHOD_ELICIT_COMPLETE,
    METHOD_INITIALIZE,
    METHOD_LOG,
    METHOD_PROGRESS,
    METHOD_PROMPTS_CHANGED,
    METHOD_RELOAD,
    METHOD_RESOURCE_UPDATED,
    METHOD_RESOURCES_CHANGED,
    METHOD_SNAPSHOT,
    METHOD_STATUS,
    METHOD_TOOLS_CHANGED,
    PROTOCOL_VERSION,
    ChangeReason,
    InitializeResult,
    ProgressValue,
    SidecarInfo,
    Snapshot,
)
from .tool_source import OnProgress
from .toolset import Step, ToolSet
from .transport import Transport

_log: Final = logging.getLogger("mcp_sidecar")


class EventReader(Protocol):
    """One who is told events."""

    def put(self, event: Event, /) -> None:
        """Takes an event. Closed is the last."""


class Session:
    """The state of one session. It owns its connection, and is the connection's Peer."""

    connection: Connection
    known: ToolSet
    info: SidecarInfo | None
    methods: tuple[str, ...]
    # Whether runtime/initialize was accepted, as far as that was told: there is something to shut down.
    opened: bool

    # An initialize is awaited: what it brings is the first set, whatever is told before.
    _opening: bool
    # Closed was told, last.
    _told_closed: bool
    # A tools/snapshot is on its way: what is pushed before its answer is covered by it.
    _asking: bool
    # Those who are told events. Whoever forgets his stream is forgotten here.
    _readers: WeakSet[EventReader]
    # The callbacks of calls in flight, by their progress token.
    _callbacks: dict[int, OnProgress]
    _last_token: int

    def __init__(self, transport: Transport, handlers: Handlers) -> None:
        self.known = ToolSet()
        self.info = None
        self.methods = ()
        self.opened = False
        self._opening = False
        self._told_closed = False
        self._asking = False
        self._readers = WeakSet()
        self._callbacks = {}
        self._last_token = 0
        self._handlers: Final = handlers
        self._transport: Final = transport
        self.connection = Connection(transport, self)

    async def request(self, method: str, params: str) -> Any:
        """Makes a request. `params` is a JSON text."""
        if method != METHOD_INITIALIZE:
            return await self.connection.request(method, params, self._settle(method))
        self._opening = not self.opened
        try:
            return await self.connection.request(method, params, self._open, self._initialize_refused)
        finally:
            # Refused or abandoned: in the latter case the first set may come as a push, which is told.
            self._opening = False

    def subscribe(self, reader: EventReader) -> None:
        """Tells a reader what happens from now on."""
        reason = self.connection.reason
        if self._told_closed and reason is not None:
            reader.put(Closed(reason))
        else:
            self._readers.add(reader)

    def tell_closed(self) -> None:
        """Tells Closed, once: when the connection has ended, and the other side is gone."""
        reason = self.connection.reason
        if reason is not None and not self._told_closed:
            self._told_closed = True
            self._tell(Closed(reason))

    def await_progress(self, callback: OnProgress) -> int:
        """Gives a progress token, with which the callback is called until `forget_progress`."""
        self._last_token += 1
        self._callbacks[self._last_token] = callback
        return self._last_token

    def forget_progress(self, token: int) -> None:
        """Ends what `await_progress` began."""
        self._callbacks.pop(token, None)

    # What the connection asks and tells: Peer.

    def notified(self, method: str, params: Any) -> None:
        """Takes a notification. What is not known is nothing."""
        # A program that has closed the sidecar hears no more of its tools, but what the end has to say.
        if self.connection.reason is not None and (method != METHOD_LOG or self._told_closed):
            return
        if method == METHOD_TOOLS_CHANGED:
            self._take(toolset.push(self.known, params))
        elif method == METHOD_STATUS:
            self.known = toolset.status(self.known, params)
            self._tell(StatusChanged(params))
        elif method == METHOD_DIAGNOSTICS:
            self.known = toolset.diagnostics(self.known, params["errors"])
            self._tell(DiagnosticsChanged(self.known.errors))
        elif method == METHOD_PROGRESS:
            # Without a token it is nobody's, as with that of a call that has ended.
            if isinstance(params, dict) and "token" in params:
                self._progressed(params["token"], params["value"])
        elif method == METHOD_LOG:
            self._tell(Log(params["level"], params["message"], params.get("server")))
        elif method == METHOD_RESOURCES_CHANGED:
            self._tell(ResourcesChanged(params["server"]))
        elif method == METHOD_RESOURCE_UPDATED:
            self._tell(ResourceUpdated(params["server"], params["uri"]))
        elif method == METHOD_PROMPTS_CHANGED:
            self._tell(PromptsChanged(params["server"]))
        elif method == METHOD_ELICIT_COMPLETE:
            self._tell(ElicitationComplete(params["server"], params["elicitationId"]))

    def asked(self, method: str, params: Any) -> Question | None:
        """Takes a request."""
        if method == METHOD_INITIALIZE:
            # This one's own request, back again.
            self.connection.fail("is not mcp-sidecar: it sends back what it is sent")
            return None
        return handling.question(self._handlers, method, params)

    def missed(self, method: str) -> None:
        """Takes a notification that is nested too deeply for Python."""
        _log.warning("%s of the sidecar was left out: it is nested too deeply", method)
        # What such a one has told is in the next snapshot, too.
        if method in (METHOD_TOOLS_CHANGED, METHOD_STATUS, METHOD_DIAGNOSTICS):
            self._ask_snapshot()

    def ended(self) -> None:
        """Takes the end."""
        self.tell_closed()

    # What answers do when they are read, whoever asked.

    def _settle(self, method: str) -> Settle | None:
        if method == METHOD_CONFIGURE:
            return lambda result: self._learn(result["snapshot"], "configure")
        if method == METHOD_RELOAD:
            return lambda result: self._learn(result["snapshot"], "reload")
        if method == METHOD_SNAPSHOT:
            return lambda result: None if result.get("unchanged") else self._learn(result, "snapshot")
        return None

    def _open(self, result: InitializeResult) -> None:
        if result["protocolVersion"] != PROTOCOL_VERSION:
            raise ProtocolVersionError([result["protocolVersion"]], self._transport.peer)
        self.info = result["sidecar"]
        self.methods = tuple(result["methods"])
        self.opened = True
        self._opening = False  # now, and not when its caller hears of it: a push may be next
        self._learn(result["snapshot"], "snapshot")

    def _initialize_refused(self, code: int) -> None:
        # One that was cancelled is open all the same: only the wait for its answer has ended.
        self.opened = self.opened or code == CODE_CANCELLED
        self._opening = False

    def _learn(self, snapshot: Snapshot, reason: ChangeReason | Literal["snapshot"]) -> None:
        self._take(toolset.snapshot(self.known, snapshot, reason))

    def _take(self, step: Step) -> None:
        self.known = step.now
        if step.change is not None and not self._opening:
            self._tell(step.change)
        if step.gap:
            self._ask_snapshot()

    def _ask_snapshot(self) -> None:
        # One question is enough: its answer covers every push that comes before it. So does initialize's.
        if self._asking or self._opening or self.connection.reason is not None:
            return

        def settle(result: Snapshot) -> None:
            self._asking = False
            self._learn(result, "snapshot")

        def refused(code: int) -> None:
            # Whatever the code, the next push asks again.
            self._asking = False

        self._asking = True
        _, answer = self.connection.ask(METHOD_SNAPSHOT, "{}", settle, refused)
        # The error is nobody's, who would be told that it was not looked at.
        answer.add_done_callback(lambda done: done.exception())

    def _progressed(self, token: Any, value: ProgressValue) -> None:
        callback = self._callbacks.get(token) if isinstance(token, int) else None
        if callback is None:
            return
        try:
            callback(value)
        except Exception as error:  # noqa: BLE001  (it is the callback's, and the next message must be read)
            asyncio.get_running_loop().call_exception_handler(
                {"message": "mcp-sidecar: the on_progress of a call raised", "exception": error}
            )

    def _tell(self, event: Event) -> None:
        for reader in list(self._readers):
            try:
                reader.put(event)
            except Exception as error:  # noqa: BLE001, PERF203  (the next reader must be told)
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "mcp-sidecar: a reader of events raised", "exception": error}
                )
