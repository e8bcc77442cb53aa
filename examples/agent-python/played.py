"""Examples as their tests play them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

PROGRAM = (
    ["--sidecar", os.environ["MCP_SIDECAR_TEST_BINARY"]] if "MCP_SIDECAR_TEST_BINARY" in os.environ else []
)

# A variable that every process of a run has in its environment. (The sidecar keeps its own, MCP_SIDECAR_…,
# from the servers.)
MARK = "EXAMPLE_AGENT_RUN"


class Run:
    """One run of an example, in a home directory of its own."""

    def __init__(self, example: str, *arguments: str) -> None:
        mark = uuid.uuid4().hex
        with tempfile.TemporaryDirectory() as home:
            process = started(example, home, mark, *arguments)
            self.out, self.err = process.communicate()
            self.left = processes_with(mark)
        self.code = process.returncode


def started(example: str, home: str, mark: str, *arguments: str) -> subprocess.Popen[str]:
    """Starts an example whose processes all bear the mark."""
    own = {"HOME": home, "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home}
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / example), *PROGRAM, *arguments],
        env={**os.environ, **own, MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def processes_with(mark: str) -> list[str]:
    """The command lines of the processes that bear the mark (on Linux: elsewhere this sees none)."""
    return [command for directory in Path("/proc").glob("[0-9]*") if (command := command_of(directory, mark))]


def command_of(directory: Path, mark: str) -> str:
    """The command line of one of these, or nothing."""
    try:
        marked = f"{MARK}={mark}".encode() in (directory / "environ").read_bytes()
        return (directory / "cmdline").read_text() if marked else ""
    except OSError:
        return ""  # it has ended, or is another user's
