"""What tests of real processes need: the built sidecar, the scripted MCP server, and a home of their own."""

from __future__ import annotations

import contextlib
import functools
import os
import select
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp_sidecar import Closed, Sidecar
from mcp_sidecar.protocol import ServerConfig, Settings

from .patience import PATIENCE
from .quiet import QuietCase

PACKAGE = Path(__file__).parent.parent
REPOSITORY = PACKAGE.parent.parent
BINARY = Path(os.environ.get("MCP_SIDECAR_TEST_BINARY") or REPOSITORY / "bin" / "mcp-sidecar")


@functools.cache
def fake() -> Path:
    """The scripted MCP server of conformance/, built once."""
    program = REPOSITORY / "build" / "python-tests" / "fake"
    subprocess.run(["go", "build", "-o", program, "./conformance/fake"], cwd=REPOSITORY, check=True)
    return program


def wait_gone(pid: int) -> None:
    """Waits until a process is gone that is not a child of this one. The event loop waits, too."""
    if not hasattr(os, "pidfd_open"):
        _look_until_gone(pid)
        return
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if not poll.poll(PATIENCE * 1000):
            raise AssertionError(f"process {pid} is still there")
    finally:
        os.close(descriptor)


def _look_until_gone(pid: int) -> None:
    # Only Linux tells of the end of a process that is not one's child.
    deadline = time.monotonic() + PATIENCE
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.kill(pid, 0)
            time.sleep(0.01)
        raise AssertionError(f"process {pid} is still there")


async def until(sidecar: Sidecar, holds: Callable[[], bool]) -> None:
    """Waits until what is asked holds. It is looked at now, and whenever something is told."""
    events = sidecar.events()
    while not holds():
        if isinstance(await anext(events), Closed):
            raise AssertionError("the session ended before")


class WorldCase(QuietCase):
    """A test with a home directory and a project of its own."""

    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name).resolve()
        self.project = self.root / "project"
        self.project.mkdir()

    @property
    def env(self) -> dict[str, str]:
        """An environment in which nothing of the user's is found."""
        own = {
            "HOME": str(self.root / "home"),
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_STATE_HOME": str(self.root / "state"),
        }
        for folder in own.values():
            Path(folder).mkdir(exist_ok=True)
        return {**{k: v for k, v in os.environ.items() if not k.startswith("MCP_SIDECAR")}, **own}

    def script(self, text: str, name: str = "fake") -> ServerConfig:
        """The entry of a fake server with this script."""
        path = self.root / f"{name}.script"
        path.write_text(text)
        return {"command": str(fake()), "args": [str(path)]}

    def recording(self, *pipe: Path) -> ServerConfig:
        """The entry of the server that tells what it got: see recording_server.py."""
        program = Path(__file__).parent / "recording_server.py"
        return {"command": sys.executable, "args": [str(program), *map(str, pipe)]}

    def sidecar(self, servers: dict[str, ServerConfig] | None = None, **options: Any) -> Sidecar:
        """A sidecar of this world that knows these servers alone. It is not started."""
        return Sidecar(**self.options(servers, **options))

    def options(self, servers: dict[str, ServerConfig] | None = None, **options: Any) -> dict[str, Any]:
        """What a Sidecar or a SyncSidecar of this world is made with."""
        settings: Settings = {"servers": servers or {}}
        settings.update(options.pop("settings", {}))
        return {"cwd": self.project, "binary": BINARY, "env": self.env, "settings": settings, **options}


class AsyncWorldCase(WorldCase, unittest.IsolatedAsyncioTestCase):
    """A WorldCase whose tests are coroutines."""
