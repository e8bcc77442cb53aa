"""The endpoint of a session that is shared: a secret, which lets in whoever has it.

It is handed on in the environment, and no text that is made here has it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from .errors import InvalidArgumentError, SidecarError

ENDPOINT: Final = "MCP_SIDECAR_ENDPOINT"
"""The environment variable that has it."""


def find_endpoint(endpoint: str | None, added: Mapping[str, str | None] | None) -> str:
    """Gives the endpoint that the caller names, or else that of the environment and what is added to it."""
    if endpoint is None:
        # A variable that is empty is one that is not set.
        found = {**os.environ, **(added or {})}.get(ENDPOINT)
        if not found:
            raise SidecarError(
                f"there is no session to join: {ENDPOINT} is not set. The program that shares its session "
                "sets it, for those that it starts, to what its sidecar.share() gives."
            )
        if "\0" in found:  # of env: that of a process has none
            raise InvalidArgumentError(f"env: {ENDPOINT} is not what share() gives")
        return found
    if not isinstance(endpoint, str):
        raise InvalidArgumentError(f"endpoint is the str that share() gives, not a {type(endpoint).__name__}")
    if not endpoint or "\0" in endpoint:
        raise InvalidArgumentError(
            "endpoint is not what share() gives; left out, it is that of the environment"
        )
    return endpoint
