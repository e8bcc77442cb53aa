"""OpenAI's real SDK, a server that refuses what OpenAI refuses, and a real sidecar."""

from __future__ import annotations

import asyncio
import json
import unittest
from typing import Any

from openai import AsyncOpenAI, BadRequestError, OpenAI, omit
from openai.types.chat import (
    ChatCompletionMessageParam,
    ChatCompletionToolMessageParam,
    ChatCompletionToolParam,
)
from openai.types.responses import FunctionToolParam, ResponseInputItemParam

from mcp_sidecar import (
    CallOutcome,
    InvalidArgumentError,
    ResponseError,
    Sidecar,
    SidecarClosedError,
    Tool,
    ToolSource,
)
from mcp_sidecar.adapters.openai import (
    openai_responses_tools,
    openai_tools,
    run_openai_responses_tool_call,
    run_openai_tool_call,
    run_openai_tool_calls,
)

from .model_server import Call, ModelServer
from .results import FLAGGED, JPEG, PDF, PNG, RESULTS, with_media
from .sessions import LATE, Meanwhile, late_arrives, nothing, show_all, sidecar, sync_sidecar, use_late


def shown(data: str, mime_type: str = "image/png") -> dict[str, str]:
    return {"type": "input_image", "image_url": f"data:{mime_type};base64,{data}"}


def pictured(number: int, data: str, mime_type: str) -> list[dict[str, Any]]:
    """An image in a message of the user."""
    return [
        {"type": "text", "text": f"Image {number} of the tools' results:"},
        {"type": "image_url", "image_url": {"url": f"data:{mime_type};base64,{data}"}},
    ]


def said(text: str) -> dict[str, str]:
    return {"type": "input_text", "text": text}


def filed(name: str) -> dict[str, str]:
    return {"type": "input_file", "filename": name, "file_data": f"data:application/pdf;base64,{PDF}"}


# Responses shows images and PDFs. The rest is the same text.
OUTPUTS: dict[str, Any] = {
    **FLAGGED,
    **with_media(said, shown, filed),
    "error with an image": [said("Error:"), said("page crashed"), shown(PNG)],
}


