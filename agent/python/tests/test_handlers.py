"""What the sidecar asks is answered: by its handler, or by a refusal."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Callable
from typing import Any, cast

from mcp_sidecar import Handlers, InvalidArgumentError
from mcp_sidecar.handlers import declared
from mcp_sidecar.protocol import (
    CODE_CANCELLED,
    CODE_INTERNAL_ERROR,
    CODE_METHOD_NOT_FOUND,
    Capabilities,
)

from .client_case import ClientCase


def answering(answer: Any) -> Callable[[Any], Any]:
    return lambda _: answer


class Declared(unittest.TestCase):
    ALL = Handlers(*[answering(None)] * 5)

    def test_is_what_there_is_a_handler_for(self) -> None:
        self.assertEqual(declared(Handlers(), None), {})
        self.assertEqual(
            declared(self.ALL, None),
            {"approve": True, "input": True, "elicitation": {"form": True}, "sampling": {}, "openUrl": True},
        )

    def test_can_be_refined(self) -> None:
        refined: Capabilities = {
            "elicitation": {"form": True, "url": True},
            "sampling": {"tools": True},
            "input": False,
        }
        self.assertEqual(
            declared(self.ALL, refined),
            {
                "approve": True,
                "elicitation": {"form": True, "url": True},
                "sampling": {"tools": True},
                "openUrl": True,
            },
        )

    def test_needs_a_handler(self) -> None:
        capabilities: list[tuple[Capabilities, str]] = [
            ({"approve": True}, "approve"),
            ({"input": True}, "input"),
            ({"elicitation": {}}, "elicit"),
            ({"sampling": {}}, "sample"),
            ({"openUrl": True}, "open_url"),
        ]
        for capability, handler in capabilities:
            with self.subTest(handler=handler):
                with self.assertRaisesRegex(InvalidArgumentError, rf"give Handlers\({handler}=\.\.\.\)"):
                    declared(Handlers(), capability)
                declared(Handlers(**{handler: answering(None)}), capability)

    def test_what_is_not_known_is_passed_on(self) -> None:
        self.assertEqual(declared(Handlers(), cast("Capabilities", {"x": {}})), {"x": {}})


class Questions(ClientCase):
    async def ask(self, method: str, params: Any = None, **handlers: Any) -> dict[str, Any]:
        """Asks a new client, and gives its answer."""
        self.client_with(Handlers(**handlers))
        await self.open()
        self.transport.say({"id": "q", "method": method, "params": {} if params is None else params})
        answer = await self.transport.sent()
        self.assertEqual(answer.pop("id"), "q")
        self.assertEqual(answer.pop("jsonrpc"), "2.0")
        return answer

    async def refused(self, method: str, **handlers: Any) -> tuple[int, str]:
        error = (await self.ask(method, **handlers))["error"]
        return error["code"], error["message"]

    async def test_are_answered_in_the_form_of_the_wire(self) -> None:
        accepted = {"action": "accept", "content": {"a": 1}}
        for method, handler, answer, result in (
            (
                "trust/approve",
                "approve",
                {"a": "allow", "b": "later"},
                {"decisions": {"a": "allow", "b": "later"}},
            ),
            ("input/request", "input", "secret", {"value": "secret"}),
            ("input/request", "input", "", {"value": ""}),
            ("input/request", "input", None, {}),
            ("elicitation/create", "elicit", accepted, {"result": accepted}),
            ("sampling/createMessage", "sample", {"role": "assistant"}, {"result": {"role": "assistant"}}),
            ("auth/openUrl", "open_url", True, {"opened": True}),
            ("auth/openUrl", "open_url", False, {"opened": False}),
        ):
            with self.subTest(method=method, answer=answer):
                self.assertEqual(await self.ask(method, **{handler: answering(answer)}), {"result": result})

    async def test_come_with_their_params_to_functions_and_coroutines(self) -> None:
        asked: list[Any] = []

        async def open_url(question: Any) -> bool:
            await asyncio.sleep(0)
            asked.append(question)
            return True

        params = {"server": "s", "url": "https://example.com"}
        self.assertEqual(
            await self.ask("auth/openUrl", params, open_url=open_url), {"result": {"opened": True}}
        )
        self.assertEqual(asked, [params])

    async def test_that_cannot_be_asked_now_are_refused(self) -> None:
        for method, handler in (
            ("trust/approve", "approve"),
            ("elicitation/create", "elicit"),
            ("sampling/createMessage", "sample"),
            ("auth/openUrl", "open_url"),
        ):
            with self.subTest(method=method):
                code, message = await self.refused(method, **{handler: answering(None)})
                self.assertEqual((code, message), (CODE_CANCELLED, "this host cannot ask its user now"))

    async def test_without_a_handler_are_not_known(self) -> None:
        for method in ("trust/approve", "input/request", "x/new"):
            self.assertEqual(
                await self.refused(method), (CODE_METHOD_NOT_FOUND, f"this host does not answer {method}")
            )

    async def test_whose_handler_raises_are_refused_with_its_text(self) -> None:
        def broken(_: object) -> None:
            raise LookupError("no display")

        async def later(_: object) -> None:
            raise LookupError("no display")

        for handler in (broken, later):
            self.assertEqual(
                await self.refused("auth/openUrl", open_url=handler),
                (CODE_INTERNAL_ERROR, "LookupError: no display"),
            )

    async def test_whose_answer_is_no_json_are_refused(self) -> None:
        code, message = await self.refused("elicitation/create", elicit=answering({"action": {1}}))
        self.assertEqual(code, CODE_INTERNAL_ERROR)
        self.assertIn("not JSON serializable", message)

    async def test_whose_answer_is_of_another_type_are_refused_and_name_the_handler(self) -> None:
        for method, handler, answer, got, wanted in (
            ("trust/approve", "approve", 7, "int", "mapping"),
            ("trust/approve", "approve", [("a", "allow")], "list", "mapping"),
            ("input/request", "input", 7, "int", "str"),
            ("input/request", "input", b"secret", "bytes", "str"),
            ("elicitation/create", "elicit", "accept", "str", "mapping"),
            ("sampling/createMessage", "sample", True, "bool", "mapping"),
            ("auth/openUrl", "open_url", 1, "int", "bool"),
            ("auth/openUrl", "open_url", "yes", "str", "bool"),
        ):
            with self.subTest(method=method, answer=answer):
                self.assertEqual(
                    await self.refused(method, **{handler: answering(answer)}),
                    (CODE_INTERNAL_ERROR, f"TypeError: the handler {handler} returned {got}, not {wanted}"),
                )

    async def test_that_are_withdrawn_cancel_their_handler(self) -> None:
        begun, over = asyncio.Event(), asyncio.Event()

        async def ask_for_ever(_: object) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                over.set()

        self.client_with(Handlers(elicit=ask_for_ever))
        await self.open()
        self.transport.say({"id": 7, "method": "elicitation/create", "params": {}})
        await begun.wait()
        self.transport.say({"method": "$/cancelRequest", "params": {"id": 7}})
        answer = await self.transport.sent()
        self.assertEqual((answer["id"], answer["error"]["code"]), (7, CODE_CANCELLED))
        self.assertTrue(over.is_set())

    async def test_that_are_withdrawn_in_the_same_go_are_answered_too(self) -> None:
        asked: list[object] = []
        self.client_with(Handlers(elicit=lambda question: asked.append(question)))
        await self.open()
        self.transport.say(
            {"id": 7, "method": "elicitation/create", "params": {}},
            {"method": "$/cancelRequest", "params": {"id": 7}},
        )
        answer = await self.transport.sent()
        self.assertEqual((answer["id"], answer["error"]["code"], asked), (7, CODE_CANCELLED, []))

    async def test_that_were_answered_are_forgotten(self) -> None:
        self.client_with(Handlers(input=answering("x")))
        await self.open()
        for _ in range(2):
            self.transport.say({"id": 1, "method": "input/request", "params": {}})
            self.assertEqual((await self.transport.sent())["result"], {"value": "x"})
        connection = self.client._session.connection
        self.assertEqual((connection._answering, connection._pending), ({}, {}))

    async def test_do_not_wait_for_each_other(self) -> None:
        first = asyncio.get_running_loop().create_future()

        async def ask(question: Any) -> Any:
            return await first if question["id"] == "a" else question["id"]

        self.client_with(Handlers(input=ask))
        await self.open()
        for request_id in ("a", "b"):
            self.transport.say({"id": request_id, "method": "input/request", "params": {"id": request_id}})
        self.assertEqual(await self.transport.sent(), {"jsonrpc": "2.0", "id": "b", "result": {"value": "b"}})
        first.set_result("late")
        self.assertEqual(
            await self.transport.sent(), {"jsonrpc": "2.0", "id": "a", "result": {"value": "late"}}
        )


if __name__ == "__main__":
    unittest.main()
