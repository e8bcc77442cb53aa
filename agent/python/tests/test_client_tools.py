"""A client's set of tools is true at every moment, and it tells whenever it changes."""

from __future__ import annotations

import asyncio
import unittest

from mcp_sidecar import DiagnosticsChanged, ResponseError, SidecarClosedError, StatusChanged, ToolsChanged
from mcp_sidecar.protocol import CODE_CANCELLED, CODE_OVERLOADED

from .client_case import ClientCase, notification
from .records import diagnostic, opened, push, server, snapshot, tool


class TheFirstSet(ClientCase):
    async def test_there_is_none_before_initialize(self) -> None:
        self.assertEqual((self.client.tools, self.client.servers, self.client.errors), ((), (), ()))
        self.assertEqual((self.client.revision, self.client.hash, self.client.exa_api_keys), (0, "", ()))
        self.assertEqual((self.client.info, self.client.methods, self.client.closed), (None, (), None))

    async def test_comes_with_the_answer_to_initialize(self) -> None:
        events = self.client.events()
        first = snapshot(
            1, tool("b"), tool("a"), servers=(server(),), errors=[diagnostic("x")], exaApiKeys=["k"]
        )
        await self.open(first)
        self.assertEqual([tool["name"] for tool in self.client.tools], ["a", "b"])
        self.assertEqual(self.client.servers, (server(),))
        self.assertEqual((self.client.errors, self.client.exa_api_keys), ((diagnostic("x"),), ("k",)))
        self.assertEqual((self.client.revision, self.client.hash), (1, first["hash"]))
        self.assertEqual(self.client.info, {"name": "mcp-sidecar", "version": "9.9"})
        self.assertEqual(self.client.methods, ("runtime/initialize", "runtime/configure", "tools/call"))
        self.assertEqual(await self.told(events), [])

    async def test_is_there_before_a_push_that_comes_in_the_same_chunk(self) -> None:
        events = self.client.events()
        change = notification("tools/changed", push(1, 2, added=(tool("b"),)))
        await self.open(snapshot(1, tool("a")), change)
        self.assertEqual([tool["name"] for tool in self.client.tools], ["a", "b"])
        self.assertEqual(self.transport.unread(), [])
        [event] = await self.told(events)
        assert isinstance(event, ToolsChanged)
        self.assertEqual((event.added, event.tools), ((tool("b"),), (tool("a"), tool("b"))))

    async def test_comes_as_a_push_after_a_cancelled_initialize(self) -> None:
        events = self.client.events()
        opening = asyncio.create_task(self.client.initialize(cwd="/project"))
        request = await self.transport.sent()
        opening.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await opening
        self.assertEqual((await self.transport.sent())["params"], {"id": request["id"]})
        self.transport.say({"id": request["id"], "error": {"code": CODE_CANCELLED, "message": "cancelled"}})
        self.transport.say(notification("tools/changed", push(0, 1, added=(tool("a"),))))
        self.assertEqual(self.client.tools, (tool("a"),))
        self.assertEqual([type(event) for event in await self.told(events)], [ToolsChanged])


class InWords(ClientCase):
    async def test_a_client_says_how_it_is(self) -> None:
        self.assertEqual(repr(self.client), "<SidecarClient not open>")
        await self.open(snapshot(1, tool("a"), tool("b"), servers=(server(),)))
        self.assertEqual(repr(self.client), "<SidecarClient 2 tools of 1 servers>")
        self.transport.end("killed")
        self.assertEqual(repr(self.client), "<SidecarClient closed: killed>")