class ChatCompletions(unittest.IsolatedAsyncioTestCase):
    async def test_every_tool_is_offered_in_a_form_that_is_not_refused(self) -> None:
        with ModelServer(lambda turn: "hello") as model:
            async with sidecar() as (session, _), client(model) as openai:
                tools: list[ChatCompletionToolParam] = openai_tools(session)
                await openai.chat.completions.create(model="m", messages=[USER], tools=tools)
                offered = {tool["function"]["name"]: tool["function"] for tool in model.requests[0]["tools"]}
        self.assertEqual(list(offered), [tool["name"] for tool in session.tools])
        self.assertEqual(len(offered["mcp_kit_echo"]["description"]), 1024)
        self.assertTrue(offered["mcp_kit_echo"]["description"].endswith("x…"))
        self.assertEqual(offered["mcp_kit_titled"]["description"], "A title and nothing else")
        self.assertEqual(
            offered["mcp_kit_silent"],
            {"name": "mcp_kit_silent", "parameters": {"type": "object", "properties": {}}},
        )

    async def test_a_description_is_left_whole_on_demand(self) -> None:
        async with sidecar() as (session, _):
            tools = openai_tools(session, description_limit=None)
        echo = next(tool for tool in tools if tool["function"]["name"] == "mcp_kit_echo")
        self.assertEqual(len(echo["function"]["description"]), 3000)

    async def test_every_result_becomes_a_tool_message(self) -> None:
        with ModelServer(show_all) as model:
            async with sidecar() as (session, _), client(model) as openai:
                messages = await chat(openai, session)
        self.assertEqual(dict(zip(RESULTS, tool_contents(model), strict=True)), FLAGGED)
        self.assertEqual(len(messages), len(RESULTS) + 3)

    async def test_the_models_mistakes_become_answers(self) -> None:
        async with sidecar() as (session, _):

            async def told(name: str, arguments: str) -> str:
                function = {"name": name, "arguments": arguments}
                call = {"id": "1", "type": "function", "function": function}
                answer = await run_openai_tool_call(session, call)
                self.assertEqual(answer["tool_call_id"], "1")
                return str(answer["content"])

            self.assertIn("mcp_kit_show", await told("mcp_kit_shw", '{"what": "text"}'))
            self.assertIn("not JSON: Unterminated", await told("mcp_kit_show", '{"what": "te'))
            self.assertIn("not a JSON object: [1]", await told("mcp_kit_show", "[1]"))
            self.assertIn("not a JSON object: null", await told("mcp_kit_show", "null"))
            self.assertIn("NaN is not JSON", await told("mcp_kit_show", '{"what": NaN}'))
            self.assertIn("not JSON: 'utf-8'", await told("mcp_kit_show", '{"what": "\ud83d"}'))
            self.assertIn("There is no tool", await told("", "{}"))
            self.assertEqual(await told("mcp_kit_titled", ""), "{}")
            big = '{"n": 9007199254740993}'
            self.assertEqual(await told("mcp_kit_titled", big), big)
            await session.disconnect("kit")
            stopped = 'There is no tool mcp_kit_show now: server "kit" is stopped. Use'
            self.assertIn(stopped, await told("mcp_kit_show", "{}"))

    async def test_a_custom_call_is_answered_and_not_run(self) -> None:
        called = {"name": "mcp_kit_show", "input": '{"what": "text"}'}
        async with sidecar() as (session, _):
            custom = {"id": "2", "type": "custom", "custom": called}
            answer = await run_openai_tool_call(session, custom)
            self.assertEqual(await run_openai_tool_calls(session, [custom]), [answer])
        refused = "Error: Only tools of type function can be called here."
        self.assertEqual(answer, {"role": "tool", "tool_call_id": "2", "content": refused})

    async def test_a_mistake_of_the_programs_is_an_exception(self) -> None:
        call = {"id": "1", "function": {"name": "mcp_kit_titled", "arguments": "{}"}}
        async with sidecar() as (session, _):
            with self.assertRaisesRegex(InvalidArgumentError, "a timeout is a number of seconds"):
                await run_openai_tool_call(session, call, timeout=-1)

    async def test_only_what_the_model_can_do_something_about_is_told_to_it(self) -> None:
        class Refusing:
            tools: tuple[Tool, ...] = ()
            code = 0

            async def call(self, *_: object, **__: object) -> CallOutcome:
                raise ResponseError("tools/call", self.code, "no \ud83d")

        source = Refusing()
        call = {"id": "1", "function": {"name": "any", "arguments": "{}"}}
        for source.code in (1002, 1003, 1004, 1005, 1007, 1009, -32600, -32603):
            with self.subTest(source.code):
                answer = await run_openai_tool_call(source, call)
                self.assertEqual(answer["content"], "Error: tools/call: no \ufffd")
        for source.code in (1006, 1008, -32002, -32602, -32800):
            with self.subTest(source.code), self.assertRaises(ResponseError):
                await run_openai_tool_call(source, call)

    async def test_where_there_are_no_tools_they_are_left_out(self) -> None:
        class Empty:
            tools: tuple[Tool, ...] = ()

        with ModelServer(lambda turn: "hello") as model:
            async with client(model) as openai:
                tools = openai_tools(Empty())
                await openai.chat.completions.create(model="m", messages=[USER], tools=tools or omit)
                with self.assertRaisesRegex(BadRequestError, "empty array"):
                    await openai.chat.completions.create(model="m", messages=[USER], tools=tools)

    async def test_a_call_that_is_no_async_def_may_return_what_is_awaited(self) -> None:
        async with sidecar() as (session, _):

            class Passing:
                tools = session.tools

                def call(self, tool: str | tuple[str, str], args: Any = None, **options: Any) -> Any:
                    return session.call(tool, args, **options)

            source: ToolSource = Passing()
            for arguments, content in (
                ('{"what": "text"}', "hello"),
                ('{"what": "error"}', "Error: no such file"),
                ("{", "Error: mcp_kit_show was not called"),
            ):
                with self.subTest(arguments):
                    function = {"name": "mcp_kit_show", "arguments": arguments}
                    answer = await run_openai_tool_call(source, {"id": "1", "function": function})
                    self.assertTrue(str(answer["content"]).startswith(content), answer)
                    answers = await run_openai_tool_calls(source, [{"id": "1", "function": function}] * 2)
                    self.assertEqual(answers, [answer, answer])

    async def test_images_of_several_calls_are_shown_in_a_message_of_the_user(self) -> None:
        names = ["image of another type than it says", "image", "text", "error with an image"]
        calls = [Call("mcp_kit_show", json.dumps({"what": name})) for name in names]
        with ModelServer(lambda turn: "seen" if turn.results else calls) as model:
            async with sidecar() as (session, _), client(model) as openai:
                tools = openai_tools(session)
                completion = await openai.chat.completions.create(model="m", messages=[USER], tools=tools)
                message = completion.choices[0].message
                messages: list[Any] = [
                    USER,
                    message,
                    *await run_openai_tool_calls(session, message.tool_calls),
                ]
                await openai.chat.completions.create(model="m", messages=messages, tools=tools)
        self.assertEqual(
            tool_contents(model),
            [
                "[image 1, see below]",
                "a pixel\n[image 2, see below]",
                "hello",
                "Error: page crashed\n[image 3, see below]",
            ],
        )
        images = [(1, JPEG, "image/jpeg"), (2, PNG, "image/png"), (3, PNG, "image/png")]
        content = model.requests[-1]["messages"][-1]["content"]
        self.assertEqual(content, [part for image in images for part in pictured(*image)])

    async def test_no_calls_are_no_messages(self) -> None:
        async with sidecar() as (session, _):
            self.assertEqual(await run_openai_tool_calls(session, None), [])

    async def test_calls_of_one_message_run_at_the_same_time_and_end_together(self) -> None:
        # The second is answered while the first never is; then all of them are cancelled.
        steps: list[Any] = []
        done = asyncio.Event()

        def progress(step: Any) -> None:
            steps.append(step)
            done.set()

        async with sidecar() as (session, _):
            functions = [{"name": name, "arguments": "{}"} for name in ("mcp_kit_stuck", "mcp_kit_steps")]
            calls = [{"id": str(number), "function": each} for number, each in enumerate(functions)]
            before = asyncio.all_tasks()
            task = asyncio.ensure_future(run_openai_tool_calls(session, calls, on_progress=progress))
            await done.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            # The stuck call was cancelled too.
            self.assertEqual(asyncio.all_tasks(), before)

    async def test_when_one_of_several_calls_raises_the_others_are_cancelled(self) -> None:
        class Source:
            """A sidecar that is lost while a call waits."""

            tools: tuple[Tool, ...] = ()
            cancelled = False
            waiting = asyncio.Event()

            async def call(self, tool: str | tuple[str, str], *_: object, **__: object) -> CallOutcome:
                if tool == "lost":
                    await self.waiting.wait()
                    raise SidecarClosedError("lost")
                self.waiting.set()
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    self.cancelled = True
                    raise
                raise AssertionError("it waits for ever")

        source = Source()
        calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in ("waits", "lost")]
        with self.assertRaisesRegex(SidecarClosedError, "lost"):
            await run_openai_tool_calls(source, calls)
        self.assertTrue(source.cancelled)

    async def test_what_is_no_tool_call_is_an_error_of_the_program(self) -> None:
        async with sidecar() as (session, _):
            with self.assertRaisesRegex(TypeError, "no tool call of this API"):
                await run_openai_tool_call(session, {"type": "message"})

    async def test_progress_is_told(self) -> None:
        steps: list[Any] = []
        async with sidecar() as (session, _):
            call = {"id": "1", "function": {"name": "mcp_kit_steps", "arguments": "{}"}}
            answer = await run_openai_tool_call(
                session, call, on_progress=lambda step: steps.append(step["message"])
            )
        self.assertEqual(answer["content"], "done")
        self.assertEqual(steps[-1:], ["step 3"])

    async def test_cancelling_is_an_exception(self) -> None:
        async with sidecar() as (session, _):
            call = {"id": "1", "function": {"name": "mcp_kit_stuck", "arguments": "{}"}}
            task = asyncio.ensure_future(run_openai_tool_call(session, call))
            # Whatever comes first, the call's own sending or the cancelling, the call ends so.
            await session.call("mcp_kit_titled")
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

    async def test_a_closed_sidecar_is_an_exception(self) -> None:
        async with sidecar() as (session, _):
            await session.close()
            with self.assertRaises(SidecarClosedError):
                await run_openai_tool_call(session, {"id": "1", "function": {"name": "mcp_kit_show"}})

    async def test_a_tool_that_comes_late_is_in_the_next_request(self) -> None:
        with ModelServer(use_late) as model:
            async with sidecar(late=True) as (session, world), client(model) as openai:
                messages = await chat(openai, session, meanwhile=lambda: late_arrives(session, world))
        self.assertEqual([has_late(request) for request in model.requests], [False, True, True])
        self.assertEqual(messages[-1]["content"], "late said: better late than never")


