"""What both examples have in common: the program and the project that they are played with, and the end."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mcp_sidecar import SidecarError
from mcp_sidecar.protocol import Settings

HERE: Final = Path(__file__).resolve().parent

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


def require(happened: bool, what: str) -> None:
    """Ends the example if it did not."""
    if not happened:
        raise DidNotHappenError(f"it did not happen that {what}")


def enact(about: str, play: Callable[[Place], Coroutine[Any, Any, None]], *, slow: float) -> int:
    """Plays an example where the command line says, and gives its exit code."""
    parser = argparse.ArgumentParser(description=about)
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
        "--slow",
        type=float,
        default=slow,
        help=f"seconds that the server files takes to start (default: {slow:g})",
    )
    arguments = parser.parse_args()
    place = Place(arguments.sidecar, arguments.project.resolve(), arguments.slow)
    try:
        if not (place.project / "node_modules").is_dir():
            raise DidNotHappenError(
                f"{place.project} has no servers yet: npm ci --ignore-scripts, in that directory"
            )
        asyncio.run(play(place))
    except (DidNotHappenError, SidecarError, RuntimeError) as error:
        print(f"agent: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
