"""MemoryTransport is a Transport whose other end is the test."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from mcp_sidecar import SidecarClosedError, TransportListener

from .patience import PATIENCE


class MemoryTransport:
    """What is sent is kept until the test takes it; what the test says is heard at once, in one go."""

    peer: str | None = "the test"

    def __init__(self) -> None:
        self.listener: TransportListener | None = None
        # The texts of all messages, and the messages that were not taken yet.
        self.texts: list[str] = []
        self.closings = 0
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._told = False

    # The client's side.

    def listen(self, listener: TransportListener) -> None:
        assert self.listener is None
        self.listener = listener

    def send(self, text: str) -> None:
        if not self._told:
            self.texts.append(text)
            self._sent.put_nowait(json.loads(text))

    async def close(self) -> None:
        self.closings += 1
        self.end("the transport was closed")

    # The test's side.

    async def sent(self) -> dict[str, Any]:
        """The next message that the client sends."""
        return await asyncio.wait_for(self._sent.get(), PATIENCE)

    def unread(self) -> list[dict[str, Any]]:
        """What was sent and not taken."""
        return [self._sent.get_nowait() for _ in range(self._sent.qsize())]

    def say(self, *messages: dict[str, Any] | str) -> None:
        """Has the client hear messages, all before anything else happens."""
        assert self.listener is not None
        for message in messages:
            text = message if isinstance(message, str) else json.dumps({"jsonrpc": "2.0", **message})
            self.listener.message(text)

    async def answer(self, method: str, result: Any = None, *more: dict[str, Any]) -> dict[str, Any]:
        """Answers the next request, which is for the method, says more in the same go, and gives it."""
        request = await self.sent()
        assert request["method"] == method, request
        self.say({"id": request["id"], "result": {} if result is None else result}, *more)
        return request

    async def refuse(self, method: str, code: int, message: str, data: Any = None) -> None:
        """Refuses the next request, which is for the method."""
        request = await self.sent()
        assert request["method"] == method, request
        error = {"code": code, "message": message, **({} if data is None else {"data": data})}
        self.say({"id": request["id"], "error": error})

    def end(self, why: str = "the test has ended it") -> None:
        """Ends it, as a process that dies does."""
        if not self._told:
            self._told = True
            assert self.listener is not None
            self.listener.closed(SidecarClosedError(why, signal="SIGKILL", stderr=["last words"]))