class ChatCompletionsBlocking(unittest.TestCase):
    def test_the_same_without_await(self) -> None:
        with (
            ModelServer(show_all) as model,
            sync_sidecar() as (session, _),
            OpenAI(base_url=model.url, api_key="none", max_retries=0) as openai,
        ):
            messages: list[ChatCompletionMessageParam] = [USER]
            while True:
                completion = openai.chat.completions.create(
                    model="m", messages=messages, tools=openai_tools(session)
                )
                message = completion.choices[0].message
                messages.append(message)  # type: ignore[arg-type]  # as OpenAI's own examples do
                if not message.tool_calls:
                    break
                for call in message.tool_calls:
                    answer: ChatCompletionToolMessageParam = run_openai_tool_call(session, call)
                    messages.append(answer)
        self.assertEqual(dict(zip(RESULTS, tool_contents(model), strict=True)), FLAGGED)

    def test_images_of_several_calls_are_shown_in_a_message_of_the_user(self) -> None:
        with sync_sidecar() as (session, _):
            function = {"name": "mcp_kit_show", "arguments": '{"what": "image"}'}
            messages = run_openai_tool_calls(session, [{"id": "1", "function": function}])
        self.assertEqual(
            messages[0], {"role": "tool", "tool_call_id": "1", "content": "a pixel\n[image 1, see below]"}
        )
        self.assertEqual(messages[1:], [{"role": "user", "content": pictured(1, PNG, "image/png")}])

    def test_mistakes_and_a_closed_sidecar_are_told_apart(self) -> None:
        with sync_sidecar() as (session, _):
            call = {"id": "1", "function": {"name": "mcp_kit_shw", "arguments": "{}"}}
            self.assertIn("mcp_kit_show", str(run_openai_tool_call(session, call)["content"]))
            session.close()
            with self.assertRaises(SidecarClosedError):
                run_openai_tool_call(session, call)


