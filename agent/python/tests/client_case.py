"""ClientCase is a test of a SidecarClient whose sidecar is the test."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from mcp_sidecar import Closed, Event, EventStream, Handlers, SidecarClient
from mcp_sidecar.protocol import Snapshot

from .memory_transport import MemoryTransport
from .quiet import QuietCase
from .records import opened, snapshot


class ClientCase(QuietCase, unittest.IsolatedAsyncioTestCase):
    """A client, its transport, and what both do again and again."""

    def setUp(self) -> None:
        super().setUp()
        self.transport = MemoryTransport()
        self.client = SidecarClient(self.transport)

    def client_with(self, handlers: Handlers | None = None, **options: Any) -> SidecarClient:
        """Puts another client in the place of the first."""
        self.transport = MemoryTransport()
        self.client = SidecarClient(self.transport, handlers=handlers, **options)
        return self.client

    async def open(self, told: Snapshot | None = None, *more: dict[str, Any]) -> dict[str, Any]:
        """Opens the session, and gives the params of runtime/initialize. More is said with its answer."""
        opening = asyncio.create_task(self.client.initialize(cwd="/project"))
        request = await self.transport.answer("runtime/initialize", opened(told or snapshot(1)), *more)
        await opening
        params: dict[str, Any] = request["params"]
        return params

    async def told(self, stream: EventStream) -> list[Event]:
        """Ends the session, and gives all that the stream has, without Closed."""
        self.transport.end()
        *events, last = [event async for event in stream]
        self.assertEqual(last, Closed(self.client.closed))  # type: ignore[arg-type]
        return events


def notification(method: str, params: Any) -> dict[str, Any]:
    """A notification of the sidecar."""
    return {"method": method, "params": params}
