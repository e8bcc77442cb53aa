"""However a session ends, everybody hears of it once, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import pickle
import unittest
from unittest import mock

from mcp_sidecar import CallOutcome, Closed, Handlers, Log, SidecarClosedError
from mcp_sidecar.protocol import CODE_CANCELLED, CODE_INTERNAL_ERROR, CODE_INVALID_PARAMS

from .client_case import ClientCase, notification
from .patience import PATIENCE
from .records import opened, push, server, snapshot, tool


class TheTransportEnds(ClientCase):
    async def test_a_thousand_calls_fail_with_one_reason(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = 60
        await self.open()
        events = self.client.events()
        calls = [asyncio.create_task(self.client.call(str(number))) for number in range(1000)]
        for _ in calls:
            await self.transport.sent()
        self.transport.end("killed")
        self.transport.end("killed again")
        for call in calls:
            with self.assertRaises(SidecarClosedError) as raised:
                await call
            error = raised.exception
            self.assertEqual((str(error), error.signal, error.stderr), ("killed", "SIGKILL", ("last words",)))
            # An error that is raised collects what it passes through, so it is nobody else's.
            self.assertIsNot(error, self.client.closed)
        self.assertEqual(str(self.client.closed), "killed")
        self.assertEqual([type(event) for event in [event async for event in events]], [Closed])

    async def test_every_later_request_fails_with_the_same(self) -> None:
        await self.open()
        self.transport.end("killed")
        for _ in range(2):
            with self.assertRaisesRegex(SidecarClosedError, "^killed$") as raised:
                await self.client.call("t")
            self.assertIsNot(raised.exception, self.client.closed)
        self.assertEqual(self.transport.unread(), [])

    async def test_what_is_heard_afterwards_is_nothing(self) -> None:
        await self.open(snapshot(1, tool("a")))
        events = self.client.events()
        self.transport.end()
        self.transport.say(
            notification("tools/changed", push(1, 2, added=(tool("b"),))),
            notification("mcp/status", server()),
        )
        self.assertEqual(self.client.tools, (tool("a"),))
        [event] = [event async for event in events]
        self.assertEqual(event, Closed(self.client.closed))  # type: ignore[arg-type]

    async def test_a_snapshot_that_was_asked_for_after_a_gap_is_nobodys_error(self) -> None:
        problems: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
        await self.open()
        self.transport.say(notification("tools/changed", push(5, 6)))
        self.transport.end()
        await asyncio.sleep(0)
        self.assertEqual(problems, [])

    async def test_initialize_fails_with_the_reason(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/"))
        await self.transport.sent()
        self.transport.end("died at birth")
        with self.assertRaisesRegex(SidecarClosedError, "died at birth"):
            await opening
        await self.client.close()

    async def test_the_reason_can_be_pickled(self) -> None:
        self.transport.end("killed")
        copy = pickle.loads(pickle.dumps(self.client.closed))
        self.assertEqual((str(copy), copy.signal, copy.stderr), ("killed", "SIGKILL", ("last words",)))


class Close(ClientCase):
    async def close_in_order(self) -> None:
        await self.transport.answer("runtime/shutdown")
        exit_ = await self.transport.sent()
        self.assertEqual(exit_, {"jsonrpc": "2.0", "method": "runtime/exit", "params": {}})
        self.transport.end("it ended with exit code 0")

    async def test_shuts_down_then_exits_then_waits_for_the_end(self) -> None:
        await self.open()
        closing = asyncio.create_task(self.client.close())
        await self.close_in_order()
        await closing
        self.assertEqual(str(self.client.closed), "this program has closed the sidecar")
        self.assertEqual(self.transport.unread(), [])

    async def test_fails_what_is_awaited_at_once(self) -> None:
        await self.open()
        events = self.client.events()
        calling = asyncio.create_task(self.client.call("t"))
        await self.transport.sent()
        closing = asyncio.create_task(self.client.close())
        with self.assertRaisesRegex(SidecarClosedError, "this program has closed the sidecar"):
            await calling
        with self.assertRaises(SidecarClosedError):
            await self.client.call("t")
        self.assertFalse(closing.done())
        await self.close_in_order()
        await closing
        self.assertEqual([type(event) for event in [event async for event in events]], [Closed])

    async def test_tells_what_the_end_has_to_say_and_then_that_it_is_over(self) -> None:
        await self.open()
        events = self.client.events()
        closing = asyncio.create_task(self.client.close())
        request = await self.transport.sent()
        late = self.client.events()
        log = {"level": "warning", "message": "a server does not end"}
        self.transport.say(
            notification("tools/changed", push(1, 2, added=(tool("b"),))),
            notification("mcp/status", server()),
            notification("runtime/log", log),
            {"id": request["id"], "result": {}},
        )
        await self.transport.sent()
        self.transport.say(notification("runtime/log", {**log, "message": "now it has"}))
        self.assertIsNotNone(self.client.closed)
        self.transport.end("it ended with exit code 0")
        await closing
        told = [event async for event in events]
        self.assertEqual(
            told,
            [
                Log("warning", "a server does not end", None),
                Log("warning", "now it has", None),
                Closed(self.client.closed),  # type: ignore[arg-type]
            ],
        )
        self.assertEqual([event async for event in late], told)
        self.assertEqual([event async for event in self.client.events()], told[-1:])

    async def test_may_be_called_again_and_by_several(self) -> None:
        await self.open()
        closings = asyncio.gather(self.client.close(), self.client.close())
        await self.close_in_order()
        await closings
        await self.client.close()
        self.assertEqual(self.transport.closings, 1)

    async def test_before_initialize_asks_nothing(self) -> None:
        await self.client.close()
        self.assertEqual((self.transport.unread(), self.transport.closings), ([], 1))

    async def test_while_initialize_waits_asks_nothing(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/"))
        await self.transport.sent()
        await self.client.close()
        self.assertEqual((self.transport.unread(), self.transport.closings), ([], 1))
        with self.assertRaises(SidecarClosedError):
            await opening

    async def test_after_a_cancelled_initialize_shuts_down_what_is_open(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/"))
        request = await self.transport.sent()
        opening.cancel()
        await asyncio.wait([opening])
        await self.transport.sent()
        self.transport.say({"id": request["id"], "error": {"code": CODE_CANCELLED, "message": "cancelled"}})
        closing = asyncio.create_task(self.client.close())
        await self.close_in_order()
        await closing

    async def test_after_a_refused_initialize_asks_nothing(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/"))
        await self.transport.refuse("runtime/initialize", CODE_INVALID_PARAMS, "cwd")
        await asyncio.wait([opening])
        assert opening.exception() is not None
        await self.client.close()
        self.assertEqual((self.transport.unread(), self.transport.closings), ([], 1))

    async def test_after_the_end_asks_nothing(self) -> None:
        await self.open()
        self.transport.end("killed")
        await self.client.close()
        self.assertEqual((self.transport.unread(), self.transport.closings), ([], 1))
        self.assertEqual(str(self.client.closed), "killed")

    async def test_ends_when_the_sidecar_dies_instead_of_shutting_down(self) -> None:
        opening = asyncio.create_task(
            self.client.initialize(cwd="/", settings={"timeouts": {"shutdownMs": 3_600_000}})
        )
        await self.transport.answer("runtime/initialize", opened(snapshot(1)))
        await opening
        closing = asyncio.create_task(self.client.close())
        await self.transport.sent()
        self.transport.end("killed")
        await asyncio.wait_for(closing, PATIENCE)
        self.assertEqual(self.transport.unread(), [])

    async def test_is_bounded_when_nothing_is_answered(self) -> None:
        opening = asyncio.create_task(
            self.client.initialize(cwd="/", settings={"timeouts": {"shutdownMs": 0}})
        )
        await self.transport.answer("runtime/initialize", opened(snapshot(1)))
        await opening
        with mock.patch("mcp_sidecar.client.SLACK_SECONDS", 0.001):
            await self.client.close()
        self.assertEqual([message["method"] for message in self.transport.unread()], ["runtime/shutdown"])
        self.assertEqual(self.transport.closings, 1)

    async def test_is_bounded_by_the_setting_that_was_given_last(self) -> None:
        self.assertEqual(self.client._shutdown_seconds, 2)
        await self.open()
        for told, seconds in (
            ({"timeouts": {"shutdownMs": 500}}, 0.5),
            ({"disabled": []}, 0.5),
            ({}, 0.5),
            ({"timeouts": {}}, 2),
            ({"timeouts": {"shutdownMs": 10**30}}, 24 * 3600),
            ({"timeouts": {"shutdownMs": True}}, 2),
        ):
            configuring = asyncio.create_task(
                self.client.request_any("runtime/configure", {"settings": told})
            )
            await self.transport.answer("runtime/configure", {"snapshot": snapshot(1)})
            await configuring
            self.assertEqual(self.client._shutdown_seconds, seconds)

    async def test_is_bounded_when_it_does_not_end(self) -> None:
        await self.open()
        with mock.patch("mcp_sidecar.client.SLACK_SECONDS", 0.001):
            closing = asyncio.create_task(self.client.close())
            await self.transport.answer("runtime/shutdown")
            await closing
        self.assertEqual(self.transport.closings, 1)

    async def test_a_refused_shutdown_is_followed_by_force(self) -> None:
        await self.open()
        closing = asyncio.create_task(self.client.close())
        await self.transport.refuse("runtime/shutdown", CODE_INTERNAL_ERROR, "no")
        await closing
        self.assertEqual((self.transport.unread(), self.transport.closings), ([], 1))

    async def test_goes_on_when_its_caller_is_cancelled(self) -> None:
        await self.open()
        closing = asyncio.create_task(self.client.close())
        request = await self.transport.sent()
        closing.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await closing
        self.transport.say({"id": request["id"], "result": {}})
        self.assertEqual((await self.transport.sent())["method"], "runtime/exit")
        self.transport.end()
        await self.client.close()

    async def test_async_with_closes(self) -> None:
        async def use() -> CallOutcome:
            async with self.client as client:
                self.assertIs(client, self.client)
                return await client.call("t")

        await self.open()
        using = asyncio.create_task(use())
        await self.transport.answer("tools/call", {"result": {}, "details": {}})
        await self.close_in_order()
        await using


class QuestionsAtTheEnd(ClientCase):
    async def test_are_withdrawn(self) -> None:
        withdrawn = asyncio.Event()

        async def approve(_: object) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                withdrawn.set()

        self.client_with(Handlers(approve=approve))
        await self.open()
        self.transport.say({"id": 1, "method": "trust/approve", "params": {"servers": []}})
        await asyncio.sleep(0)
        self.transport.end()
        await withdrawn.wait()

    async def test_that_come_while_closing_are_refused(self) -> None:
        self.client_with(Handlers(approve=lambda _: {}))
        await self.open()
        closing = asyncio.create_task(self.client.close())
        shutdown = await self.transport.sent()
        self.transport.say({"id": 1, "method": "trust/approve", "params": {"servers": []}})
        refusal = await self.transport.sent()
        self.assertEqual((refusal["id"], refusal["error"]["code"]), (1, -32800))
        self.transport.say({"id": shutdown["id"], "result": {}})
        await self.transport.sent()
        self.transport.end()
        await closing


if __name__ == "__main__":
    unittest.main()
