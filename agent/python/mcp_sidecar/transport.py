"""A Transport carries whole JSON-RPC messages, as JSON texts, to one sidecar and back.

How they are framed, and whether a process, a socket or a test is at the other end, is the transport's own
affair. Everything here happens in the event loop of the client that the transport was given to.
"""

from __future__ import annotations

from typing import Protocol

from .errors import SidecarClosedError


class TransportListener(Protocol):
    """The one who reads a transport: the client that it was given to."""

    def message(self, text: str, /) -> None:
        """Takes one whole JSON text. Messages come in the order in which they were sent."""

    def closed(self, reason: SidecarClosedError, /) -> None:
        """Comes exactly once, and nothing comes after it."""


class Transport(Protocol):
    """A way to one sidecar. It belongs to the one client that it was given to."""

    @property
    def peer(self) -> str | None:
        """Says what is at the other end, for the texts of errors: the path of a program, an address."""

    def listen(self, listener: TransportListener, /) -> None:
        """Is called once, before anything can arrive, and not necessarily while an event loop runs."""

    def send(self, text: str, /) -> None:
        """Takes one JSON text, which may contain line breaks.

        It neither raises nor waits. What is sent after the end is dropped.
        """

    async def close(self) -> None:
        """Ends it by force, and returns when it is gone. It never raises, and may be called again."""
