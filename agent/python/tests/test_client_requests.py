"""What a client asks is on the wire as the protocol says, and every request ends, answered or not."""

from __future__ import annotations

import asyncio
import math
import unittest
from typing import Any

from mcp_sidecar import (
    Closed,
    Handlers,
    InvalidArgumentError,
    ProtocolVersionError,
    ResponseError,
    SidecarClient,
    SidecarClosedError,
    SidecarError,
    __version__,
)
from mcp_sidecar.protocol import (
    CODE_CANCELLED,
    CODE_INTERNAL_ERROR,
    CODE_INVALID_PARAMS,
    CODE_INVALID_REQUEST,
    CODE_UNKNOWN_TOOL,
    ProgressValue,
)

from .client_case import ClientCase, notification
from .records import opened, snapshot

DETAILS = {"server": "s", "tool": "t", "deferred": False, "waitedMs": 0, "durationMs": 1}
RESULT = {"result": {"content": [{"type": "text", "text": "hello"}]}, "details": DETAILS}


class Initialize(ClientCase):
    async def test_says_who_and_where(self) -> None:
        params = await self.open()
        self.assertEqual(
            params,
            {
                "protocolVersion": 1,
                "client": {"name": "mcp-sidecar-python", "version": __version__},
                "cwd": "/project",
                "capabilities": {},
            },
        )

    async def test_says_all_that_it_is_given(self) -> None:
        self.client_with(Handlers(approve=lambda _: {}), client={"name": "me", "version": "2"})
        opening = asyncio.create_task(
            self.client.initialize(
                cwd="/project/../other",
                workspace_folders=["/a b"],
                process_id=7,
                settings={"toolNames": "mcp__server__tool"},
            )
        )
        request = await self.transport.answer("runtime/initialize", opened(snapshot(1)))
        self.assertEqual((await opening)["sidecar"]["version"], "9.9")
        self.assertEqual(
            request["params"],
            {
                "protocolVersion": 1,
                "client": {"name": "me", "version": "2"},
                "cwd": "/other",
                "workspaceFolders": [{"uri": "file:///a%20b", "name": "a b"}],
                "processId": 7,
                "capabilities": {"approve": True},
                "settings": {"toolNames": "mcp__server__tool"},
            },
        )

    async def test_that_is_refused_may_be_repeated(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/nowhere"))
        await self.transport.refuse("runtime/initialize", CODE_INVALID_PARAMS, "cwd is not a directory")
        with self.assertRaisesRegex(ResponseError, "^runtime/initialize: cwd is not a directory$"):
            await opening
        await self.open()

    async def test_another_version_in_the_answer_is_an_error_that_names_both(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/"))
        await self.transport.answer("runtime/initialize", {**opened(snapshot(1)), "protocolVersion": 2})
        with self.assertRaises(ProtocolVersionError) as raised:
            await opening
        self.assertEqual((raised.exception.version, raised.exception.supported), (1, (2,)))
        self.assertEqual(
            str(raised.exception),
            "this package speaks version 1 of the protocol, but the test speaks 2: "
            'install a newer Python package "mcp-sidecar", or an older mcp-sidecar',
        )
        self.assertEqual(self.client.revision, 0)

    async def test_a_refusal_that_names_versions_is_the_same_error(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/"))
        await self.transport.refuse(
            "runtime/initialize", CODE_INVALID_PARAMS, "version", {"supported": [0, True, "1", None]}
        )
        with self.assertRaises(ProtocolVersionError) as raised:
            await opening
        self.assertEqual(raised.exception.supported, (0,))
        self.assertIn("install a newer mcp-sidecar", str(raised.exception))


class Calls(ClientCase):
    async def asyncSetUp(self) -> None:
        await self.open()

    async def params(self, *args: Any, **options: Any) -> Any:
        calling = asyncio.create_task(self.client.call(*args, **options))
        request = await self.transport.answer("tools/call", RESULT)
        self.assertEqual(await calling, RESULT)
        return request["params"]

    async def test_by_name_or_by_server_and_tool(self) -> None:
        self.assertEqual(await self.params("mcp_s_t"), {"name": "mcp_s_t"})
        self.assertEqual(await self.params(("s", "t"), {}), {"server": "s", "tool": "t", "arguments": {}})
        # A name of two letters is a name.
        self.assertEqual(await self.params("st"), {"name": "st"})

    async def test_arguments_that_are_text_are_sent_byte_for_byte(self) -> None:
        text = '{"z": 1.0,  "a":123456789012345678901234567890,"e":"\\u00e4"}'
        await self.params("t", text)
        self.assertIn(f'"params":{{"name":"t","arguments":{text}}}}}', self.transport.texts[-1])

    async def test_options(self) -> None:
        self.assertEqual(
            await self.params("t", {"a": 1}, timeout=1.5, max_bytes=10),
            {"name": "t", "timeoutMs": 1500, "maxBytes": 10, "arguments": {"a": 1}},
        )

    async def test_a_tool_that_fails_is_a_result(self) -> None:
        calling = asyncio.create_task(self.client.call("t"))
        await self.transport.answer(
            "tools/call", {"result": {"content": [], "isError": True}, "details": DETAILS}
        )
        self.assertTrue((await calling)["result"]["isError"])

    async def test_a_refusal_says_what_it_is_about(self) -> None:
        calling = asyncio.create_task(self.client.call("mcp_s_ehco"))
        data = {"suggestions": ["mcp_s_echo", "mcp_s_eval"]}
        await self.transport.refuse("tools/call", CODE_UNKNOWN_TOOL, 'unknown tool "mcp_s_ehco"', data)
        with self.assertRaises(ResponseError) as raised:
            await calling
        error = raised.exception
        self.assertEqual((error.method, error.code, error.data), ("tools/call", CODE_UNKNOWN_TOOL, data))
        self.assertEqual(
            str(error), 'tools/call: unknown tool "mcp_s_ehco" (did you mean mcp_s_echo, mcp_s_eval?)'
        )

    async def test_what_makes_no_sense_is_refused_before_anything_is_sent(self) -> None:
        for call in (
            lambda: self.client.call("t", "[1]"),
            lambda: self.client.call("t", "{"),
            lambda: self.client.call("t", {"a": math.nan}),
            lambda: self.client.call(("s", "t", "u")),  # type: ignore[arg-type]
            lambda: self.client.call(None),  # type: ignore[arg-type]
            lambda: self.client.call("t", timeout=-1),
            lambda: self.client.call("t", timeout=math.inf),
            lambda: self.client.call("t", "[1]", on_progress=print),
            lambda: self.client.request_any("mcp/logs", {"server": {1}}),
        ):
            with self.subTest(call=call), self.assertRaises(InvalidArgumentError):
                await call()
        self.assertEqual(self.transport.unread(), [])

    async def test_a_coroutine_function_is_no_callback(self) -> None:
        async def told(value: ProgressValue) -> None:
            raise AssertionError(value)

        class Told:
            async def __call__(self, value: ProgressValue) -> None:
                raise AssertionError(value)

        for callback in (told, Told()):
            with self.assertRaisesRegex(InvalidArgumentError, "^on_progress is called and not awaited"):
                await self.client.call("t", on_progress=callback)
        self.assertEqual(self.transport.unread(), [])

    async def test_progress_is_told_until_the_answer(self) -> None:
        told: list[ProgressValue] = []
        calling = asyncio.create_task(self.client.call("t", on_progress=told.append))
        request = await self.transport.sent()
        token = request["params"]["progressToken"]

        def progress(number: int) -> dict[str, Any]:
            return notification("$/progress", {"token": token, "value": {"progress": number}})

        other = notification("$/progress", {"token": token + 1, "value": {"progress": 9}})
        self.transport.say(progress(1), other, progress(2), {"id": request["id"], "result": RESULT})
        await calling
        self.transport.say(progress(3))
        self.assertEqual(told, [{"progress": 1}, {"progress": 2}])

    async def test_progress_that_raises_disturbs_nobody(self) -> None:
        problems: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))

        def raises(value: ProgressValue) -> None:
            raise ZeroDivisionError(value)

        calling = asyncio.create_task(self.client.call("t", on_progress=raises))
        request = await self.transport.sent()
        token = request["params"]["progressToken"]
        self.transport.say(
            notification("$/progress", {"token": token, "value": {"progress": 1}}),
            {"id": request["id"], "result": RESULT},
        )
        self.assertEqual(await calling, RESULT)
        [problem] = problems
        self.assertIsInstance(problem["exception"], ZeroDivisionError)


class TheOtherRequests(ClientCase):
    async def test_are_what_they_are_called(self) -> None:
        await self.open()
        server = {"name": "s"}
        for asking, method, params, result, expected in (
            (self.client.search("x"), "tools/search", {"query": "x"}, {"tools": [1]}, [1]),
            (self.client.search("x", limit=3), "tools/search", {"query": "x", "limit": 3}, {"tools": []}, []),
            (self.client.connect("s"), "mcp/connect", {"server": "s"}, server, server),
            (
                self.client.connect("s", restart=True),
                "mcp/connect",
                {"server": "s", "restart": True},
                server,
                server,
            ),
            (self.client.disconnect("s"), "mcp/disconnect", {"server": "s"}, server, server),
            (self.client.wait(), "mcp/wait", {}, {"pending": []}, {"pending": []}),
            (
                self.client.wait(("a", "b"), timeout=0),
                "mcp/wait",
                {"servers": ["a", "b"], "timeoutMs": 0},
                {},
                {},
            ),
            (self.client.wait("a"), "mcp/wait", {"servers": ["a"]}, {}, {}),
            (self.client.logs("s"), "mcp/logs", {"server": "s"}, {"lines": []}, {"lines": []}),
            (
                self.client.logs("s", lines=1, after=7),
                "mcp/logs",
                {"server": "s", "lines": 1, "after": 7},
                {},
                {},
            ),
            (self.client.doctor(), "mcp/doctor", {}, {"findings": []}, {"findings": []}),
            (self.client.doctor("s"), "mcp/doctor", {"server": "s"}, {}, {}),
            (self.client.request("mcp/servers"), "mcp/servers", {}, {"servers": []}, {"servers": []}),
            (self.client.request("mcp/logs", {"server": "s"}), "mcp/logs", {"server": "s"}, {}, {}),
        ):
            with self.subTest(method=method, params=params):
                task = asyncio.ensure_future(asking)
                request = await self.transport.answer(method, result)
                self.assertEqual(request["params"], params)
                self.assertEqual(await task, expected)


class Cancelling(ClientCase):
    async def asyncSetUp(self) -> None:
        await self.open()

    async def test_withdraws_the_request_and_drops_the_late_answer(self) -> None:
        told: list[ProgressValue] = []
        calling = asyncio.create_task(self.client.call("t", on_progress=told.append))
        request = await self.transport.sent()
        calling.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await calling
        withdrawal = await self.transport.sent()
        self.assertEqual(
            withdrawal, notification("$/cancelRequest", {"id": request["id"]}) | {"jsonrpc": "2.0"}
        )
        self.transport.say(
            notification(
                "$/progress", {"token": request["params"]["progressToken"], "value": {"progress": 1}}
            ),
            {"id": request["id"], "result": RESULT},
        )
        self.assertEqual(told, [])
        other = asyncio.create_task(self.client.call("u"))
        await self.transport.answer("tools/call", RESULT)
        self.assertEqual(await other, RESULT)

    async def test_a_deadline_is_a_cancelling(self) -> None:
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(self.client.call("t"), 0.001)
        self.assertEqual([m["method"] for m in self.transport.unread()], ["tools/call", "$/cancelRequest"])

    async def test_what_is_answered_already_is_not_withdrawn(self) -> None:
        calling = asyncio.create_task(self.client.call("t"))
        await self.transport.answer("tools/call", RESULT)
        calling.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await calling
        self.assertEqual(self.transport.unread(), [])

    async def test_before_it_was_sent_nothing_is_sent(self) -> None:
        calling = asyncio.create_task(self.client.call("t"))
        calling.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await calling
        self.assertEqual(self.transport.unread(), [])

    async def test_the_refusal_of_what_was_cancelled_is_dropped(self) -> None:
        calling = asyncio.create_task(self.client.call("t"))
        request = await self.transport.sent()
        calling.cancel()
        await asyncio.wait([calling])
        self.transport.say({"id": request["id"], "error": {"code": CODE_CANCELLED, "message": "cancelled"}})
        self.assertTrue(calling.cancelled())


class MessagesThatMakeNoSense(ClientCase):
    async def test_a_withdrawal_of_what_is_no_id_disturbs_nobody(self) -> None:
        await self.open()
        bad: Any
        for bad in ([], {}, None, 1.5):
            self.transport.say(notification("$/cancelRequest", {"id": bad}))
        self.transport.say(notification("$/cancelRequest", []))

    async def test_an_answer_with_neither_result_nor_error_ends_the_session(self) -> None:
        answer: dict[str, Any]
        for answer in ({}, {"error": "no"}, {"error": []}, {"error": None}):
            with self.subTest(answer=answer):
                self.client_with()
                await self.open()
                call = asyncio.create_task(self.client.call("t"))
                request = await self.transport.sent()
                self.transport.say({"id": request["id"], **answer})
                with self.assertRaisesRegex(SidecarClosedError, "neither a result nor an error object"):
                    await call

    async def test_true_is_not_the_id_1(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/project"))
        request = await self.transport.sent()
        self.assertEqual(request["id"], 1)
        self.transport.say({"id": True, "result": {}}, {"id": 1, "result": opened(snapshot(1))})
        await opening

    async def test_a_request_that_is_nested_too_deeply_is_refused_and_answers_nothing(self) -> None:
        await self.open()
        call = asyncio.create_task(self.client.call("t"))
        request = await self.transport.sent()
        deep = "[" * 100_000 + "]" * 100_000
        self.transport.say(f'{{"jsonrpc":"2.0","id":{request["id"]},"method":"x","params":{deep}}}')
        refusal = await self.transport.sent()
        self.assertEqual((refusal["id"], refusal["error"]["code"]), (request["id"], CODE_INTERNAL_ERROR))
        self.transport.say({"id": request["id"], "result": {"result": {}, "details": {}}})
        self.assertEqual(await call, {"result": {}, "details": {}})

    async def test_values_of_other_types_are_refused_here_or_by_the_sidecar(self) -> None:
        await self.open()
        timeout: Any
        for timeout in ("5", 10**400, 1e300, [], math.inf, -1):
            with self.subTest(timeout=timeout), self.assertRaises(InvalidArgumentError):
                await self.client.call("t", timeout=timeout)
        for settings in ("x", {"timeouts": 5}, {"timeouts": {"shutdownMs": -9000}}):
            configuring = asyncio.create_task(self.client.configure(settings))  # type: ignore[arg-type]
            await self.transport.refuse("runtime/configure", CODE_INVALID_PARAMS, "no")
            with self.assertRaises(ResponseError):
                await configuring
            self.assertEqual(self.client._shutdown_seconds, 2.0)

    async def test_end_the_session_with_one_reason(self) -> None:
        for text in ("{", "nonsense", "null", '{"jsonrpc":"2.0","method":"mcp/status","params":{}}'):
            with self.subTest(text=text):
                self.client_with()
                await self.open()
                events = self.client.events()
                calls = [asyncio.create_task(self.client.call("t")) for _ in range(2)]
                await asyncio.sleep(0)
                self.transport.say(text, notification("runtime/log", {"level": "info", "message": "late"}))
                for call in calls:
                    with self.assertRaisesRegex(SidecarClosedError, "that makes no sense") as raised:
                        await call
                    self.assertIn(text, str(raised.exception))
                self.assertEqual([type(event) for event in [event async for event in events]], [Closed])
                await asyncio.sleep(0)
                self.assertEqual(self.transport.closings, 1)

    async def test_a_long_one_is_cut_in_the_reason(self) -> None:
        await self.open()
        self.transport.say("x" * 10_000)
        self.assertLess(len(str(self.client.closed)), 400)

    async def test_what_is_not_known_is_left_out(self) -> None:
        await self.open()
        self.transport.say(
            "[]",
            "7",
            '{"id":999,"result":1}',
            '{"id":null,"error":{"code":-32700,"message":"x"}}',
            "{}",
            notification("x/unknown", {}),
            notification("$/cancelRequest", {"id": 1}),
            notification("$/cancelRequest", None),
            notification("$/progress", None),
            notification("$/progress", {}),
            notification("$/progress", {"token": [], "value": 1}),
        )
        calling = asyncio.create_task(self.client.call("t"))
        await self.transport.answer("tools/call", RESULT)
        self.assertEqual(await calling, RESULT)

    async def test_an_answer_that_cannot_be_read_fails_its_request_alone(self) -> None:
        await self.open()
        first, second = (asyncio.create_task(self.client.call(name)) for name in "ab")
        request = await self.transport.sent()
        self.transport.say(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{"[" * 200_000}')
        with self.assertRaisesRegex(SidecarError, "^tools/call: the answer cannot be read: "):
            await first
        await self.transport.answer("tools/call", RESULT)
        self.assertEqual(await second, RESULT)

    async def test_an_error_without_code_or_text_is_an_error_all_the_same(self) -> None:
        await self.open()
        calling = asyncio.create_task(self.client.call("t"))
        request = await self.transport.sent()
        self.transport.say({"id": request["id"], "error": {}})
        with self.assertRaisesRegex(ResponseError, "does not say why"):
            await calling

    async def test_an_error_without_an_id_is_about_the_largest_request(self) -> None:
        await self.open()
        error = {"id": None, "error": {"code": CODE_INVALID_REQUEST, "message": "the message is too large"}}
        self.transport.say(error)
        small, large, later = (asyncio.create_task(self.client.call("t", {"a": "x" * n})) for n in (1, 99, 2))
        await asyncio.sleep(0)
        self.transport.say(error)
        with self.assertRaisesRegex(ResponseError, "tools/call: the message is too large"):
            await large
        for calling in (small, later):
            self.assertFalse(calling.done())
            calling.cancel()

    async def test_ones_own_requests_back_end_it(self) -> None:
        opening = asyncio.create_task(self.client.initialize(cwd="/"))
        self.transport.say({**await self.transport.sent()})
        with self.assertRaisesRegex(
            SidecarClosedError, "the test is not mcp-sidecar: it sends back what it is sent"
        ):
            await opening


class AnotherLoop(unittest.TestCase):
    def test_is_refused_in_words(self) -> None:
        from .memory_transport import MemoryTransport

        transport = MemoryTransport()
        client = SidecarClient(transport)

        async def ask() -> None:
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(client.initialize(cwd="/"), 0.001)

        asyncio.run(ask())
        with self.assertRaisesRegex(SidecarError, "belongs to another event loop"):
            asyncio.run(client.call("t"))


if __name__ == "__main__":
    unittest.main()
