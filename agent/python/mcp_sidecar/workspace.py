"""Workspace folders, as programs have them and as the wire has them."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Union

from .errors import InvalidArgumentError
from .protocol_gen import WorkspaceFolder

Folder = Union[str, "os.PathLike[str]", WorkspaceFolder]
"""A path, or a folder as on the wire. A relative path is one of this process's working directory."""


def absolute(path: str | os.PathLike[str]) -> Path:
    """Gives an absolute path, without following links."""
    return Path(os.path.abspath(path))  # noqa: PTH100  (Path.absolute leaves ".." in it)


def folders_on_the_wire(folders: Sequence[Folder]) -> list[WorkspaceFolder]:
    """Gives the folders. One alone, whose letters or members would be paths, is refused."""
    if isinstance(folders, (str, os.PathLike, Mapping)):
        raise InvalidArgumentError(f"workspace_folders is a list of folders, not {reprlib.repr(folders)}")
    return [on_the_wire(folder) for folder in folders]


def on_the_wire(folder: Folder) -> WorkspaceFolder:
    """Gives the folder of a path, and leaves one of the wire as it is."""
    if isinstance(folder, (str, os.PathLike)):
        path = absolute(folder)
        return {"uri": path.as_uri(), "name": path.name or str(path)}
    return folder
