"""Where the program is: an ordered list of places, each of which says why it is not the one.

1. what the caller names; 2. the environment variable MCP_SIDECAR; 3. the program that comes with this
package, in a wheel for this platform; 4. PATH. A name or a variable that is set and wrong is an error: it is
never skipped, since another program than the one that was meant is worse than none.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from .errors import BinaryNotFoundError, Place
from .workspace import absolute

VARIABLE: Final = "MCP_SIDECAR"
"""The environment variable that names the program."""

_FILE: Final = "mcp-sidecar.exe" if sys.platform == "win32" else "mcp-sidecar"
_BUNDLED: Final = Path(__file__).parent / "bin" / _FILE
_REMEDY: Final = (
    f"Install a wheel of this package for your platform, put {_FILE} into a directory of PATH, "
    f"or name it: Sidecar(binary=...) or {VARIABLE}=..."
)


def find_binary(
    binary: str | os.PathLike[str] | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    bundled: Path = _BUNDLED,
) -> Path:
    """Finds the program, or raises a BinaryNotFoundError that lists every place."""
    looked: list[Place] = []
    # A variable that is empty is one that is not set, as everywhere. An empty option is a mistake.
    named = {"the option binary": binary, f"the variable {VARIABLE}": environ.get(VARIABLE) or None}
    for where, value in named.items():
        if value is None:
            looked.append(Place(where, "is not set"))
            continue
        if os.fspath(value) == "":
            looked.append(Place(where, "is empty"))
            raise BinaryNotFoundError(f"{where} is empty: name a program, or leave it out", looked)
        found = _named(value, environ)
        if isinstance(found, Path):
            return found
        looked.append(Place(f"{where} ({os.fspath(value)})", found))
        raise BinaryNotFoundError(f"{where} names {os.fspath(value)}, which {found}", looked)
    absent = _unusable(bundled)
    if absent is None:
        return bundled
    looked.append(Place(str(bundled), f"{absent} (a wheel for {_machine()} has it)"))
    on_path = _on_path(_FILE, environ)
    if isinstance(on_path, Path):
        return on_path
    looked += on_path
    lines = "".join(f"\n  - {place.where}: {place.why}" for place in looked)
    raise BinaryNotFoundError(
        f"there is no mcp-sidecar to start. These are the places:{lines}\n{_REMEDY}", looked
    )


def _named(value: str | os.PathLike[str], environ: Mapping[str, str]) -> Path | str:
    """Looks at what somebody named, a path or the bare name of a command, and says why it is not usable."""
    if isinstance(value, str) and not os.path.dirname(value):  # noqa: PTH120  (Path("./a") forgets the dot)
        found = _on_path(value, environ)
        return found if isinstance(found, Path) else f"is no path, and as a command {found[0].why}"
    path = absolute(Path(value).expanduser())
    return _unusable(path) or path


def _on_path(name: str, environ: Mapping[str, str]) -> Path | list[Place]:
    """Looks through PATH. The places are those that had something, or PATH as a whole."""
    places: list[Place] = []
    directories = [entry for entry in environ.get("PATH", "").split(os.pathsep) if entry]
    for directory in directories:
        path = absolute(directory) / name
        why = _unusable(path)
        if why is None:
            return path
        if path.exists():
            places.append(Place(str(path), why))
    return places or [Place("PATH", f"is in none of the {len(directories)} directories of PATH")]


def _unusable(path: Path) -> str | None:
    """Says why a file cannot be started, as far as that can be seen."""
    try:
        if not path.exists():
            return "is not there"
        if not path.is_file():
            return "is not a file"
        if not os.access(path, os.X_OK):
            return "is not executable (chmod +x)"
        with path.open("rb") as file:
            beginning = file.read(4096)
    except OSError as error:
        return f"cannot be looked at: {error.strerror}"
    if beginning.startswith(b"#!") and b"mcp_sidecar" in beginning:
        # The console script of this package: it would look here again, for ever.
        return "is the command of this Python package, which starts the program that is looked for here"
    return None


def _machine() -> str:
    return f"{sys.platform} on {platform.machine() or 'an unknown machine'}"
