"""The player itself: what it must see. A suite that passes whatever happens would pass these, too."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Callable
from dataclasses import dataclass

from mcp_sidecar.errors import SidecarClosedError
from mcp_sidecar.transport import Transport, TransportListener

from .folder import dialogues_in, expand
from .player import Failure, play
from .session import Through
from .transcript import TranscriptError, read_transcript

# Changes a message on its way, or loses it.
_Change = Callable[[str], str | None]


def _same(message: str) -> str | None:
    return message


def _losing(words: str) -> _Change:
    return lambda message: None if words in message else message


def _changing(words: str, others: str) -> _Change:
    return lambda message: message.replace(words, others, 1)


@dataclass
class _Faulty:
    """Stands between client and test."""

    transport: Transport
    to_client: _Change = _same
    to_test: _Change = _same
    # It does not tell the end.
    deaf: bool = False
    # It says more than it is told to.
    further: str | None = None

    @property
    def peer(self) -> str | None:
        return self.transport.peer

    def listen(self, listener: TransportListener, /) -> None:
        self.listener = listener
        self.transport.listen(self)

    def message(self, text: str, /) -> None:
        got = self.to_client(text)
        if got is not None:
            self.listener.message(got)

    def closed(self, reason: SidecarClosedError, /) -> None:
        if not self.deaf:
            self.listener.closed(reason)

    def send(self, text: str, /) -> None:
        sent = self.to_test(text)
        if sent is not None:
            self.transport.send(sent)
        if self.further is not None and "runtime/initialize" in text:
            self.transport.send(self.further or text)

    async def close(self) -> None:
        await self.transport.close()


def _to_client(change: _Change) -> Through:
    return lambda transport: _Faulty(transport, to_client=change)


def _to_test(change: _Change) -> Through:
    return lambda transport: _Faulty(transport, to_test=change)


# What goes wrong, the dialogue in which it shows, how, and what is said of it.
_FAULTS: list[tuple[str, str, Through, str]] = [
    ("a status that is lost", "states", _to_client(_losing("mcp/status")), "tools:"),
    ("a push that is lost", "changes", _to_client(_losing("tools/changed")), "tools:"),
    (
        "a push that is taken for a new one",
        "stale",
        _to_client(_changing('"revision":4,', '"revision":6,')),
        "no line names: .*tools/snapshot",
    ),
    (
        "a snapshot that is taken for a new one",
        "stale",
        _to_client(_changing('"revision":4,"hash":"4"', '"revision":6,"hash":"4"')),
        "tools:",
    ),
    ("diagnostics that are lost", "changes", _to_client(_losing("config/diagnostics")), "errors:"),
    ("a log that is lost", "notices", _to_client(_losing("runtime/log")), "an event was not told"),
    ("a log that comes changed", "notices", _to_client(_changing('"one"', '"two"')), "the events:"),
    ("progress that is lost", "abandoned", _to_client(_losing("$/progress")), "an event was not told"),
    ("an answer that is lost", "gap", _to_client(_losing('"id":1,')), "tools:"),
    (
        "a result that comes changed",
        "states",
        _to_client(_changing('"id":3,"result":{"name":"a"', '"id":3,"result":{"name":"b"')),
        "the result of mcp/connect",
    ),
    ("a question that is lost", "questions", _to_client(_losing("trust/approve")), "was not asked"),
    ("a question that stays", "withdrawn", _to_client(_losing("$/cancelRequest")), "does not learn"),
    ("a request that is lost", "states", _to_test(_losing("mcp/connect")), "has sent nothing"),
    (
        "a request that is changed",
        "abandoned",
        _to_test(_changing('"timeoutMs":50', '"timeoutMs":51')),
        "timeoutMs: want 50",
    ),
    ("no JSON-RPC 2.0", "gap", _to_test(_changing('"jsonrpc":"2.0",', "")), "not JSON-RPC 2.0"),
    ("a request without an id", "gap", _to_test(_changing('"id":1,', "")), "no usable id"),
    ("an id in flight", "ended", _to_test(_changing('"id":2,', '"id":1,')), "is in flight"),
    ("a gap that is not asked about", "gap", _to_test(_losing("tools/snapshot")), "has sent nothing"),
    (
        "a cancellation that is not said",
        "abandoned",
        _to_test(_losing("$/cancelRequest")),
        "has sent nothing",
    ),
    (
        "a token that was not asked for",
        "ended",
        _to_test(_changing('"servers":["fs"]', '"servers":["fs"],"progressToken":1')),
        "a token for progress",
    ),
    ("a shutdown that is not said", "gap", _to_test(_losing("runtime/shutdown")), "has sent nothing"),
    ("an exit that is not said", "gap", _to_test(_losing("runtime/exit")), "has sent nothing"),
    ("an answer that the sidecar lacks", "no-handlers", _to_test(_losing("-32601")), "has sent nothing"),
    ("an end that nobody hears of", "ended", lambda transport: _Faulty(transport, deaf=True), "still waits"),
    (
        "a message too many",
        "states",
        lambda transport: _Faulty(transport, further='{"jsonrpc":"2.0","method":"no/such"}'),
        "what no line names",
    ),
    (
        "the same message twice",
        "states",
        lambda transport: _Faulty(transport, further=""),
        "what no line names",
    ),
]


def _failure_of(
    text: str, through: Through = lambda transport: transport
) -> Failure | TranscriptError | None:
    async def run() -> None:
        # What a client in trouble leaves behind is not what is looked at here.
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        await play(read_transcript(text, expand), through)

    try:
        asyncio.run(run())
    except (Failure, TranscriptError) as failure:
        return failure
    return None


class Mutated(unittest.TestCase):
    """Plays what must fail."""

    def test_each_broken_dialogue_fails_at_the_line_that_is_marked_in_it(self) -> None:
        broken = dialogues_in("conformance/clients/broken")
        self.assertGreaterEqual(len(broken), 25)
        for file in broken:
            with self.subTest(file.name):
                lines = [line.strip() for line in file.text.split("\n")]
                marked = lines.index("# must fail here") + 2
                failure = _failure_of(file.text)
                if failure is None:
                    self.fail("it passes")
                self.assertEqual(failure.line, marked, f"{failure}")

    def test_the_player_sees_what_goes_wrong_between_it_and_the_client(self) -> None:
        dialogues = {file.name: file.text for file in dialogues_in("conformance/clients")}
        for what, dialogue, through, complaint in _FAULTS:
            with self.subTest(what):
                failure = _failure_of(dialogues[dialogue], through)
                if failure is None:
                    self.fail(f"{dialogue} passes")
                self.assertRegex(str(failure), complaint)
