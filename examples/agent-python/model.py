"""A model that follows a script in place of `AsyncOpenAI()`: there is no key, no network, no package to have.

It decides by what it is given, as a model does: the tools of the request and the conversation so far. It
can be asked for a sum and for the files of the project. What it has a tool for it does at once; while one is
missing it keeps itself busy with something that takes long.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, Final

SUM: Final = "get-sum"
FILES: Final = "list_directory"
BUSY: Final = "trigger-long-running-operation"

ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    SUM: {"a": 17, "b": 25},
    FILES: {"path": "."},
    BUSY: {"duration": 3, "steps": 6},
}

# What it understands of a task: the words that ask for a tool.
WORDS: Final[dict[str, str]] = {SUM: "17 and 25", FILES: "files"}

# How often it keeps itself busy until it gives up.
PATIENCE: Final = 5


class ScriptedModel:
    """Has `chat.completions.create` as AsyncOpenAI has it, as far as the agent uses it."""

    def __init__(self) -> None:
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))
        self._calls = 0

    async def _create(
        self, *, messages: list[Any], tools: list[dict[str, Any]] | None = None, **_: Any
    ) -> SimpleNamespace:
        names = [tool["function"]["name"] for tool in tools or []]
        asked = [tool for tool, words in WORDS.items() if words in messages[0]["content"]]
        results = results_so_far(messages)
        wanted = next_calls(asked, names, results)
        message = SimpleNamespace(
            role="assistant",
            content=None if wanted else last_word(asked, results),
            tool_calls=[self._call(names, tool) for tool in wanted] or None,
        )
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    def _call(self, names: list[str], tool: str) -> SimpleNamespace:
        self._calls += 1
        function = SimpleNamespace(name=named(names, tool), arguments=json.dumps(ARGUMENTS[tool]))
        return SimpleNamespace(id=f"call_{self._calls}", type="function", function=function)


def next_calls(asked: list[str], names: list[str], results: dict[str, list[str]]) -> list[str]:
    """Which tools to call now, by their servers' names for them: all that help, at the same time."""
    missing = [tool for tool in asked if not results[tool]]
    possible = [tool for tool in missing if named(names, tool)]
    if missing and not possible and named(names, BUSY) and len(results[BUSY]) < PATIENCE:
        return [BUSY]
    return possible


def results_so_far(messages: list[Any]) -> dict[str, list[str]]:
    """What each tool has answered in this conversation, by its server's name for it."""
    calls: dict[str, str] = {}
    results: dict[str, list[str]] = {tool: [] for tool in ARGUMENTS}
    for message in messages:
        if isinstance(message, SimpleNamespace):
            calls.update((call.id, call.function.name) for call in message.tool_calls or [])
        elif message["role"] == "tool":
            tool = next(tool for tool in ARGUMENTS if named([calls[message["tool_call_id"]]], tool))
            results[tool].append(message["content"])
    return results


def last_word(asked: list[str], results: dict[str, list[str]]) -> str:
    """What to tell the user at the end."""
    if not all(results[tool] for tool in asked):
        return "I have no tool for this."
    return " ".join(answer(tool, results[tool][0]) for tool in asked)


def answer(tool: str, result: str) -> str:
    """What a tool's result means in words."""
    if tool == SUM:
        return result
    files = [line.rpartition("] ")[2] for line in result.splitlines()]
    return f"The project has {', '.join(files)}."


def named(names: list[str], tool: str) -> str | None:
    """The name under which a server's tool is offered, whatever its server is called."""
    return next((name for name in names if name.endswith(f"_{tool}")), None)
