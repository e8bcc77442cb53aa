"""One connection of a dialogue: the client under test, and the sidecar that the test is.

Also what must hold between the two after every step.
"""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from mcp_sidecar.client import SidecarClient
from mcp_sidecar.errors import ProtocolVersionError, ResponseError, SidecarClosedError
from mcp_sidecar.events import Closed, DiagnosticsChanged, Event, Log, StatusChanged
from mcp_sidecar.protocol_gen import Capabilities, ClientInfo
from mcp_sidecar.transport import Transport

from .deed import Done, perform
from .desk import Desk
from .mirror import Mirror, Told
from .pipe import Pipe
from .raw_json import Json, dump, object_text, read_json

# Stands between the client and the test, to show that the player sees what goes wrong.
Through = Callable[[Transport], Transport]

# A client that needs more turns of the event loop than this for something waits for something else.
_PATIENCE = 100


class Open:
    """A request of the client's that the sidecar has not answered."""

    def __init__(self, method: str, done: Done) -> None:
        self.method = method
        self.done = done
        # How it ends for whoever asked. The session owns it, and the sidecar's end ends it.
        self.task = asyncio.get_running_loop().create_task(self._run(done.outcome))
        # The id that the client used, as JSON text, and the length of its message, once it was seen.
        self.id = ""
        self.size = 0
        # Nobody waits for it any more.
        self.abandoned = False

    async def _run(self, outcome: Awaitable[Any]) -> Any:
        return await outcome

    def error(self) -> BaseException | None:
        return self.task.exception() if not self.task.cancelled() else asyncio.CancelledError()


