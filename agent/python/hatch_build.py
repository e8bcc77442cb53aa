"""Puts the mcp-sidecar binary of a platform into the wheel, if one is given.

Two environment variables, which `make packages` sets, turn the pure wheel into a platform's:

    MCP_SIDECAR_WHEEL_BINARY    the binary, an executable file
    MCP_SIDECAR_WHEEL_PLATFORM  the platform tags of the wheel, such as win_amd64

Without them the wheel is pure Python and fits every platform; the client then looks for the program
on PATH. So it is for a source distribution, a checkout and an editable installation.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BINARY = "MCP_SIDECAR_WHEEL_BINARY"
PLATFORM = "MCP_SIDECAR_WHEEL_PLATFORM"


class BinaryHook(BuildHookInterface[Any]):
    """What hatchling calls before it writes an archive."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the binary to a wheel, and says in its tags for whom it is."""
        binary, platform = os.environ.get(BINARY, ""), os.environ.get(PLATFORM, "")
        if self.target_name != "wheel" or version == "editable" or not (binary or platform):
            return
        if not (binary and platform):
            raise ValueError(f"{BINARY} and {PLATFORM} belong together: only one of them is set")
        if not os.access(binary, os.X_OK):
            raise ValueError(f"{BINARY}={binary}: there is no executable file")
        name = "mcp-sidecar.exe" if platform.startswith("win") else "mcp-sidecar"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][binary] = f"mcp_sidecar/bin/{name}"
