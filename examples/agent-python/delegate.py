"""An agent that hands its tools to two others, which are processes of their own: no server is started twice.

    PYTHONPATH=agent/python python3 examples/agent-python/delegate.py

It needs what main.py needs.

    delegate.py     the agent that owns the session, and what has to happen
    sub_agent.py    the two others: guests of that session
    agent.py, model.py, story.py, stage.py    as in main.py
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from asyncio.subprocess import PIPE
from typing import Any, Final

from mcp_sidecar import Sidecar

from model import FILES, SUM
from stage import HERE, SETTINGS, DidNotHappenError, Place, enact, require
from story import Story, tools

# Who has to do what.
TASKS: Final = {"sums": "What is 17 and 25?", "files": "Which files does this project have?"}


async def delegate(sidecar: Sidecar, name: str, task: str) -> dict[str, Any]:
    """Has another process do a task with the tools of this session, and gives its report.

    This is the part to copy, with `work` in sub_agent.py.
    """
    environment = {
        **os.environ,
        # A secret, which lets in whoever has it. So it is not among the arguments, which anybody can see.
        "MCP_SIDECAR_ENDPOINT": await sidecar.share(),
        # Guests join by the same program.
        "MCP_SIDECAR": str(sidecar.binary),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "sub_agent.py"), name, task, env=environment, stdout=PIPE
    )
    try:
        report, _ = await process.communicate()
    except asyncio.CancelledError:  # this agent is interrupted
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.communicate()
        raise
    if process.returncode:
        raise DidNotHappenError(f"the sub-agent {name} ended with exit code {process.returncode}")
    told: dict[str, Any] = json.loads(report)
    return told


async def play(place: Place) -> None:
    """One session, in which two others work at the same time."""
    story = Story("delegated: one session, and two processes that are guests of it")
    with tempfile.TemporaryDirectory(prefix="mcp-sidecar-example") as cache:
        async with Sidecar(
            cwd=place.project,
            binary=place.binary,
            args=["--cache-dir", cache],
            env={"SLOW_START": f"{place.slow:g}"},
            client={"name": "example-agent", "version": "1"},
            settings=SETTINGS,
        ) as sidecar:
            # Guests could come before the servers are there. They wait here so that there is something to
            # compare.
            await sidecar.wait()
            servers = {server["name"]: server.get("pid") for server in sidecar.servers}
            story.line("<-", "session open", f"{tools(sidecar.tools)} of {len(servers)} servers")
            for name, task in TASKS.items():
                story.line("->", name, task)
            works = (delegate(sidecar, name, task) for name, task in TASKS.items())
            # It waits for all of them, whatever becomes of one.
            ends = await asyncio.gather(*works, return_exceptions=True)
            reports = {name: report_of(end) for name, end in zip(TASKS, ends, strict=True)}
            for name, report in reports.items():
                story.line("<-", name, report["answer"])
            after = {server["name"]: server.get("pid") for server in sidecar.servers}
    expect(reports, servers, after)
    running = [f"{name} {pid}" for name, pid in servers.items() if pid]
    story.line("", "", f"one process each, for three agents: {', '.join(running)}")


def report_of(end: dict[str, Any] | BaseException) -> dict[str, Any]:
    """What a sub-agent reported, if it did."""
    if isinstance(end, BaseException):
        raise end
    return end


def expect(reports: dict[str, Any], servers: dict[str, int | None], after: dict[str, int | None]) -> None:
    """What the example is there to show."""
    sums, files = reports["sums"], reports["files"]
    require("42" in sums["answer"] and sums["called"] == [SUM], f"sums answers, not: {sums['answer']}")
    require(
        ".mcp.json" in files["answer"] and files["called"] == [FILES], f"files does, not: {files['answer']}"
    )
    require(after == servers and sum(map(bool, servers.values())) > 1, "every server runs on as it was")
    for name, report in reports.items():
        require(report["guest"], f"{name} is a guest")
        require(report["servers"] == servers, f"{name} has the processes of {servers}: {report['servers']}")


if __name__ == "__main__":
    sys.exit(enact("An agent that hands its tools to two others.", play, slow=0))
