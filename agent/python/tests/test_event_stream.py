"""Events come to everybody who asked for them, and to nobody else."""

from __future__ import annotations

import asyncio
import gc
import unittest
import weakref

from mcp_sidecar import (
    Closed,
    ElicitationComplete,
    Log,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    SidecarClient,
)

from .client_case import ClientCase, notification
from .memory_transport import MemoryTransport


def log(text: str) -> dict[str, object]:
    return notification("runtime/log", {"level": "info", "message": text})


class Events(ClientCase):
    async def test_of_every_kind_are_told(self) -> None:
        events = self.client.events()
        self.transport.say(
            notification("runtime/log", {"level": "error", "message": "x", "server": "s"}),
            notification("resources/changed", {"server": "s"}),
            notification("resources/updated", {"server": "s", "uri": "u"}),
            notification("prompts/changed", {"server": "s"}),
            notification("elicitation/complete", {"server": "s", "elicitationId": "e"}),
        )
        self.assertEqual(
            await self.told(events),
            [
                Log("error", "x", "s"),
                ResourcesChanged("s"),
                ResourceUpdated("s", "u"),
                PromptsChanged("s"),
                ElicitationComplete("s", "e"),
            ],
        )

    async def test_come_to_each_from_when_it_asked(self) -> None:
        early = self.client.events()
        self.transport.say(log("one"))
        late = self.client.events()
        self.transport.say(log("two"))
        self.transport.end()
        self.assertEqual([type(event) for event in [event async for event in early]], [Log, Log, Closed])
        self.assertEqual([type(event) for event in [event async for event in late]], [Log, Closed])

    async def test_after_the_end_are_the_end(self) -> None:
        self.transport.end()
        self.assertEqual([type(event) for event in [event async for event in self.client.events()]], [Closed])

    async def test_are_waited_for(self) -> None:
        events = self.client.events()
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        self.transport.say(log("one"))
        self.assertEqual(await waiting, Log("info", "one", None))

    async def test_are_not_lost_when_the_waiting_is_cancelled(self) -> None:
        events = self.client.events()
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        self.transport.say(log("one"))
        waiting.cancel()
        await asyncio.wait([waiting])
        self.assertEqual(await anext(events), Log("info", "one", None))

    async def test_end_at_once_when_the_stream_is_closed(self) -> None:
        events = self.client.events()
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        await events.aclose()
        with self.assertRaises(StopAsyncIteration):
            await waiting
        self.transport.say(log("one"))
        self.assertEqual([event async for event in events], [])


class References(unittest.IsolatedAsyncioTestCase):
    async def test_a_stream_keeps_its_client(self) -> None:
        transport = MemoryTransport()
        client = SidecarClient(transport)
        alive = weakref.ref(client)
        events = client.events()
        del client
        gc.collect()
        self.assertIsNotNone(alive())
        del events
        gc.collect()
        self.assertIsNone(alive())

    async def test_a_client_forgets_a_stream_that_nobody_refers_to(self) -> None:
        client = SidecarClient(MemoryTransport())
        forgotten = weakref.ref(client.events())
        self.assertIsNone(forgotten())


if __name__ == "__main__":
    unittest.main()