class Pushes(ClientCase):
    async def test_before_the_session_is_open_tell_nothing(self) -> None:
        self.client_with()
        events = self.client.events()
        opening = asyncio.create_task(self.client.initialize(cwd="/project"))
        request = await self.transport.sent()
        self.transport.say(
            notification("tools/changed", push(0, 1, added=(tool("x"),))),
            {"id": request["id"], "result": opened(snapshot(1, tool("x")))},
            notification("tools/changed", push(1, 2, added=(tool("y"),))),
        )
        await opening
        self.assertEqual(self.client.tools, (tool("x"), tool("y")))
        [event] = await self.told(events)
        assert isinstance(event, ToolsChanged)
        self.assertEqual(event.added, (tool("y"),))

    async def test_a_gap_before_the_session_is_open_asks_nothing(self) -> None:
        self.client_with()
        opening = asyncio.create_task(self.client.initialize(cwd="/project"))
        request = await self.transport.sent()
        self.transport.say(notification("tools/changed", push(8, 9, added=(tool("x"),))))
        self.assertEqual(self.transport.unread(), [])
        self.transport.say({"id": request["id"], "result": opened(snapshot(9, tool("x")))})
        await opening
        self.assertEqual((self.client.revision, len(self.client.tools)), (9, 1))

    async def test_a_snapshot_that_cannot_be_read_is_asked_for_again(self) -> None:
        await self.open(snapshot(1))
        for answer in ('"result":' + "[" * 100_000 + "]" * 100_000, '"error":{"code":-1}'):
            self.transport.say(notification("tools/changed", push(8, 9, added=(tool("x"),))))
            request = await self.transport.sent()
            self.assertEqual(request["method"], "tools/snapshot")
            self.transport.say(f'{{"jsonrpc":"2.0","id":{request["id"]},{answer}}}')
        self.assertIsNone(self.client.closed)
        self.transport.say(notification("tools/changed", push(8, 9, added=(tool("x"),))))
        await self.transport.answer("tools/snapshot", snapshot(9, tool("x")))
        self.assertEqual(self.client.revision, 9)

    async def asyncSetUp(self) -> None:
        await self.open(snapshot(1, tool("a")))
        self.events = self.client.events()

    def push(self, previous: int, revision: int, name: str) -> None:
        self.transport.say(notification("tools/changed", push(previous, revision, added=(tool(name),))))

    def names(self) -> str:
        return "".join(tool["name"] for tool in self.client.tools)

    async def test_that_follow_are_applied(self) -> None:
        before = self.client.tools
        self.push(1, 2, "b")
        self.push(2, 3, "c")
        self.assertEqual((self.names(), self.client.revision), ("abc", 3))
        self.assertEqual(before, (tool("a"),))

    async def test_that_are_not_newer_are_ignored(self) -> None:
        self.push(0, 1, "b")
        self.assertEqual(self.names(), "a")
        self.assertEqual(await self.told(self.events), [])

    async def test_after_a_gap_one_snapshot_is_asked_for(self) -> None:
        self.push(2, 3, "c")
        self.push(3, 4, "d")
        self.assertEqual(self.names(), "a")
        request = await self.transport.answer("tools/snapshot", snapshot(4, *map(tool, "abcd")))
        self.assertEqual(request["params"], {})
        self.assertEqual((self.names(), self.client.revision), ("abcd", 4))
        self.assertEqual(self.transport.unread(), [])
        [event] = await self.told(self.events)
        assert isinstance(event, ToolsChanged)
        self.assertEqual((event.reason, event.added), ("snapshot", (tool("b"), tool("c"), tool("d"))))

    async def test_that_come_with_the_snapshot_after_a_gap_are_applied_to_it(self) -> None:
        self.push(2, 3, "c")
        follows = notification("tools/changed", push(3, 4, added=(tool("d"),)))
        gap = notification("tools/changed", push(7, 8, added=(tool("h"),)))
        await self.transport.answer("tools/snapshot", snapshot(3, *map(tool, "abc")), follows, gap)
        self.assertEqual((self.names(), self.client.revision), ("abcd", 4))
        # The next gap asks anew, also when it comes in the same go.
        await self.transport.answer("tools/snapshot", snapshot(8, *map(tool, "abcdefgh")))
        self.assertEqual(self.names(), "abcdefgh")

    async def test_after_a_refused_snapshot_the_next_gap_asks_again(self) -> None:
        self.push(2, 3, "c")
        request = await self.transport.sent()
        again = notification("tools/changed", push(3, 4, added=(tool("d"),)))
        self.transport.say({"id": request["id"], "error": {"code": CODE_OVERLOADED, "message": "x"}}, again)
        await self.transport.answer("tools/snapshot", snapshot(4, *map(tool, "abcd")))
        self.assertEqual(self.names(), "abcd")

    async def test_a_snapshot_that_is_overtaken_is_not_taken(self) -> None:
        self.push(2, 3, "c")
        request = await self.transport.sent()
        self.push(1, 5, "e")
        self.transport.say({"id": request["id"], "result": snapshot(3, *map(tool, "abc"))})
        self.assertEqual((self.names(), self.client.revision), ("ae", 5))

    async def test_that_are_not_as_the_protocol_says_end_the_session(self) -> None:
        for params in ({"revision": "two"}, None, {**push(1, 2), "added": [{}]}):
            with self.subTest(params=params):
                self.client_with()
                await self.open(snapshot(1, tool("a")))
                self.transport.say(notification("tools/changed", params))
                self.push(1, 2, "b")
                self.assertEqual(self.names(), "a")
                self.assertIn("the test sent a message that makes no sense", str(self.client.closed))

    async def test_that_are_nested_too_deeply_for_python_are_learnt_by_a_snapshot(self) -> None:
        deep = "[" * 100_000 + "]" * 100_000
        text = f'{{"jsonrpc":"2.0","method":"tools/changed","params":{{"added":{deep}}}}}'
        with self.assertLogs("mcp_sidecar", "WARNING") as logs:
            self.transport.say(text)
        self.assertIn("tools/changed of the sidecar was left out", logs.output[0])
        await self.transport.answer("tools/snapshot", snapshot(2, tool("a"), tool("b")))
        self.assertEqual(self.names(), "ab")


