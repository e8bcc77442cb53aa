"""LangChain's own tools, agent and messages, with a scripted chat model and a real sidecar."""

from __future__ import annotations

import asyncio
import json
import unittest
from collections.abc import Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, ToolCallRequest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from mcp_sidecar import CallOutcome, Sidecar, SidecarClosedError, Tool
from mcp_sidecar.adapters.langchain import langchain_middleware, langchain_tool, langchain_tools

from .model_server import Call, Script, Turn, function_problems
from .provider_rules import text_problems
from .results import FLAGGED, PDF, PNG, RESULTS, with_media
from .sessions import LATE, Meanwhile, late_arrives, nothing, sidecar, sync_sidecar, use_late


def said(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def filed(name: str) -> dict[str, Any]:
    return {"type": "file", "base64": PDF, "mime_type": "application/pdf", "extras": {"filename": name}}


def shown(data: str, mime_type: str = "image/png") -> dict[str, str]:
    return {"type": "image", "base64": data, "mime_type": mime_type}


# What is told where media are wanted: images and PDFs are shown, but not in a failure.
WITH_MEDIA: dict[str, Any] = {
    **FLAGGED,
    **with_media(said, shown, filed),
}


class ScriptedModel(BaseChatModel):
    """A chat model that follows a script, by the tools that are bound and the messages it is given."""

    script: Any
    tools: list[str] = Field(default_factory=list)
    # The names of the tools of every call, shared by all that bind_tools makes.
    seen: list[list[str]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[LanguageModelInput, AIMessage]:
        # In the form that goes to a provider, with its rules.
        functions = [convert_to_openai_tool(each)["function"] for each in tools]
        problems = function_problems(functions, "any") + text_problems(functions)
        if problems:
            raise ValueError(f"{problems}")
        return self.model_copy(update={"tools": [function["name"] for function in functions]})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        self.seen.append(self.tools)
        results = [message.content for message in messages if isinstance(message, ToolMessage)]
        move = self.script(Turn(self.tools, results))
        number = len(self.seen)
        if isinstance(move, str):
            message = AIMessage(move)
        else:
            calls = [
                {"name": call.name, "args": json.loads(call.arguments), "id": f"{number}_{index}"}
                for index, call in enumerate(move)
            ]
            message = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def scripted(script: Script) -> ScriptedModel:
    return ScriptedModel(script=script)


class Other:
    """Another source, whose tool is not named as a sidecar's are."""

    def __init__(self, content: list[Any] | None = None) -> None:
        self.content = content or [said("hello from the other")]
        definition: Any = {"name": "hello"}
        hello: Any = {"name": "hello", "server": "other", "state": "live", "definition": definition}
        self.tools: tuple[Tool, ...] = (hello,)

    async def call(self, *_: object, **__: object) -> CallOutcome:
        details: Any = {}
        return {"result": {"content": self.content}, "details": details}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": "1", "name": name, "args": arguments}


class Tools(unittest.IsolatedAsyncioTestCase):
    async def test_every_tool_is_a_structured_tool_with_its_own_schema(self) -> None:
        async with sidecar() as (session, _):
            tools: list[StructuredTool] = langchain_tools(session)
        self.assertEqual([each.name for each in tools], [each["name"] for each in session.tools])
        show = next(each for each in tools if each.name == "mcp_kit_show")
        self.assertEqual(
            show.args_schema,
            {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
        )
        self.assertEqual(show.args, {"what": {"type": "string"}})
        self.assertEqual(show.description, "Answers with a result of the table")
        self.assertEqual(show.metadata, {"mcp": {"server": "kit", "tool": "show", "annotations": None}})
        echo = next(each for each in tools if each.name == "mcp_kit_echo")
        self.assertEqual(len(echo.description), 1024)
        functions = [convert_to_openai_tool(each)["function"] for each in tools]
        self.assertEqual(function_problems(functions, "any") + text_problems(functions), [])

    async def test_a_description_is_left_whole_on_demand(self) -> None:
        async with sidecar() as (session, _):
            echo = langchain_tool(session, "mcp_kit_echo", description_limit=None)
        self.assertEqual(len(echo.description), 3000)

    async def test_every_result_becomes_a_message_and_its_artifact_is_whole(self) -> None:
        async with sidecar() as (session, _):
            show = langchain_tool(session, "mcp_kit_show")
            messages = {name: await show.ainvoke(call("mcp_kit_show", what=name)) for name in RESULTS}
        self.assertEqual({name: message.content for name, message in messages.items()}, FLAGGED)
        for name, message in messages.items():
            with self.subTest(name):
                self.assertEqual(message.status, "error" if name.startswith("error") else "success")
                self.assertEqual(message.artifact["result"], RESULTS[name])
                self.assertEqual(message.artifact["details"]["server"], "kit")
                self.assertEqual((message.name, message.tool_call_id), ("mcp_kit_show", "1"))

    async def test_images_and_pdfs_are_shown_on_demand(self) -> None:
        async with sidecar() as (session, _):
            show = langchain_tool(session, "mcp_kit_show", media=True)
            messages = {name: await show.ainvoke(call("mcp_kit_show", what=name)) for name in RESULTS}
        self.assertEqual({name: message.content for name, message in messages.items()}, WITH_MEDIA)
        self.assertEqual(messages["image"].artifact["result"], RESULTS["image"])

    async def test_an_image_that_is_too_large_for_anthropic_is_described(self) -> None:
        data = PNG[:-4] + "A" * (5 * 1024 * 1024)
        source = Other([{"type": "image", "data": data, "mimeType": "image/png"}])
        picture = langchain_tool(source, "hello", media=True)
        message = await picture.ainvoke(call("hello"))
        self.assertEqual(message.content, [said("[an image, image/png, 3.9 MB, that cannot be shown here]")])

    async def test_an_argument_with_a_refused_name_reaches_its_server_under_its_own(self) -> None:
        async with sidecar() as (session, _):
            odd = langchain_tool(session, "mcp_kit_odd_names")
            self.assertEqual(list(odd.args), ["filter_id_2", "filter_id", "top", "argument"])
            message = await odd.ainvoke(call("mcp_kit_odd_names", filter_id_2="a", filter_id="b", top=1))
        self.assertEqual(json.loads(message.content), {"filter[id]": "a", "filter_id": "b", "$top": 1})

    async def test_the_messages_are_those_that_langchain_shows_every_provider(self) -> None:
        # content_blocks is LangChain's own reading of a message, which providers' classes start from.
        async with sidecar() as (session, _):
            show = langchain_tool(session, "mcp_kit_show", media=True)
            image = await show.ainvoke(call("mcp_kit_show", what="image"))
            pdf = await show.ainvoke(call("mcp_kit_show", what="pdf resource"))
        self.assertEqual([block["type"] for block in image.content_blocks], ["text", "image"])
        self.assertEqual(image.content_blocks[1]["base64"], PNG)
        self.assertEqual([block["type"] for block in pdf.content_blocks], ["file"])

    async def test_arguments_named_like_langchains_own_reach_the_server(self) -> None:
        arguments = dict.fromkeys(("config", "run_manager", "callbacks", "self", "arguments"), "mine")
        async with sidecar() as (session, _):
            reserved = langchain_tool(session, "mcp_kit_reserved")
            message = await reserved.ainvoke(call("mcp_kit_reserved", **arguments))
            self.assertEqual(json.loads(message.content), arguments)
            self.assertEqual(json.loads(await reserved.ainvoke(arguments)), arguments)

    async def test_without_a_call_only_the_content_is_returned(self) -> None:
        async with sidecar() as (session, _):
            show = langchain_tool(session, "mcp_kit_show")
            self.assertEqual(await show.ainvoke({"what": "text"}), "hello")
            self.assertEqual(await show.ainvoke({"what": "error"}), "Error: no such file")

    async def test_a_name_that_no_tool_has_becomes_an_answer_with_near_names(self) -> None:
        async with sidecar() as (session, _):
            message = await langchain_tool(session, "mcp_kit_shw").ainvoke(call("mcp_kit_shw"))
        self.assertEqual(message.status, "error")
        self.assertIn("mcp_kit_show", message.content)
        self.assertIsNone(message.artifact)

    async def test_a_call_that_is_no_async_def_may_return_what_is_awaited(self) -> None:
        class Passing(Other):
            def call(self, *_: object, **__: object) -> Any:
                return super().call()

        message = await langchain_tool(Passing(), "hello").ainvoke(call("hello"))
        self.assertEqual(message.content, "hello from the other")

    async def test_progress_is_told_with_the_tools_name(self) -> None:
        steps: list[Any] = []
        async with sidecar() as (session, _):
            tools = langchain_tools(
                session, on_progress=lambda name, step: steps.append((name, step["progress"]))
            )
            steps_tool = next(each for each in tools if each.name == "mcp_kit_steps")
            await steps_tool.ainvoke({})
        self.assertEqual(steps[-1:], [("mcp_kit_steps", 3)])

    async def test_cancelling_and_a_closed_sidecar_are_exceptions(self) -> None:
        async with sidecar() as (session, _):
            stuck = langchain_tool(session, "mcp_kit_stuck")
            task = asyncio.ensure_future(stuck.ainvoke(call("mcp_kit_stuck")))
            await session.call("mcp_kit_titled")
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await session.close()
            with self.assertRaises(SidecarClosedError):
                await stuck.ainvoke(call("mcp_kit_stuck"))

    async def test_the_tools_of_a_sidecar_say_that_they_are_awaited(self) -> None:
        async with sidecar() as (session, _):
            with self.assertRaisesRegex(NotImplementedError, "mcp_kit_show: .*use ainvoke, or a SyncSidecar"):
                langchain_tool(session, "mcp_kit_show").invoke(call("mcp_kit_show", what="text"))


class ToolsBlocking(unittest.TestCase):
    def test_every_result_becomes_a_message(self) -> None:
        with sync_sidecar() as (session, _):
            show = next(each for each in langchain_tools(session) if each.name == "mcp_kit_show")
            messages = {name: show.invoke(call("mcp_kit_show", what=name)) for name in RESULTS}
            self.assertEqual({name: message.content for name, message in messages.items()}, FLAGGED)
            missing = langchain_tool(session, "mcp_kit_shw").invoke(call("mcp_kit_shw"))
            self.assertIn("mcp_kit_show", missing.content)
            session.close()
            with self.assertRaises(SidecarClosedError):
                show.invoke(call("mcp_kit_show", what="text"))

    def test_they_can_be_awaited_too(self) -> None:
        with sync_sidecar() as (session, _):
            show = langchain_tool(session, "mcp_kit_show")
            message = asyncio.run(show.ainvoke(call("mcp_kit_show", what="text")))
        self.assertEqual((message.content, message.status), ("hello", "success"))


async def converse(model: ScriptedModel, session: Sidecar, meanwhile: Meanwhile) -> list[BaseMessage]:
    """The plain loop: bind, call the model, call its tools."""
    messages: list[BaseMessage] = [HumanMessage("go")]
    while True:
        answer = await model.bind_tools(langchain_tools(session)).ainvoke(messages)
        messages.append(answer)
        if not answer.tool_calls:
            return messages
        messages += [await langchain_tool(session, each["name"]).ainvoke(each) for each in answer.tool_calls]
        await meanwhile()
        meanwhile = nothing


class Happening(AgentMiddleware[Any, Any, Any]):
    """Lets something happen between the model's first call of a tool and its next turn."""

    def __init__(self, meanwhile: Meanwhile) -> None:
        super().__init__()
        self.meanwhile = meanwhile

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[..., Any]) -> Any:
        answer = await handler(request)
        await self.meanwhile()
        self.meanwhile = nothing
        return answer


class Rebinding(unittest.IsolatedAsyncioTestCase):
    async def test_a_plain_loop_has_a_tool_that_comes_late(self) -> None:
        model = scripted(use_late)
        async with sidecar(late=True) as (session, world):
            messages = await converse(model, session, lambda: late_arrives(session, world))
        self.assertEqual([LATE in tools for tools in model.seen], [False, True, True])
        self.assertEqual(messages[-1].content, "late said: better late than never")

    async def test_an_agent_has_a_tool_that_comes_late(self) -> None:
        model = scripted(use_late)
        async with sidecar(late=True) as (session, world):
            happening = Happening(lambda: late_arrives(session, world))
            agent = create_agent(model, middleware=[happening, langchain_middleware(session)])
            state = await agent.ainvoke({"messages": [HumanMessage("go")]})
        self.assertEqual([LATE in tools for tools in model.seen], [False, True, True])
        self.assertEqual(state["messages"][-1].content, "late said: better late than never")

    async def test_an_agent_that_was_given_the_tools_as_well_keeps_none_that_are_gone(self) -> None:
        def script(turn: Turn) -> list[Call] | str:
            return str(turn.results[-1]) if turn.results else [Call("mcp_kit_titled")]

        model = scripted(script)
        async with sidecar() as (session, _):
            agent = create_agent(
                model, tools=langchain_tools(session), middleware=[langchain_middleware(session)]
            )
            await session.disconnect("kit")
            state = await agent.ainvoke({"messages": [HumanMessage("go")]})
        self.assertEqual(model.seen, [[], []])
        self.assertIn("mcp_kit_titled", state["messages"][-1].content)
        self.assertEqual(state["messages"][-2].status, "error")

    async def test_an_agents_own_tools_stay(self) -> None:
        @tool
        def mcp_kit_titled() -> str:
            """The agent's own tool of that name."""
            return "my own"

        @tool
        def other() -> str:
            """Another tool of the agent's."""
            return "another"

        def script(turn: Turn) -> list[Call] | str:
            if turn.results:
                return " ".join(map(str, turn.results))
            return [
                Call("mcp_kit_titled"),
                Call("other"),
                Call("mcp_kit_show", '{"what": "text"}'),
                Call("gone"),
                Call("mcp_kit_shw"),
            ]

        model = scripted(script)
        async with sidecar() as (session, _):
            agent = create_agent(
                model, tools=[mcp_kit_titled, other], middleware=[langchain_middleware(session)]
            )
            state = await agent.ainvoke({"messages": [HumanMessage("go")]})
            names = [each["name"] for each in session.tools]
        self.assertEqual(sorted(model.seen[0]), sorted({*names, "other"}))
        words = state["messages"][-1].content
        self.assertTrue(words.startswith("my own another hello "), words)
        # A name that is nobody's is LangChain's to answer, one of a sidecar's the sidecar's.
        self.assertIn("gone is not a valid tool", words)
        self.assertIn("There is no tool mcp_kit_shw, or not any more. Near names are mcp_kit_show", words)

    async def test_a_source_may_name_its_tools_as_it_likes(self) -> None:
        def script(turn: Turn) -> list[Call] | str:
            return str(turn.results[-1]) if turn.results else [Call("hello")]

        agent = create_agent(scripted(script), middleware=[langchain_middleware(Other())])
        state = await agent.ainvoke({"messages": [HumanMessage("go")]})
        self.assertEqual(state["messages"][-1].content, "hello from the other")

    async def test_the_tools_of_another_sidecar_stay_its_own(self) -> None:
        def script(turn: Turn) -> list[Call] | str:
            if turn.results:
                return " ".join(map(str, turn.results))
            return [Call("hello"), Call("mcp_kit_show", '{"what": "text"}')]

        async with sidecar() as (session, _):
            agent = create_agent(
                scripted(script), tools=langchain_tools(Other()), middleware=[langchain_middleware(session)]
            )
            state = await agent.ainvoke({"messages": [HumanMessage("go")]})
        self.assertEqual(state["messages"][-1].content, "hello from the other hello")

    async def test_an_agent_takes_one_sidecar(self) -> None:
        async with sidecar() as (session, _):
            with self.assertRaisesRegex(AssertionError, "duplicate middleware"):
                create_agent(scripted(lambda turn: ""), middleware=[langchain_middleware(session)] * 2)

    async def test_another_middlewares_tools_stay_its_own(self) -> None:
        @tool
        def brought() -> str:
            """A tool that another middleware brings."""
            return "brought"

        class Bringing(AgentMiddleware[Any, Any, Any]):
            async def awrap_model_call(
                self, request: ModelRequest[Any], handler: Callable[..., Any]
            ) -> ModelResponse[Any]:
                tools: list[BaseTool | dict[str, Any]] = [*request.tools, brought]
                answer: ModelResponse[Any] = await handler(request.override(tools=tools))
                return answer

            async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[..., Any]) -> Any:
                if request.tool_call["name"] == "brought":
                    request = request.override(tool=brought)
                return await handler(request)

        def script(turn: Turn) -> list[Call] | str:
            if turn.results:
                return " ".join(map(str, turn.results))
            return [Call("brought"), Call("mcp_kit_show", '{"what": "text"}')]

        async with sidecar() as (session, _):
            agent = create_agent(scripted(script), middleware=[Bringing(), langchain_middleware(session)])
            state = await agent.ainvoke({"messages": [HumanMessage("go")]})
        self.assertEqual(state["messages"][-1].content, "brought hello")

    async def test_a_closed_sidecar_ends_the_agent(self) -> None:
        async with sidecar() as (session, _):

            def script(turn: Turn) -> list[Call] | str:
                return "on it goes" if turn.results else [Call("mcp_kit_titled")]

            agent = create_agent(scripted(script), middleware=[langchain_middleware(session)])
            await session.close()
            with self.assertRaises(SidecarClosedError):
                await agent.ainvoke({"messages": [HumanMessage("go")]})


class RebindingBlocking(unittest.TestCase):
    def test_an_agent_without_await_has_the_tools(self) -> None:
        def script(turn: Turn) -> list[Call] | str:
            return str(turn.results[-1]) if turn.results else [Call("mcp_kit_show", '{"what": "text"}')]

        model = scripted(script)
        with sync_sidecar() as (session, _):
            agent = create_agent(model, middleware=[langchain_middleware(session)])
            state = agent.invoke({"messages": [HumanMessage("go")]})
        self.assertEqual(state["messages"][-1].content, "hello")
        self.assertIn("mcp_kit_show", model.seen[0])


if __name__ == "__main__":
    unittest.main()
