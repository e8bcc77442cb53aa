"""The test's end of a transport: the sidecar is the test."""

from __future__ import annotations

from collections import deque

from mcp_sidecar.errors import SidecarClosedError
from mcp_sidecar.transport import TransportListener


class Pipe:
    """A transport without a process."""

    def __init__(self) -> None:
        # What the client has sent and no line has named yet, the oldest first.
        self.sent: deque[str] = deque()
        # The end, when it has come.
        self.ended: SidecarClosedError | None = None
        # Whether the client ended it by force.
        self.forced = False
        self._listener: TransportListener | None = None

    @property
    def peer(self) -> str | None:
        return "the test"

    def listen(self, listener: TransportListener, /) -> None:
        if self._listener is not None:
            raise AssertionError("the client listens twice to one transport")
        self._listener = listener

    def send(self, text: str, /) -> None:
        if self.ended is None:
            self.sent.append(text)

    async def close(self) -> None:
        if self.ended is None:
            self.forced = True
            self.end(None, signal="SIGKILL")

    def deliver(self, text: str) -> None:
        """Gives the client a message. All that it must do at once is done when this returns."""
        if self._listener is None:
            raise AssertionError("the client does not listen to its transport")
        self._listener.message(text)

    def end(self, exit_code: int | None, *, signal: str | None = None) -> None:
        """Ends the sidecar."""
        how = signal if exit_code is None else f"exit code {exit_code}"
        self.ended = SidecarClosedError(f"the sidecar ended: {how}", exit_code=exit_code, signal=signal)
        if self._listener is not None:
            self._listener.closed(self.ended)
