"""What stands around a sidecar in these tests: a user without a past, and a project with one MCP server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import packages

# Seconds after which a command is taken to hang. None takes more than a few.
HUNG = 120

# What a host says first, in the line framing.
INITIALIZE = (
    json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "runtime/initialize",
            "params": {"protocolVersion": 1, "client": {"name": "test", "version": "1"}, "cwd": "/"},
        }
    )
    + "\n"
).encode()


def surroundings(home: Path) -> dict[str, str]:
    """The whole environment of a command: the tools' PATH, and a home directory nothing was in before.

    PATH leads to no mcp-sidecar.
    """
    places = {"HOME": home, "XDG_CONFIG_HOME": home / "config", "XDG_CACHE_HOME": home / "cache"}
    places |= {"XDG_STATE_HOME": home / "state", "TMPDIR": home}
    path = [
        entry for entry in os.environ["PATH"].split(os.pathsep) if not (Path(entry) / "mcp-sidecar").exists()
    ]
    return {"PATH": os.pathsep.join(path)} | {name: str(place) for name, place in places.items()}


def run(
    command: Sequence[str | Path], directory: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, and keeps what it prints."""
    return subprocess.run(
        command, check=False, cwd=directory, env=environment, capture_output=True, text=True, timeout=HUNG
    )


def users_project(home: Path) -> Path:
    """A user's project, whose .mcp.json names the server `greeter`."""
    directory = home / "project"
    directory.mkdir(exist_ok=True)
    entry = {"command": "node", "args": [str(packages.AGENT / "greeter.mjs")]}
    (directory / ".mcp.json").write_text(json.dumps({"mcpServers": {"greeter": entry}}))
    return directory
