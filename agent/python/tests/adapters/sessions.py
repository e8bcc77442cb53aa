"""Real sidecars for the tests of the adapters, each in a world of its own, with kit_server.py as MCP server.

The servers are `kit` and, on demand, `late`, which starts when its gate is opened.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp_sidecar import Sidecar, SyncSidecar, ToolsChanged
from mcp_sidecar.protocol import ServerConfig, Settings

from .model_server import Call, Turn
from .results import RESULTS

PACKAGE = Path(__file__).parents[2]
BINARY = os.environ.get("MCP_SIDECAR_TEST_BINARY") or str(PACKAGE.parents[1] / "bin" / "mcp-sidecar")

# The tool of the late server.
LATE = "mcp_late_late"

Meanwhile = Callable[[], Awaitable[None]]


class World:
    """A home directory, and the gate that the late server waits for."""

    def __init__(self, directory: str) -> None:
        self.home = Path(directory)
        # A FIFO: either side waits for the other to open it.
        self.gate = self.home / "gate"
        os.mkfifo(self.gate)

    def open_gate(self) -> None:
        """Lets the late server start, as soon as it has come."""
        self.gate.write_bytes(b"")

    def options(self, *, late: bool) -> dict[str, Any]:
        """What a sidecar in this world is started with."""
        servers = {"kit": _kit_server()}
        if late:
            servers["late"] = _kit_server("--late", "--wait-for", str(self.gate))
        settings: Settings = {
            "servers": servers,
            "discovery": {"include": ["host"]},
            # The late server is not waited for; the other one is, by connect below.
            "startup": {"gateMs": 0, "uncached": "background"},
        }
        return {"binary": BINARY, "cwd": str(self.home), "env": self._environment(), "settings": settings}

    def _environment(self) -> dict[str, str]:
        own = {
            "HOME": self.home,
            "XDG_CACHE_HOME": self.home / "cache",
            "XDG_CONFIG_HOME": self.home / "config",
            "XDG_STATE_HOME": self.home / "state",
        }
        return {name: str(path) for name, path in own.items()}


def _kit_server(*arguments: str) -> ServerConfig:
    return {
        "command": sys.executable,
        "args": ["-m", "tests.adapters.kit_server", *arguments],
        "env": {"PYTHONPATH": str(PACKAGE)},
    }


@asynccontextmanager
async def sidecar(*, late: bool = False) -> AsyncIterator[tuple[Sidecar, World]]:
    """A sidecar whose server kit is connected."""
    # The tests run in asyncio's debug mode, which reports what holds up the loop: the SDKs' first use does.
    asyncio.get_running_loop().slow_callback_duration = 60
    with tempfile.TemporaryDirectory() as directory:
        world = World(directory)
        async with Sidecar(**world.options(late=late)) as session:
            await session.connect("kit")
            yield session, world


@contextmanager
def sync_sidecar(*, late: bool = False) -> Iterator[tuple[SyncSidecar, World]]:
    """The same, blocking."""
    with tempfile.TemporaryDirectory() as directory:
        world = World(directory)
        with SyncSidecar(**world.options(late=late)) as session:
            session.connect("kit")
            yield session, world


async def nothing() -> None:
    """Is what usually happens meanwhile."""


async def late_arrives(session: Sidecar, world: World) -> None:
    """Lets the late server start, and returns when its tool is in the set."""
    events = session.events()
    world.open_gate()
    async for event in events:
        if isinstance(event, ToolsChanged) and any(tool["name"] == LATE for tool in event.added):
            await events.aclose()


def show_all(turn: Turn) -> list[Call] | str:
    """A model that calls the tool once for every result there is."""
    if turn.results:
        return "seen"
    return [Call("mcp_kit_show", json.dumps({"what": name})) for name in RESULTS]


def use_late(turn: Turn) -> list[Call] | str:
    """A model that does something, and then uses the late tool if it has it."""
    if not turn.results:
        return [Call("mcp_kit_titled")]
    if len(turn.results) == 1:
        return [Call(LATE)] if LATE in turn.tools else "there is no such tool"
    last = turn.results[-1]
    return f"late said: {last if isinstance(last, str) else last['content'][0]['text']}"
