"""One version for everything that is published, or a sentence that says who disagrees.

A number is written where the language wants it: in each client's manifest and that of the VS Code
extension, and in a client's source, from which the client tells the sidecar who it is.
"""

from __future__ import annotations

import re
from pathlib import Path

# Where each place writes it: the first match is the version.
PLACES = {
    "agent/node/package.json": r'^  "version": "([^"]+)"',
    "agent/node/src/version.ts": r'^export const VERSION = "([^"]+)"',
    "agent/python/pyproject.toml": r'^version = "([^"]+)"',
    "editor/vscode/package.json": r'^  "version": "([^"]+)"',
    "agent/python/mcp_sidecar/version.py": r'^VERSION(?:: \w+)? = "([^"]+)"',
}


def the_version(repository: Path) -> str:
    """The version all places agree on."""
    return agreed({place: found(repository / place, pattern) for place, pattern in PLACES.items()})


def found(file: Path, pattern: str) -> str:
    """The version that a file gives."""
    if match := re.search(pattern, file.read_text(), re.MULTILINE):
        return match[1]
    raise SystemExit(f"packages: {file}: no version found, by the pattern {pattern}")


def agreed(versions: dict[str, str]) -> str:
    """The one version of all places."""
    if len(set(versions.values())) > 1:
        said = ", ".join(f"{place} says {version}" for place, version in versions.items())
        raise SystemExit(f"packages: the versions differ: {said}. Write the same one in all of them")
    (version,) = set(versions.values())
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise SystemExit(
            f"packages: version {version} is not three numbers, which all registries write alike"
        )
    return version
