"""Workspace folders, as programs have them and as the wire has them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Union

from .protocol_gen import WorkspaceFolder

Folder = Union[str, "os.PathLike[str]", WorkspaceFolder]
"""A path, or a folder as on the wire. A relative path is one of this process's working directory."""


def absolute(path: str | os.PathLike[str]) -> Path:
    """Gives an absolute path, without following links."""
    return Path(os.path.abspath(path))  # noqa: PTH100  (Path.absolute leaves ".." in it)


def folders_on_the_wire(folders: Sequence[Folder]) -> list[WorkspaceFolder]:
    """Gives the folders of paths. One path, which is a sequence of letters too, is one folder."""
    if isinstance(folders, (str, os.PathLike)):
        folders = [folders]
    return [on_the_wire(folder) for folder in folders]


def on_the_wire(folder: Folder) -> WorkspaceFolder:
    """Gives the folder of a path, and leaves one of the wire as it is."""
    if isinstance(folder, (str, os.PathLike)):
        path = absolute(folder)
        return {"uri": path.as_uri(), "name": path.name or str(path)}
    return folder
