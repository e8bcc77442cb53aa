"""Connection is one side of JSON-RPC 2.0 over a Transport: requests and answers find each other here.

It knows no method of the protocol but `$/cancelRequest`. Everything happens in the order of the wire, in the
event loop, and at once when a message is read: in particular the `settle` of a request is called before the
next message is looked at, whereas the coroutine that awaits the request goes on later.

Every request ends: by its answer, by its caller's cancelling, or by the one reason for which the connection
closes. A message that makes no sense is such a reason: what it was to say is not known, so that nothing that
is known can be relied on.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Protocol

from . import wire_json
from .errors import ResponseError, SidecarClosedError, SidecarError
from .protocol_gen import CODE_CANCELLED, CODE_INTERNAL_ERROR, CODE_METHOD_NOT_FOUND, METHOD_CANCEL_REQUEST
from .transport import Transport

_SHOWN_CHARACTERS: Final = 200
"""How much of a message that makes no sense is in the reason for the end."""

Settle = Callable[[Any], object]
"""Takes the result of a request when its answer is read. What it raises, the request fails with."""

Refused = Callable[[int], object]
"""Takes the code of the error that a request was refused with, when that is read."""

Question = Callable[[], Coroutine[Any, Any, Any]]
"""Finds the answer to a request of the other side: an object for the wire, or a Refusal that it raises."""


class Refusal(Exception):
    """An error as the other side gets it."""

    code: int

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Peer(Protocol):
    """The one whose connection it is."""

    def notified(self, method: str, params: Any, /) -> None:
        """Takes a notification, also after the end. It raises if that makes no sense."""

    def missed(self, method: str, /) -> None:
        """A notification came that makes sense, but not to Python, which cannot read it."""

    def asked(self, method: str, params: Any, /) -> Question | None:
        """Takes a request, and gives what answers it: None, if the method is not known. Does not raise."""

    def ended(self) -> None:
        """The other side is gone, or makes no sense. It does not come for an end that was made by `end`."""


@dataclass
class _Pending:
    """A request whose answer has not come."""

    method: str
    # Done before the answer came: the caller has gone. The settle is called all the same.
    future: asyncio.Future[Any]
    settle: Settle | None
    refused: Refused | None
    # How long its message is.
    size: int


class Connection:
    """One side of a connection. It is the listener of its transport."""

    # The reason for the end, once there is one. From then on no request is made.
    reason: SidecarClosedError | None
    # Set when the transport has closed.
    gone: asyncio.Event

    # By id. All of them are awaited still, or are abandoned: kept for their settle until their answer comes.
    _pending: dict[int, _Pending]
    # The other side's requests that are being answered, by their id. Each task ends by itself, by the other
    # side's $/cancelRequest, or by the end of the connection.
    _answering: dict[str | int, asyncio.Task[Any]]
    _last_id: int
    # Closes the transport of a side that makes no sense. It ends by the transport's own bounds.
    _failing: asyncio.Task[None] | None
    # The loop of the first request: answers come in no other.
    _loop: asyncio.AbstractEventLoop | None

    def __init__(self, transport: Transport, peer: Peer) -> None:
        self.reason = None
        self.gone = asyncio.Event()
        self._transport = transport
        self._peer = peer
        self._pending = {}
        self._answering = {}
        self._last_id = 0
        self._failing = None
        self._loop = None
        transport.listen(self)

    async def request(
        self, method: str, params: str, settle: Settle | None = None, refused: Refused | None = None
    ) -> Any:
        """Asks, and awaits the answer. `params` is a JSON text. Cancelling withdraws the request."""
        request_id, future = self.ask(method, params, settle, refused)
        try:
            return await future
        except asyncio.CancelledError:
            if request_id in self._pending:
                self.notify(METHOD_CANCEL_REQUEST, wire_json.write({"id": request_id}))
            raise

    def ask(
        self, method: str, params: str, settle: Settle | None = None, refused: Refused | None = None
    ) -> tuple[int, asyncio.Future[Any]]:
        """Asks, and gives the id of the request and the future of its result."""
        if self.reason is not None:
            # A copy, since an error that is raised collects what it passes through.
            raise copy.copy(self.reason)
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
        elif self._loop is not loop:
            raise SidecarError(
                "this sidecar belongs to another event loop: start one in each loop that needs one "
                "(a program without a loop of its own uses SyncSidecar)"
            )
        self._last_id += 1
        future: asyncio.Future[Any] = loop.create_future()
        name = wire_json.write(method)
        text = f'{{"jsonrpc":"2.0","id":{self._last_id},"method":{name},"params":{params}}}'
        self._pending[self._last_id] = _Pending(method, future, settle, refused, len(text))
        self._transport.send(text)
        return self._last_id, future

    def notify(self, method: str, params: str = "{}") -> None:
        """Tells. `params` is a JSON text."""
        self._transport.send(f'{{"jsonrpc":"2.0","method":{wire_json.write(method)},"params":{params}}}')

    def end(self, reason: SidecarClosedError, *, but: int | None = None) -> None:
        """Closes this side: every request fails with the reason, `but` the last one, which the end waits for.

        The transport is left as it is.
        """
        if self.reason is not None:
            return
        self.reason = reason
        last = self._pending.pop(but, None) if but is not None else None
        self._fail_all(reason)
        if but is not None and last is not None:
            self._pending[but] = last
        for task in self._answering.values():
            task.cancel()

    def fail(self, what: str) -> None:
        """Ends the session with one who does what he must not."""
        if self.reason is not None:
            return
        self.end(SidecarClosedError(f"{self._transport.peer or 'the sidecar'} {what}"))
        self._failing = asyncio.get_running_loop().create_task(self._transport.close())
        self._peer.ended()

    def _fail_all(self, reason: SidecarClosedError) -> None:
        pending, self._pending = self._pending, {}
        for request in pending.values():
            if not request.future.done():
                request.future.set_exception(copy.copy(reason))

    # What a transport tells.

    def closed(self, reason: SidecarClosedError) -> None:
        """Takes the end of the transport."""
        is_news = self.reason is None
        self.end(reason)
        self._fail_all(self.reason or reason)
        self.gone.set()
        if is_news:
            self._peer.ended()

    def message(self, text: str) -> None:
        """Takes one message. It does not raise."""
        try:
            self._take(text)
        except Exception as error:  # noqa: BLE001  (whatever is wrong with it, nothing can follow)
            shown = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
            self.fail(f"sent a message that makes no sense ({type(error).__name__}: {error}): {shown}")

    def _take(self, text: str) -> None:
        try:
            message = wire_json.read(text)
        except RecursionError:
            self._too_deep(text)
            return
        if message is None:
            raise TypeError("null is no message")
        if not isinstance(message, dict):
            return
        method, request_id, params = message.get("method"), message.get("id"), message.get("params")
        if not isinstance(method, str):
            self._answered(request_id, message)
        elif "id" not in message:
            self._notified(method, params)
        elif isinstance(request_id, (int, str)) and not isinstance(request_id, bool):
            self._asked(request_id, method, params)

    def _too_deep(self, text: str) -> None:
        """Takes a message that JSON allows, but that is nested too deeply for Python."""
        request_id, method = wire_json.beginning(text)
        if method is not None:
            if request_id is None:
                self._peer.missed(method)
            else:
                self._refuse(request_id, CODE_INTERNAL_ERROR, f"{method}: the params are nested too deeply")
            return
        request = self._pending.pop(request_id, None) if isinstance(request_id, int) else None
        if request is None:
            return
        if request.refused is not None:
            request.refused(CODE_INTERNAL_ERROR)
        if not request.future.done():
            request.future.set_exception(
                SidecarError(f"{request.method}: the answer cannot be read: it is nested too deeply")
            )

    def _answered(self, request_id: Any, message: dict[str, Any]) -> None:
        if request_id is None and isinstance(message.get("error"), dict):
            # The sidecar gives no id to a message that it could not read. All of them are JSON, so it was too
            # large for it; which one it was is a guess, but the one that was meant must not wait for ever.
            request_id = max(self._pending, key=lambda pending: self._pending[pending].size, default=None)
        # True is 1 for Python, and no id for anybody.
        request = self._pending.get(request_id) if type(request_id) is int else None
        if request is None:
            return
        # Still pending in the meantime: when the answer makes no sense, the request fails with the others.
        failure = _failure(request, message)
        self._pending.pop(request_id, None)
        if request.future.done():
            return
        if failure is None:
            request.future.set_result(message["result"])
        else:
            request.future.set_exception(failure)

    def _notified(self, method: str, params: Any) -> None:
        if method == METHOD_CANCEL_REQUEST:
            withdrawn = params.get("id") if isinstance(params, dict) else None
            task = self._answering.get(withdrawn) if isinstance(withdrawn, (int, str)) else None
            if task is not None:
                task.cancel()
            return
        self._peer.notified(method, params)

    def _asked(self, request_id: str | int, method: str, params: Any) -> None:
        if self.reason is not None:
            self._refuse(request_id, CODE_CANCELLED, "this host is ending")
            return
        question = self._peer.asked(method, params)
        if question is None:
            self._refuse(request_id, CODE_METHOD_NOT_FOUND, f"this host does not answer {method}")
            return
        task = asyncio.get_running_loop().create_task(question())
        self._answering[request_id] = task
        task.add_done_callback(lambda done: self._answer(request_id, done))

    def _answer(self, request_id: str | int, task: asyncio.Task[Any]) -> None:
        if self._answering.get(request_id) is task:
            del self._answering[request_id]
        if task.cancelled():
            self._refuse(request_id, CODE_CANCELLED, "cancelled")
            return
        error = task.exception()
        if isinstance(error, Refusal):
            self._refuse(request_id, error.code, str(error))
            return
        if error is None:
            try:
                result = wire_json.write(task.result())
            except (TypeError, ValueError, RecursionError) as unwritable:
                error = unwritable
            else:
                answered = wire_json.write(request_id)
                self._transport.send(f'{{"jsonrpc":"2.0","id":{answered},"result":{result}}}')
                return
        self._refuse(request_id, CODE_INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    def _refuse(self, request_id: str | int, code: int, message: str) -> None:
        error = wire_json.write({"code": code, "message": message})
        self._transport.send(f'{{"jsonrpc":"2.0","id":{wire_json.write(request_id)},"error":{error}}}')


def _failure(request: _Pending, message: dict[str, Any]) -> SidecarError | None:
    """Gives the error that an answer is, once its settle has had it. Raises if it makes no sense."""
    error = message.get("error")
    if isinstance(error, dict):
        told, text = error.get("code"), error.get("message")
        code = told if isinstance(told, int) else CODE_INTERNAL_ERROR
        if request.refused is not None:
            request.refused(code)
        return ResponseError(
            request.method,
            code,
            text if isinstance(text, str) else "the sidecar refused, and does not say why",
            error.get("data"),
        )
    if error is not None or "result" not in message:
        raise TypeError("an answer has neither a result nor an error object")
    if request.settle is not None:
        try:
            request.settle(message["result"])
        except SidecarError as refused:
            return refused
    return None
