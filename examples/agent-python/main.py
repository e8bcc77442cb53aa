"""An agent with the user's MCP tools, in two sessions: one that remembers nothing, and one that does.

    PYTHONPATH=agent/python python3 examples/agent-python/main.py

It needs Python 3.10, the program (bin/mcp-sidecar, by `make build`), and the servers that examples/project
names (by `make run`, or `npm ci --ignore-scripts` there). With the package mcp-sidecar installed, PYTHONPATH
is not needed.

    agent.py    the loop between a model and its tools: the part to copy
    model.py    the model, here a script
    story.py    how it is told
    main.py     the two sessions, and what has to happen in them
    stage.py    what the other example needs, too: delegate.py, an agent that hands its tools to others

The server `files` takes two seconds to start (--slow). In the cold session the model begins without its tools
and has them as soon as they are there, in the middle of the conversation. In the warm one it has them from
the beginning, and a call waits for the server.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from typing import Final

from mcp_sidecar import Sidecar

import agent
from model import BUSY, FILES, SUM, ScriptedModel, named
from stage import SETTINGS, Place, enact, require
from story import Story, Told

TASK: Final = "What is 17 and 25? And which files does this project have?"


async def play(place: Place) -> None:
    """Two sessions with one cache, which is empty at first."""
    with tempfile.TemporaryDirectory(prefix="mcp-sidecar-example") as cache:
        cold = Story(f"cold: nothing is remembered, and files takes {place.slow:g} s to start")
        answer = await session(place, cache, cold)
        expect("cold", answer, cold, first_has_files=False)
        expect_cold(cold)

        warm = Story("warm: the lists of tools are remembered, and files is as slow as before")
        answer = await session(place, cache, warm)
        expect("warm", answer, warm, first_has_files=True)
        expect_warm(warm)


async def session(place: Place, cache: str, story: Story) -> str:
    """One conversation, from the start of the sidecar to its end."""
    sidecar = Sidecar(
        cwd=place.project,
        binary=place.binary,
        args=["--cache-dir", cache],
        # What examples/project/slow reads.
        env={"SLOW_START": f"{place.slow:g}"},
        client={"name": "example-agent", "version": "1"},
        settings=SETTINGS,
    )
    listening = asyncio.create_task(story.listens(sidecar.events()))
    async with sidecar:
        story.opens(sidecar)
        if not named([tool["name"] for tool in sidecar.tools], SUM):
            # The conversation needs something to begin with, so one server is waited for.
            await sidecar.connect("everything")
        # With OpenAI's package and a key: model = AsyncOpenAI()
        model = ScriptedModel()
        story.line("->", "user", TASK)
        answer = await agent.run(model, Told(sidecar, story), TASK, story)
        story.line("<-", "assistant", answer)
    await listening
    story.line("", "", f"the sidecar, process {sidecar.pid}, has ended, and every server with it")
    return answer


def expect(which: str, answer: str, story: Story, *, first_has_files: bool) -> None:
    """What has to be true of both sessions."""
    require("42" in answer and ".mcp.json" in answer, f"the {which} session has both answers, not: {answer}")
    require(SUM in story.outcomes, f"a sum is made in the {which} session")
    first, last = story.requests[0], story.requests[-1]
    has_files = named(first, FILES) is not None
    require(
        has_files == first_has_files,
        f"the first request of the {which} session has {'' if first_has_files else 'no '}files",
    )
    require(named(last, FILES) is not None, f"the last request of the {which} session has the tools of files")


def expect_cold(story: Story) -> None:
    """What the cold session is there to show."""
    require(BUSY in story.outcomes and story.steps > 0, "an operation tells how far it is")
    require("files" in story.pushed, "the tools of files come by push in the cold session")
    require(not story.outcomes[FILES]["details"]["deferred"], "files is there when the cold session calls it")


def expect_warm(story: Story) -> None:
    """What the warm session is there to show."""
    details = story.outcomes[FILES]["details"]
    require(
        details["deferred"] and details["waitedMs"] > 0,
        "the warm session's call of files waits for its server",
    )
    require("files" not in story.pushed, "nothing is pushed in the warm session, since nothing has changed")


if __name__ == "__main__":
    sys.exit(enact("An agent with MCP tools, cold and warm.", play, slow=2))