class Session:
    """One connection."""

    def __init__(self, named: ClientInfo, declared: Mapping[str, Any], through: Through) -> None:
        self.mirror = Mirror()
        self.pipe = Pipe()
        self.desk = Desk(declared)
        self.open: set[Open] = set()
        # The others are said by their handlers.
        refined = {name: it for name, it in declared.items() if name not in ("approve", "input", "openUrl")}
        self._client = SidecarClient(
            through(self.pipe),
            client=named,
            handlers=self.desk.handlers,
            capabilities=cast("Capabilities", refined) if refined else None,
        )
        # What the client must have told its program, and what it has.
        self._expected: list[Told] = []
        self._heard: list[Told] = []
        self._closings: list[SidecarClosedError] = []
        self._closing: asyncio.Task[None] | None = None
        # The tools as they were seen last, and a copy: what a program holds must not change under it.
        self._seen: tuple[Any, Any] = ((), ())
        # Subscribed before anything can happen. Ends with the events, which end with the sidecar.
        self._events = self._client.events()
        self._listening = asyncio.get_running_loop().create_task(self._listen())

    async def _listen(self) -> None:
        async for event in self._events:
            if isinstance(event, Closed):
                self._closings.append(event.reason)
            else:
                self._heard.append(_told(event))

    @property
    def is_closing(self) -> bool:
        return self._closing is not None

    def ask(self, method: str, params: Json | None) -> Open:
        """Makes the client ask."""

        def on_progress(value: Any) -> None:
            self._heard.append(("progress", value))

        opened = self.mirror.info is not None
        request = Open(method, perform(self._client, method, params, on_progress, opened=opened))
        self.open.add(request)
        return request

    async def abandon(self, request: Open) -> None:
        """Makes the client abandon a request."""
        request.task.cancel()
        request.abandoned = True
        await self.until(request.task.done, f"{request.method} was abandoned and still waits")
        expect(request.task.cancelled(), f"an abandoned {request.method} ended with {request.error()!r}")

    async def close(self) -> None:
        """Makes the client shut the sidecar down. Whoever waits for an answer must be told at once."""
        self._closing = asyncio.get_running_loop().create_task(self._client.close())
        await self.until(lambda: self._client.closed is not None, "a client that is closed does not say so")
        await self._closed_all()

    async def next(self) -> Json:
        """The oldest message that the client has sent and no line has named."""
        await self.until(lambda: bool(self.pipe.sent), "the client has sent nothing")
        message = read_json(self.pipe.sent.popleft())
        if self.is_closing and self.desk.left_open(message):
            return await self.next()
        version = message.members.get("jsonrpc")
        expect(version is not None and version.text == '"2.0"', f"not JSON-RPC 2.0: {message.text}")
        return message

    def nothing_unnamed(self) -> None:
        """Fails if the client has sent what no line names."""
        expect(not self.pipe.sent, f"the client has sent what no line names: {list(self.pipe.sent)}")

    async def notify(self, method: str, params: str) -> None:
        """Sends a notification of the sidecar's, which the client must tell as the mirror says."""
        told = self.mirror.notified(method, json.loads(params))
        await self.deliver({"method": dump(method), "params": params}, told)

    async def progress(self, token: str, value: str, call: Open) -> None:
        """Sends the progress of a call that the client gave a token for. One that has ended hears none."""
        told: list[Told] = [] if call.task.done() else [("progress", json.loads(value))]
        params = object_text([("token", token), ("value", value)])
        await self.deliver({"method": '"$/progress"', "params": params}, told)

    async def request(self, request_id: str, method: str, params: str) -> None:
        """Sends a request of the sidecar's."""
        self.desk.asked(request_id, method, json.loads(params))
        await self.deliver({"id": request_id, "method": dump(method), "params": params}, [])
        await self.until(lambda: self.desk.heard(request_id), f"the handler of {method} was not asked")
        self.desk.check(request_id)

    async def withdrawn(self, request_id: str) -> None:
        """Looks whether the handler of a request that was withdrawn learns it."""
        complaint = f"the handler of request {request_id} does not learn that it is withdrawn"
        await self.until(lambda: self.desk.withdrawn(request_id), complaint)

    async def answer(self, request: Open, member: str, text: str) -> None:
        """Answers a request of the client's."""
        value = json.loads(text)
        told = self.mirror.answered(request.method, value) if member == "result" else []
        self.open.discard(request)
        await self.deliver({"id": request.id, member: text}, told)
        # Of an abandoned request, what its answer says of the tools counts, and nobody hears of the rest.
        if request.abandoned:
            return
        await self.until(request.task.done, f"{request.method} was answered and still waits")
        if member == "error":
            _refused(request, value)
            return
        expect(request.error() is None, f"{request.method} was answered, and fails: {request.error()!r}")
        part = value if request.done.part is None else value[request.done.part]
        same(request.task.result(), part, f"the result of {request.method}")

    async def answer_nobody(self, text: str) -> Open | None:
        """Answers with an error that has no id, because the request was too large to be read.

        It is the largest that is open. Gives that request.
        """
        largest = max(self.open, key=lambda request: request.size, default=None)
        await self.deliver({"id": "null", "error": text}, [])
        if largest is None:
            return None
        self.open.discard(largest)
        if not largest.abandoned:
            await self.until(largest.task.done, f"{largest.method} was too large and still waits")
            _refused(largest, json.loads(text))
        return largest

    async def answer_own(self, request_id: str, method: str, member: str, text: str) -> None:
        """Answers what the client asked of its own accord."""
        told = self.mirror.answered(method, json.loads(text)) if member == "result" else []
        self.mirror.gap = False
        await self.deliver({"id": request_id, member: text}, told)

    async def deliver(self, members: Mapping[str, str], told: Sequence[Told]) -> None:
        """Sends any message. What must hold at once is looked at before the event loop turns."""
        self._expected += told
        self.pipe.deliver(object_text([("jsonrpc", '"2.0"'), *members.items()]))
        self._compare_set()
        await self.until(lambda: len(self._heard) >= len(self._expected), "an event was not told")

    async def check(self) -> None:
        """Looks at everything that a client shows."""
        await turn()
        await turn()
        self._compare_set()
        same(self._heard, self._expected, "the events")
        self.desk.nothing_unasked()
        self._heard.clear()
        self._expected.clear()
        same(*self._seen, "tools that were given out before")
        self._seen = (self._client.tools, copy.deepcopy(self._client.tools))
        if self._closing is not None:
            return
        same(self._client.closed, None, "closed")
        same(self._closings, [], "Closed events while the sidecar runs")
        for request in self.open:
            if not request.abandoned:
                expect(not request.task.done(), f"{request.method} ended before it was answered")

    def _compare_set(self) -> None:
        client, mirror = self._client, self.mirror
        same(client.tools, tuple(mirror.tools), "tools")
        same(client.servers, tuple(mirror.servers), "servers")
        same(client.errors, tuple(mirror.errors), "errors")
        same(client.exa_api_keys, tuple(mirror.exa_api_keys), "exa_api_keys")
        same(client.revision, mirror.revision, "revision")
        same(client.hash, mirror.hash, "hash")
        same(client.info, mirror.info, "info")
        same(client.methods, tuple(mirror.methods), "methods")

    async def exit(self, code: int) -> None:
        """Ends the sidecar with an exit code."""
        expect(not self.pipe.forced, "the client ended the sidecar by force")
        self.pipe.end(code)
        await self._closed_all()
        await self.until(lambda: bool(self._closings), "Closed was not told")
        if self._closing is not None:
            await self.until(self._closing.done, "close() does not return")
            await self._closing
        await turn()
        reason = self._client.closed
        if reason is None:
            raise AssertionError("a client whose sidecar is gone does not say so in `closed`")
        same([_reason(told) for told in self._closings], [_reason(reason)], "Closed events")
        await self.until(self._listening.done, "the events do not end after Closed")
        if self._closing is None:
            same(reason.exit_code, code, "exit_code")
        await self.until(self.desk.over, "a handler does not learn that the sidecar is gone")
        later = Open("mcp/servers", perform(self._client, "mcp/servers", None, id, opened=True))
        await self.until(later.task.done, "a call after the end waits")
        same(_reason(later.error()), _reason(reason), "a call after the end")
        await self._client.close()
        await turn()
        same(len(self._closings), 1, "Closed events after a close() after the end")
        self.nothing_unnamed()

    async def _closed_all(self) -> None:
        """Every call that waits fails, all with the one reason."""
        for request in self.open:
            if request.abandoned:
                continue
            request.abandoned = True  # an answer that comes all the same is for nobody
            await self.until(request.task.done, f"{request.method} still waits for a sidecar that is gone")
            same(_reason(request.error()), _reason(self._client.closed), f"the end of {request.method}")
        self.open.clear()

    async def until(self, condition: Callable[[], bool], complaint: str) -> None:
        """Lets the client work until the condition holds. Nothing here waits for anything outside."""
        for _ in range(_PATIENCE):
            if condition():
                return
            await turn()
        raise AssertionError(complaint)