class Responses(unittest.IsolatedAsyncioTestCase):
    async def test_every_result_becomes_an_output_and_images_are_shown(self) -> None:
        with ModelServer(show_all) as model:
            async with sidecar() as (session, _), client(model) as openai:
                text = await respond(openai, session)
        items = model.requests[-1]["input"]
        outputs = [item["output"] for item in items if item.get("type") == "function_call_output"]
        self.assertEqual(dict(zip(RESULTS, outputs, strict=True)), OUTPUTS)
        self.assertEqual(text, "seen")

    async def test_the_models_mistakes_become_outputs(self) -> None:
        async with sidecar() as (session, _):
            call = {"type": "function_call", "call_id": "1", "name": "mcp_kit_shw", "arguments": "{}"}
            answer = await run_openai_responses_tool_call(session, call)
            self.assertIn("mcp_kit_show", str(answer["output"]))
            answer = await run_openai_responses_tool_call(session, {**call, "arguments": "{"})
            self.assertIn("not JSON", str(answer["output"]))
            with self.assertRaisesRegex(TypeError, "no tool call of this API"):
                await run_openai_responses_tool_call(session, {"id": "1"})
            await session.close()
            with self.assertRaises(SidecarClosedError):
                await run_openai_responses_tool_call(session, call)

    async def test_a_tool_that_comes_late_is_in_the_next_request(self) -> None:
        with ModelServer(use_late) as model:
            async with sidecar(late=True) as (session, world), client(model) as openai:
                text = await respond(openai, session, meanwhile=lambda: late_arrives(session, world))
        self.assertEqual([has_late(request) for request in model.requests], [False, True, True])
        self.assertEqual(text, "late said: better late than never")


class ResponsesBlocking(unittest.TestCase):
    def test_the_same_without_await(self) -> None:
        with sync_sidecar() as (session, _):
            arguments = '{"what": "image"}'
            call = {"call_id": "1", "name": "mcp_kit_show", "arguments": arguments}
            answer: ResponseInputItemParam = run_openai_responses_tool_call(session, call)
        self.assertEqual(answer, {"type": "function_call_output", "call_id": "1", "output": OUTPUTS["image"]})


USER: ChatCompletionMessageParam = {"role": "user", "content": "go"}


def client(model: ModelServer) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0)


async def chat(openai: AsyncOpenAI, session: Sidecar, meanwhile: Meanwhile = nothing) -> list[Any]:
    """A conversation; `meanwhile` happens between its first round of calls and the next request."""
    messages: list[Any] = [USER]
    while True:
        completion = await openai.chat.completions.create(
            model="m", messages=messages, tools=openai_tools(session)
        )
        message = completion.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return [USER, *(m if isinstance(m, dict) else m.to_dict() for m in messages[1:])]
        for call in message.tool_calls:
            answer: ChatCompletionToolMessageParam = await run_openai_tool_call(session, call)
            messages.append(answer)
        await meanwhile()
        meanwhile = nothing


async def respond(openai: AsyncOpenAI, session: Sidecar, meanwhile: Meanwhile = nothing) -> str:
    """The same in the form of Responses. The result is the model's last word."""
    items: list[ResponseInputItemParam] = [{"role": "user", "content": "go"}]
    while True:
        tools: list[FunctionToolParam] = openai_responses_tools(session)
        response = await openai.responses.create(model="m", input=items, tools=tools)
        items += response.output  # type: ignore[arg-type]  # as OpenAI's own examples do
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        items += [await run_openai_responses_tool_call(session, call) for call in calls]
        await meanwhile()
        meanwhile = nothing


def tool_contents(model: ModelServer) -> list[Any]:
    """What the tool messages of the last request say."""
    return [message["content"] for message in model.requests[-1]["messages"] if message["role"] == "tool"]


def has_late(request: dict[str, Any]) -> bool:
    return any(tool.get("function", tool)["name"] == LATE for tool in request["tools"])


if __name__ == "__main__":
    unittest.main()
