"""Plays the sidecar's side of a dialogue to a client.

conformance/README.md ("Playing the sidecar's side") says what each step means here.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from mcp_sidecar.protocol_gen import ClientInfo
from mcp_sidecar.transport import Transport

from .completion import complete_params, complete_result
from .folder import CLIENT
from .pattern import Saved, example, mismatch, pattern_of
from .raw_json import Json, object_text, read_json
from .session import Open, Session, Through, expect, same
from .transcript import Step, Transcript

# Steps about what only a real sidecar has.
_NOTHING = frozenset(
    {"eof", "signal", "stderr", "put", "remove", "mode", "<!"}
    | {"await", "count", "release", "kill", "gone", "launch"}
)


class Failure(AssertionError):
    """A line of a dialogue that the client does not follow."""

    def __init__(self, line: int, cause: Exception) -> None:
        super().__init__(f"{type(cause).__name__}: {cause}")
        self.line = line


def _straight(transport: Transport) -> Transport:
    return transport


async def play(transcript: Transcript, through: Through = _straight) -> None:
    """Plays the whole dialogue. What it raises is a Failure."""
    player = _Player(transcript.steps, through)
    for step in transcript.steps:
        await player.take(step)
    if player.session is not None:
        line = transcript.steps[-1].line if transcript.steps else 0
        raise Failure(line, AssertionError("the dialogue ends while the sidecar runs"))


@contextlib.contextmanager
def _at(line: int) -> Iterator[None]:
    try:
        yield
    except Failure:
        raise
    except Exception as error:
        raise Failure(line, error) from error


class _Player:
    def __init__(self, steps: list[Step], through: Through) -> None:
        self.session: Session | None = None
        self._steps = steps
        self._through = through
        self._saved: Saved = {}
        # The client's requests that are open, by the ids of the dialogue.
        self._open: dict[str, Open] = {}
        # Requests that nobody made but the client, by the dialogue's ids: their method and the client's id.
        self._own: dict[str, tuple[str, str]] = {}
        # The client's tokens, and their calls, by the tokens of the dialogue.
        self._tokens: dict[str, tuple[str, Open]] = {}

    async def take(self, step: Step) -> None:
        with _at(step.line):
            await self._take(step)

    async def _take(self, step: Step) -> None:
        if step.verb in _NOTHING:
            return
        if step.verb == "start":
            self._start(step)
            return
        session = self.session
        if session is None:
            raise AssertionError("no sidecar runs")
        message = pattern_of(step.args[0]) if step.verb == ">" else None
        if message is None or not self._says_itself(session, message):
            session.nothing_unnamed()
        if message is not None:
            await self._say(session, message)
        elif step.verb == "<":
            await self._send_line(session, step)
        elif step.verb == "<{":
            await self._send_all(session, step.group)
        else:
            await self._end(session, step)
        if self.session is session:
            await session.check()

    def _start(self, step: Step) -> None:
        if self.session is not None:
            raise AssertionError("the last one still runs")
        self._open.clear()
        self._own.clear()
        self._tokens.clear()
        self.session = Session(cast("ClientInfo", CLIENT), self._declared(step), self._through)

    def _declared(self, start: Step) -> dict[str, Any]:
        """What the client can be asked: the runtime/initialize of this session says it."""
        for step in self._steps[self._steps.index(start) + 1 :]:
            if step.verb == "start":
                break
            message = pattern_of(step.args[0]) if step.verb == ">" else None
            if message is None or _string_at(message, "method") != "runtime/initialize":
                continue
            params = message.members.get("params")
            pattern = params.members.get("capabilities") if params else None
            if pattern is not None:
                return cast("dict[str, Any]", read_json(example(pattern, {}) or "{}").value())
        return {}

    def _says_itself(self, session: Session, message: Json) -> bool:
        """Whether a client says this of its own accord, so that it may have said it already."""
        method = _string_at(message, "method")
        return method is None or method == "runtime/exit" or self._asks_itself(session, method)

    def _asks_itself(self, session: Session, method: str) -> bool:
        return method == "tools/snapshot" and session.mirror.gap and not self._own

    async def _say(self, session: Session, pattern: Json) -> None:
        method = _string_at(pattern, "method")
        request_id = _text_at(pattern, "id")
        # A pattern after ">" stands for its example.
        message = read_json(_made(pattern, dict(self._saved)))
        if method is None:
            if request_id is None:
                raise AssertionError("neither a method nor an id")
            session.desk.answer(request_id, message.value())
            self._fits(pattern, await session.next())
        elif request_id is not None:
            await self._ask(session, request_id, method, pattern, message.members.get("params"))
        elif method == "$/cancelRequest":
            await self._cancel(session, pattern)
        elif method == "runtime/exit" and session.is_closing:
            self._fits(pattern, await session.next())
        # Whatever else has no id, a client does not say.

    async def _ask(
        self, session: Session, request_id: str, method: str, pattern: Json, params: Json | None
    ) -> None:
        if request_id in self._open or request_id in self._own:
            raise AssertionError(f"the id {request_id} is in flight")
        own = self._asks_itself(session, method)
        if method == "runtime/shutdown":
            await session.close()
            own = True
        if own:
            sent = await self._named(session, pattern)
            self._own[request_id] = (method, self._usable(session, sent))
            return
        request = self._open[request_id] = session.ask(method, params)
        sent = await self._named(session, pattern, request)
        request.id = self._usable(session, sent)
        request.size = len(sent.text)

    async def _named(self, session: Session, pattern: Json, call: Open | None = None) -> Json:
        """The client's next message, which must be the request of this line but for ids and tokens."""
        sent = await session.next()
        wanted, token = _without_token(_without(pattern, "id"))
        params = sent.members.get("params")
        used = params.members.get("progressToken") if params else None
        if token is None or call is None:
            expect(used is None, f"a token for progress that nobody asked for: {sent.text}")
        else:
            if used is None or used.kind not in ("string", "number"):
                raise AssertionError(f"no usable progressToken: {sent.text}")
            self._tokens[token.text] = (used.text, call)
        self._fits(wanted, sent)
        return sent

    def _usable(self, session: Session, message: Json) -> str:
        """The id of a request: a string or an integer that is not in flight."""
        used = message.members.get("id")
        if used is None or not (used.kind == "string" or re.fullmatch(r"\d+", used.text)):
            raise AssertionError(f"no usable id: {message.text}")
        taken = {request.id for request in session.open}
        expect(used.text not in taken, f"the id {used.text} is in flight: {message.text}")
        return used.text

    async def _cancel(self, session: Session, pattern: Json) -> None:
        params = pattern.members.get("params")
        request = self._open.get((_text_at(params, "id") if params else None) or "")
        # What has been answered, or never was asked, a client does not cancel.
        if request is None or request.abandoned:
            return
        await session.abandon(request)
        cancelling = f'{{"method":"$/cancelRequest","params":{{"id":{request.id}}}}}'
        self._fits(read_json(cancelling), await session.next())

    def _fits(self, pattern: Json, sent: Json) -> None:
        difference = mismatch(pattern, sent, self._saved)
        if difference is not None:
            raise AssertionError(f"{difference}\nthe client sent: {sent.text}")

    async def _send_line(self, session: Session, step: Step) -> None:
        with _at(step.line):
            await self._send(session, pattern_of(step.args[0]))

    async def _send_all(self, session: Session, group: list[Step]) -> None:
        """Sends the messages in one turn of the event loop, as if they had come in one read.

        Then each is looked at.
        """
        loop = asyncio.get_running_loop()
        sent = [loop.create_task(self._send_line(session, step)) for step in group]
        await asyncio.wait(sent)
        for each in sent:
            await each

    async def _send(self, session: Session, pattern: Json) -> None:
        message = read_json(_made(pattern, self._saved))
        method, message_id = _string_at(message, "method"), _text_at(message, "id")
        params = message.members.get("params", read_json("{}"))
        if method is None:
            await self._answer(session, message_id or "null", message)
        elif message_id is not None:
            await session.request(message_id, method, complete_params(method, params, session.mirror))
        elif method == "$/progress":
            await self._progress(session, params)
        else:
            await session.notify(method, complete_params(method, params, session.mirror))
            if method == "$/cancelRequest":
                await session.withdrawn(_text_at(params, "id") or "")

    async def _progress(self, session: Session, params: Json) -> None:
        token = _text_at(params, "token") or ""
        if token not in self._tokens:
            raise AssertionError(f"no call has the progressToken {token}")
        used, call = self._tokens[token]
        await session.progress(used, _text_at(params, "value") or '{"progress":0}', call)

    async def _answer(self, session: Session, message_id: str, message: Json) -> None:
        member = "error" if "error" in message.members else "result"
        value = message.members.get(member)
        if value is None:
            raise AssertionError(f"neither a method nor a result nor an error: {message.text}")
        if message_id == "null":
            refused = await session.answer_nobody(_complete_error(value))
            self._open = {known: request for known, request in self._open.items() if request is not refused}
            return
        own, request = self._own.pop(message_id, None), self._open.pop(message_id, None)
        if own is not None:
            await session.answer_own(own[1], own[0], member, _completed(own[0], member, value, session))
        elif request is not None:
            await session.answer(request, member, _completed(request.method, member, value, session))
        else:
            raise AssertionError(f"the client has no request {message_id} that is not answered")

    async def _end(self, session: Session, step: Step) -> None:
        if step.verb == "stop":
            await session.close()
            shutdown = await self._named(session, pattern_of('{"method":"runtime/shutdown"}'))
            await session.answer_own(self._usable(session, shutdown), "runtime/shutdown", "result", "{}")
            self._fits(pattern_of('{"method":"runtime/exit"}'), await session.next())
            await session.exit(0)
        else:
            same(step.verb, "exit", "verb")
            await session.exit(int(step.args[0]))
        self.session = None


def _made(pattern: Json, saved: Saved) -> str:
    text = example(pattern, saved)
    if text is None:
        raise AssertionError(f"a message cannot be absent: {pattern.text}")
    return text


def _completed(method: str, member: str, value: Json, session: Session) -> str:
    return _complete_error(value) if member == "error" else complete_result(method, value, session.mirror)


def _complete_error(error: Json) -> str:
    members = {name: member.text for name, member in error.members.items()}
    members.setdefault("message", '""')
    return object_text(members.items())


def _string_at(message: Json, name: str) -> str | None:
    member = message.members.get(name)
    return None if member is None or member.kind != "string" else str(member.value())


def _text_at(message: Json, name: str) -> str | None:
    member = message.members.get(name)
    return None if member is None else member.text


def _without(value: Json, member: str) -> Json:
    return replace(value, members={name: other for name, other in value.members.items() if name != member})


def _without_token(pattern: Json) -> tuple[Json, Json | None]:
    """The pattern of a request without its token, and the token."""
    params = pattern.members.get("params")
    token = params.members.get("progressToken") if params else None
    if params is None or token is None:
        return pattern, None
    return replace(pattern, members={**pattern.members, "params": _without(params, "progressToken")}), token