def _told(event: Event) -> Told:
    """An event, as the mirror tells it."""
    name = type(event).__name__
    if isinstance(event, StatusChanged):
        return name, event.server
    if isinstance(event, DiagnosticsChanged):
        return name, list(event.errors)
    members = {field.name: getattr(event, field.name) for field in dataclasses.fields(event)}
    if isinstance(event, Log):
        expect(event.dropped == 0, "a log says that others were dropped")
        del members["dropped"]
    names = {"elicitation_id": "elicitationId"}
    return name, {
        names.get(member, member): list(value) if isinstance(value, tuple) else value
        for member, value in members.items()
        if value is not None
    }


def _refused(request: Open, error: Mapping[str, Any]) -> None:
    got = request.error()
    supported = (error.get("data") or {}).get("supported")
    if request.done.typed and request.method == "runtime/initialize" and isinstance(supported, list):
        expect(isinstance(got, ProtocolVersionError), f"want a ProtocolVersionError, got {got!r}")
        same(cast("ProtocolVersionError", got).supported, tuple(supported), "supported")
        return
    if not isinstance(got, ResponseError):
        raise AssertionError(f"want a ResponseError, got {got!r}")
    want = (error["code"], error.get("data"), request.method)
    same((got.code, got.data, got.method), want, "the error")
    expect(error["message"] in str(got), f'the error says "{got}", and not what the sidecar said')


def _reason(error: BaseException | None) -> tuple[Any, ...]:
    """What two errors that tell of one end have in common."""
    if not isinstance(error, SidecarClosedError):
        return (error,)
    return SidecarClosedError, str(error), error.exit_code, error.signal


def expect(held: bool, complaint: str) -> None:
    """Fails unless it held."""
    if not held:
        raise AssertionError(complaint)


def same(got: Any, want: Any, what: str) -> None:
    """Fails unless both are equal."""
    if got != want:
        raise AssertionError(f"{what}:\n   got {got!r}\n  want {want!r}")


async def turn() -> None:
    """Waits one turn of the event loop: everything that was ready has run."""
    await asyncio.sleep(0)
