"""An agent with the user's MCP tools, in two sessions: one that remembers nothing, and one that does.

    PYTHONPATH=agent/python python3 examples/agent-python/main.py

It needs Python 3.10, the program (bin/mcp-sidecar, by `make build`), and the servers that examples/project
names (by `make run`, or `npm ci --ignore-scripts` there). With the package mcp-sidecar installed, PYTHONPATH
is not needed.

    agent.py    the loop between a model and its tools: the part to copy
    model.py    the model, here a script
    story.py    how it is told
    main.py     the two sessions, and what has to happen in them

The server `files` takes two seconds to start (--slow). In the cold session the model begins without its tools
and has them as soon as they are there, in the middle of the conversation. In the warm one it has them from
the beginning, and a call waits for the server.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mcp_sidecar import Sidecar, SidecarError
from mcp_sidecar.protocol import Settings

import agent
from model import BUSY, FILES, SUM, ScriptedModel, named
from story import Story, Told

HERE: Final = Path(__file__).resolve().parent
TASK: Final = "What is 17 and 25? And which files does this project have?"

# There is no handler `approve` here, so the servers that the project's file names are started without
# asking: that is right for files one trusts.
SETTINGS: Final[Settings] = {
    # Only the project's own file: an example has no business starting what the user has configured elsewhere.
    "discovery": {"include": ["mcp-json"]},
    # An agent takes tools as they come, so nobody waits for a slow server.
    "startup": {"uncached": "background"},
    # Nothing runs at its address here.
    "disabled": ["remote"],
}


@dataclass(frozen=True)
class Place:
    """What the sessions are played with."""

    binary: Path | None
    project: Path
    # Seconds that the server `files` takes to start.
    slow: float


class DidNotHappenError(Exception):
    """Something that the example is there to show did not happen."""


def main() -> int:
    """Plays both sessions."""
    parser = argparse.ArgumentParser(description="An agent with MCP tools, cold and warm.")
    built = HERE.parents[1] / "bin" / "mcp-sidecar"
    parser.add_argument(
        "--sidecar",
        type=Path,
        default=built if built.exists() else None,
        help="the program (default: as found)",
    )
    parser.add_argument(
        "--project", type=Path, default=HERE.parent / "project", help="the project to work in"
    )
    parser.add_argument(
        "--slow", type=float, default=2, help="seconds that the server files takes to start (default: 2)"
    )
    arguments = parser.parse_args()
    place = Place(arguments.sidecar, arguments.project.resolve(), arguments.slow)
    try:
        asyncio.run(play(place))
    except (DidNotHappenError, SidecarError, RuntimeError) as error:
        print(f"agent: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


async def play(place: Place) -> None:
    """Two sessions with one cache, which is empty at first."""
    if not (place.project / "node_modules").is_dir():
        raise DidNotHappenError(
            f"{place.project} has no servers yet: npm ci --ignore-scripts, in that directory"
        )
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
    require("42" in answer and ".mcp.json" in answer, which, f"the model knows both answers, not: {answer}")
    require(SUM in story.outcomes, which, "a sum is made")
    first, last = story.requests[0], story.requests[-1]
    has_files = named(first, FILES) is not None
    require(
        has_files == first_has_files, which, f"the first request has {'' if first_has_files else 'no '}files"
    )
    require(named(last, FILES) is not None, which, "the last request has the tools of files")


def expect_cold(story: Story) -> None:
    """What the cold session is there to show."""
    require(BUSY in story.outcomes and story.steps > 0, "cold", "an operation tells how far it is")
    require("files" in story.pushed, "cold", "the tools of files come by push")
    require(not story.outcomes[FILES]["details"]["deferred"], "cold", "files is there when it is called")


def expect_warm(story: Story) -> None:
    """What the warm session is there to show."""
    details = story.outcomes[FILES]["details"]
    require(details["deferred"] and details["waitedMs"] > 0, "warm", "the call of files waits for its server")
    require("files" not in story.pushed, "warm", "nothing is pushed, since nothing has changed")


def require(happened: bool, which: str, what: str) -> None:
    """Ends the example if it did not."""
    if not happened:
        raise DidNotHappenError(f"{which} session: it did not happen that {what}")


if __name__ == "__main__":
    sys.exit(main())
