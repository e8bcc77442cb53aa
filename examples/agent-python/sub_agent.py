"""A sub-agent: a process of its own, which has the tools of the agent that started it. See delegate.py.

    sub_agent.py NAME TASK

Its stdout is its report, in JSON; what happens is told on stderr, which it shares with the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from typing import Any

from mcp_sidecar import Sidecar, SidecarError

import agent
from model import ScriptedModel
from story import Story, Told


async def work(name: str, task: str) -> dict[str, Any]:
    """Does the task as a guest of the session whose endpoint is in the environment."""
    story = Story(f"a process of its own: {task}", name)
    # This is the part to copy: what join() gives is a Sidecar like any other.
    async with Sidecar.join(client={"name": f"example-{name}", "version": "1"}) as sidecar:
        story.line("<-", "joined", f"{len(sidecar.tools)} tools of {len(sidecar.servers)} servers")
        answer = await agent.run(ScriptedModel(), Told(sidecar, story), task, story)
        story.line("<-", "assistant", answer)
        return {
            "answer": answer,
            "called": list(story.outcomes),
            "guest": sidecar.guest,
            "servers": {server["name"]: server.get("pid") for server in sidecar.servers},
        }


def main() -> int:
    """Works, and reports."""
    # Who tells it to end has it leave the session first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            report = asyncio.run(work(*sys.argv[1:]))
        print(json.dumps(report))
    except (SidecarError, RuntimeError) as error:
        print(f"sub-agent {sys.argv[1]}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