class AnswersWithASet(ClientCase):
    async def asyncSetUp(self) -> None:
        await self.open(snapshot(1, tool("a")))
        self.events = self.client.events()
        self.follows = notification("tools/changed", push(2, 3, added=(tool("c"),)))

    async def check(self, reason: str) -> None:
        self.assertEqual(self.client.tools, (tool("a"), tool("b"), tool("c")))
        [event] = await self.told(self.events)
        assert isinstance(event, ToolsChanged)
        self.assertEqual(event.added, (tool("b"), tool("c")))

    async def test_reload(self) -> None:
        reloading = asyncio.create_task(self.client.reload("changed"))
        new = snapshot(2, tool("a"), tool("b"))
        request = await self.transport.answer("mcp/reload", {"snapshot": new}, self.follows)
        self.assertEqual(request["params"], {"mode": "changed"})
        self.assertEqual(await reloading, new)
        await self.check("reload")

    async def test_configure(self) -> None:
        configuring = asyncio.create_task(
            self.client.configure(
                {"disabled": ["s/x"]}, workspace_folders=["/one", {"uri": "file:///two", "name": "2"}]
            )
        )
        new = snapshot(2, tool("a"), tool("b"))
        request = await self.transport.answer("runtime/configure", {"snapshot": new}, self.follows)
        self.assertEqual(
            request["params"],
            {
                "settings": {"disabled": ["s/x"]},
                "workspaceFolders": [
                    {"uri": "file:///one", "name": "one"},
                    {"uri": "file:///two", "name": "2"},
                ],
            },
        )
        self.assertEqual(await configuring, new)
        await self.check("configure")

    async def test_request_by_whatever_method(self) -> None:
        for method, result in (
            ("mcp/reload", {"snapshot": snapshot(2, tool("a"), tool("b"))}),
            ("tools/snapshot", snapshot(3, tool("a"), tool("b"), tool("c"))),
            ("tools/snapshot", {"revision": 3, "unchanged": True}),
        ):
            asking = asyncio.create_task(self.client.request_any(method, {}))
            await self.transport.answer(method, result)
            await asking
        await self.check("snapshot")

    async def test_one_that_was_on_its_way_when_its_request_was_cancelled(self) -> None:
        # The sidecar holds it for told: without it the next push would be a gap.
        reloading = asyncio.create_task(self.client.reload())
        request = await self.transport.sent()
        reloading.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await reloading
        self.transport.say(
            {"id": request["id"], "result": {"snapshot": snapshot(2, tool("a"), tool("b"))}}, self.follows
        )
        self.assertEqual([message["method"] for message in self.transport.unread()], ["$/cancelRequest"])
        await self.check("reload")

    async def test_one_that_is_not_as_the_protocol_says_ends_the_session(self) -> None:
        reloading = asyncio.create_task(self.client.reload())
        await self.transport.answer("mcp/reload", {"snapshot": {"revision": 2}})
        with self.assertRaisesRegex(
            SidecarClosedError, "^the test sent a message that makes no sense .KeyError: 'hash'.: {"
        ) as raised:
            await reloading
        self.assertEqual(str(raised.exception), str(self.client.closed))
        self.assertEqual(self.client.tools, (tool("a"),))

    async def test_a_refusal_changes_nothing(self) -> None:
        reloading = asyncio.create_task(self.client.reload())
        await self.transport.refuse("mcp/reload", CODE_OVERLOADED, "too many requests")
        with self.assertRaises(ResponseError):
            await reloading
        self.assertEqual(self.client.tools, (tool("a"),))


class ServersAndErrors(ClientCase):
    async def test_statuses_and_diagnostics_take_effect_and_are_told(self) -> None:
        await self.open(snapshot(1, tool("a", state="deferred"), servers=(server("s", "starting", "cache"),)))
        events = self.client.events()
        self.transport.say(
            notification("mcp/status", server("s", "ready", "live")),
            notification("config/diagnostics", {"errors": [diagnostic("x")]}),
            notification("mcp/status", server("t", "removed", "none")),
        )
        self.assertEqual(self.client.tools, (tool("a"),))
        self.assertEqual(self.client.servers, (server(),))
        self.assertEqual(self.client.errors, (diagnostic("x"),))
        self.assertEqual(
            await self.told(events),
            [
                StatusChanged(server("s", "ready", "live")),
                DiagnosticsChanged((diagnostic("x"),)),
                StatusChanged(server("t", "removed", "none")),
            ],
        )

    async def test_statuses_come_before_initialize_is_answered(self) -> None:
        events = self.client.events()
        self.transport.say(notification("mcp/status", server("s", "starting", "none")))
        self.assertEqual(self.client.servers, (server("s", "starting", "none"),))
        await self.open(snapshot(1))
        self.assertEqual(self.client.servers, ())
        self.assertEqual(len(await self.told(events)), 1)


if __name__ == "__main__":
    unittest.main()
