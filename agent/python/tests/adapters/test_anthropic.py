"""Anthropic's real SDK, a server that refuses what Anthropic refuses, and a real sidecar."""

from __future__ import annotations

import asyncio
import json
import unittest
from typing import Any

from anthropic import Anthropic, AsyncAnthropic
from anthropic.types import MessageParam, ToolParam, ToolResultBlockParam

from mcp_sidecar import CallOutcome, Sidecar, SidecarClosedError, Tool
from mcp_sidecar.adapters.anthropic import anthropic_tools, run_anthropic_tool_use

from .model_server import ModelServer
from .results import PDF, PNG, RESULTS, WORDS, with_media
from .sessions import LATE, Meanwhile, late_arrives, nothing, show_all, sidecar, sync_sidecar, use_late


def said(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def shown(data: str, media_type: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def filed(title: str) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "application/pdf", "data": PDF}
    return {"type": "document", "source": source, "title": title}


# Images and PDFs are shown, but not in a failure.
CONTENT: dict[str, list[dict[str, Any]]] = {
    **{name: [said(words)] for name, words in WORDS.items()},
    "two texts": [said("one"), said("two")],
    **with_media(said, shown, filed),
    "error with an image": [said(line) for line in WORDS["error with an image"].split("\n")],
}


class Messages(unittest.IsolatedAsyncioTestCase):
    async def test_every_tool_is_offered_in_a_form_that_is_not_refused(self) -> None:
        with ModelServer(lambda turn: "hello") as model:
            async with sidecar() as (session, _), client(model) as anthropic:
                await converse(anthropic, session)
        offered = {tool["name"]: tool for tool in model.requests[0]["tools"]}
        self.assertEqual(list(offered), [tool["name"] for tool in session.tools])
        self.assertEqual(len(offered["mcp_kit_echo"]["description"]), 3000)
        self.assertNotIn("description", offered["mcp_kit_silent"])

    async def test_every_result_becomes_a_block_and_images_are_shown(self) -> None:
        with ModelServer(show_all) as model:
            async with sidecar() as (session, _), client(model) as anthropic:
                self.assertEqual(await converse(anthropic, session), "seen")
        blocks = model.requests[-1]["messages"][-1]["content"]
        self.assertEqual({name: b["content"] for name, b in zip(RESULTS, blocks, strict=True)}, CONTENT)
        failed = [name for name, block in zip(RESULTS, blocks, strict=True) if block.get("is_error")]
        self.assertEqual(failed, [name for name in RESULTS if name.startswith("error")])

    async def test_an_argument_with_a_refused_name_reaches_its_server_under_its_own(self) -> None:
        async with sidecar() as (session, _):
            tool = next(tool for tool in anthropic_tools(session) if tool["name"] == "mcp_kit_odd_names")
            schema: Any = tool["input_schema"]
            own = ["filter[id]", "filter_id", "$top", "ö" * 70]
            offered = list(schema["properties"])
            self.assertEqual(offered, ["filter_id_2", "filter_id", "top", "argument"])
            self.assertEqual(schema["required"], ["filter_id_2", "top"])
            self.assertEqual(schema["properties"]["top"], {"type": "integer", "title": "$top"})
            given = {name: number for number, name in enumerate(offered)}
            use = {
                "type": "tool_use",
                "id": "1",
                "name": "mcp_kit_odd_names",
                "input": {**given, "more": True},
            }
            block = await run_anthropic_tool_use(session, use)
        self.assertEqual(received(block), {**{name: number for number, name in enumerate(own)}, "more": True})

    async def test_the_models_mistakes_become_blocks(self) -> None:
        async with sidecar() as (session, _):
            use = {"type": "tool_use", "id": "1", "name": "mcp_kit_shw", "input": {}}
            block = await run_anthropic_tool_use(session, use)
            self.assertIn("mcp_kit_show", str(block["content"]))
            self.assertTrue(block["is_error"])
            # What a stream leaves when it is broken off.
            block = await run_anthropic_tool_use(session, {**use, "name": "mcp_kit_show", "input": '{"what'})
            self.assertIn("not JSON", str(block["content"]))
            with self.assertRaisesRegex(TypeError, "no tool call of this API"):
                await run_anthropic_tool_use(session, {"type": "text"})

    async def test_progress_is_told(self) -> None:
        steps: list[Any] = []
        async with sidecar() as (session, _):
            use = {"id": "1", "name": "mcp_kit_steps", "input": {}}
            await run_anthropic_tool_use(
                session, use, on_progress=lambda step: steps.append(step["progress"])
            )
        self.assertEqual(steps[-1:], [3])

    async def test_cancelling_and_a_closed_sidecar_are_exceptions(self) -> None:
        async with sidecar() as (session, _):
            use = {"id": "1", "name": "mcp_kit_stuck", "input": {}}
            task = asyncio.ensure_future(run_anthropic_tool_use(session, use))
            await session.call("mcp_kit_titled")
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await session.close()
            with self.assertRaises(SidecarClosedError):
                await run_anthropic_tool_use(session, use)

    async def test_a_tool_that_comes_late_is_in_the_next_request(self) -> None:
        with ModelServer(use_late) as model:
            async with sidecar(late=True) as (session, world), client(model) as anthropic:
                text = await converse(anthropic, session, meanwhile=lambda: late_arrives(session, world))
        late = [any(tool["name"] == LATE for tool in request["tools"]) for request in model.requests]
        self.assertEqual(late, [False, True, True])
        self.assertEqual(text, "late said: better late than never")


class MessagesBlocking(unittest.TestCase):
    def test_the_same_without_await(self) -> None:
        with (
            ModelServer(show_all) as model,
            sync_sidecar() as (session, _),
            Anthropic(base_url=model.root, api_key="none", max_retries=0) as anthropic,
        ):
            messages: list[MessageParam] = [{"role": "user", "content": "go"}]
            while True:
                message = anthropic.messages.create(
                    model="m", max_tokens=9, messages=messages, tools=anthropic_tools(session)
                )
                messages.append({"role": "assistant", "content": message.content})
                results: list[ToolResultBlockParam] = [
                    run_anthropic_tool_use(session, block)
                    for block in message.content
                    if block.type == "tool_use"
                ]
                if not results:
                    break
                messages.append({"role": "user", "content": results})
        blocks = model.requests[-1]["messages"][-1]["content"]
        self.assertEqual({name: b["content"] for name, b in zip(RESULTS, blocks, strict=True)}, CONTENT)


class TooLarge(unittest.TestCase):
    def test_an_image_over_the_limit_is_described(self) -> None:
        # A host's own object, because no server needs to make five megabytes for this.
        class Pictures:
            tools: tuple[Tool, ...] = ()

            def call(self, *_: object, **__: object) -> CallOutcome:
                data = PNG[:-4] + "A" * (5 * 1024 * 1024)
                block: Any = {"type": "image", "data": data, "mimeType": "image/png"}
                details: Any = {}
                return {"result": {"content": [block]}, "details": details}

        block = run_anthropic_tool_use(Pictures(), {"id": "1", "name": "picture", "input": {}})
        self.assertEqual(block["content"], [said("[an image, image/png, 3.9 MB, that cannot be shown here]")])


def client(model: ModelServer) -> AsyncAnthropic:
    return AsyncAnthropic(base_url=model.root, api_key="none", max_retries=0)


async def converse(anthropic: AsyncAnthropic, session: Sidecar, meanwhile: Meanwhile = nothing) -> str:
    """A conversation, to the model's last word. `meanwhile` happens after its first round of calls."""
    messages: list[MessageParam] = [{"role": "user", "content": "go"}]
    while True:
        tools: list[ToolParam] = anthropic_tools(session)
        message = await anthropic.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": message.content})
        uses = [block for block in message.content if block.type == "tool_use"]
        if not uses:
            return "".join(block.text for block in message.content if block.type == "text")
        results: list[ToolResultBlockParam] = [await run_anthropic_tool_use(session, use) for use in uses]
        messages.append({"role": "user", "content": results})
        await meanwhile()
        meanwhile = nothing


def received(block: ToolResultBlockParam) -> Any:
    """The arguments that a tool of the kit was given, which it answers with."""
    content: Any = block["content"]
    return json.loads(content[0]["text"])


if __name__ == "__main__":
    unittest.main()
