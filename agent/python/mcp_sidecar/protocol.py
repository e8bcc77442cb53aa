"""Types, method names and error codes of the protocol, all of them, as they are generated from its source.

>>> from mcp_sidecar.protocol import CODE_UNKNOWN_TOOL, Server
"""

from __future__ import annotations

from .protocol_gen import *  # noqa: F403
