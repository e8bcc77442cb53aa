"""An agent: a loop between a model and the tools of all the user's MCP servers.

This is the part to copy. The model is OpenAI's client, or anything with the same `chat.completions.create`;
the source of the tools is a Sidecar.
"""

from __future__ import annotations

from typing import Any, Final

from mcp_sidecar import ToolSource
from mcp_sidecar.adapters.openai import openai_tools, run_openai_tool_calls

from story import Story

MODEL: Final = "gpt-5"

# A model that goes on for longer than this has lost its way.
MAX_ROUNDS: Final = 20


async def run(model: Any, source: ToolSource, task: str, story: Story) -> str:
    """Has the model do a task with the tools, and returns its last word."""
    messages: list[Any] = [{"role": "user", "content": task}]
    for _ in range(MAX_ROUNDS):
        # Asked for anew before every request: a tool that came meanwhile is in it.
        tools = openai_tools(source)
        story.asks([tool["function"]["name"] for tool in tools])
        # The API takes no empty list.
        offered = {"tools": tools} if tools else {}
        completion = await model.chat.completions.create(model=MODEL, messages=messages, **offered)
        message = completion.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content or ""
        story.is_told_to_call(message.tool_calls)
        # What the model did wrong comes back in the messages too. Only the end of the sidecar is an
        # exception.
        messages += await run_openai_tool_calls(source, message.tool_calls, on_progress=story.progresses)
    raise RuntimeError(f"the model came to no end in {MAX_ROUNDS} rounds")
