"""A client's README as the registries show it.

There a link to another file of the repository leads nowhere; it must name the repository, at the tag of
the version. Where the repository is, its Go module's path says.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

LINK = re.compile(r"\]\((\.{1,2}/[^)\s]+)\)")


def write_readme(repository: Path, client: str, version: str, directory: Path) -> None:
    """Writes README.md of a client, such as agent/node, into the directory that is packed."""
    text = (repository / client / "README.md").read_text()
    (directory / "README.md").write_text(absolute(text, client, f"{home(repository)}/blob/v{version}"))


def absolute(text: str, folder: str, base: str) -> str:
    """Makes the links that are relative to a folder of the repository absolute."""

    def link(match: re.Match[str]) -> str:
        return f"]({base}/{posixpath.normpath(posixpath.join(folder, match[1]))})"

    return LINK.sub(link, text)


def home(repository: Path) -> str:
    """The address of the repository."""
    module = re.search(r"^module (\S+)", (repository / "go.mod").read_text(), re.MULTILINE)
    if module is None:
        raise SystemExit(f"packages: {repository / 'go.mod'} names no module")
    return f"https://{module[1]}"
