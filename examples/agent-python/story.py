"""How the example is told: a line an event, each with its time since the start of the sidecar.

It also remembers what it told, so that one can see whether everything has happened.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from mcp_sidecar import CallOutcome, Event, Sidecar, StatusChanged, Tool, ToolsChanged
from mcp_sidecar.protocol import ProgressValue, Server


class Story:
    """One session, as it is told."""

    def __init__(self, title: str, who: str = "") -> None:
        shown = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self._bold, self._dim, self._plain = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if shown else ("", "", "")
        # Stands before each line of one of many who tell at the same time.
        self._who = f"{who:5} | " if who else ""
        self._started = time.monotonic()
        self._ready: set[str] = set()
        # The names of the tools in each request to the model.
        self.requests: list[list[str]] = []
        # How often a tool told how far it is.
        self.steps = 0
        # The servers whose tools came by push, after the session was open.
        self.pushed: set[str] = set()
        # How each tool was called, by its server's name for it.
        self.outcomes: dict[str, CallOutcome] = {}
        self._say(f"{self._bold}{title}{self._plain}", before="" if who else "\n")

    def _say(self, text: str, before: str = "") -> None:
        # In one piece: others may write to the same place.
        sys.stdout.write(f"{before}{self._who}{text}".rstrip() + "\n")
        sys.stdout.flush()

    def line(self, mark: str, what: str, about: str) -> None:
        """Tells one event; mark says which way it went."""
        milliseconds = (time.monotonic() - self._started) * 1000
        time_ = f"{self._dim}{milliseconds:6.0f} ms{self._plain}"
        self._say(f"{time_}  {mark:2} {self._bold}{what:15}{self._plain} {about}")

    def detail(self, text: str) -> None:
        """Tells more of the event before."""
        self._say(f"{'':30}{text}")

    def opens(self, sidecar: Sidecar) -> None:
        """The sidecar has answered at the gate."""
        live = sum(tool["state"] == "live" for tool in sidecar.tools)
        about = f"{tools(sidecar.tools)}: {live} live, {len(sidecar.tools) - live} deferred"
        self.line("<-", "session open", about if sidecar.tools else "no tools yet")
        for server in sidecar.servers:
            self.detail(described(server))

    async def listens(self, events: AsyncIterator[Event]) -> None:
        """Tells what the sidecar pushes. It ends with the session."""
        async for event in events:
            if isinstance(event, ToolsChanged):
                self.pushed.update(event.servers)
                counts = f"{len(event.added)} added, {len(event.removed)} removed"
                why = f"{event.reason}: {', '.join(event.servers)}"
                self.line("<-", "tools changed", f"{counts} ({why}): {tools(event.tools)} now")
            elif isinstance(event, StatusChanged) and event.server["phase"] in ("ready", "failed"):
                self.line("<-", "server", described(event.server))

    def asks(self, names: list[str]) -> None:
        """The model is asked, with these tools."""
        new = len(set(names) - set(self.requests[-1])) if self.requests else 0
        self.requests.append(names)
        more = f", {new} of them new" if new else ""
        self.line("->", "model", f"request {len(self.requests)}, with {tools(names)}{more}")

    def is_told_to_call(self, calls: Sequence[Any]) -> None:
        """The model wants tools to be called."""
        for call in calls:
            self.line("<-", "model", f"call {call.function.name} {call.function.arguments}")

    def progresses(self, value: ProgressValue) -> None:
        """A tool says how far it is."""
        self.steps += 1
        self.line("..", "progress", f"{value['progress']} of {value.get('total', '?')}")

    def answers(self, outcome: CallOutcome) -> None:
        """A tool has answered."""
        details = outcome["details"]
        self.outcomes[details["tool"]] = outcome
        waited = f", after {details['waitedMs']} ms of waiting for its server" if details["deferred"] else ""
        name = f"{details['server']}/{details['tool']}"
        self.line("<-", "tool", f"{name} took {details['durationMs']} ms{waited}")
        for block in outcome["result"].get("content", []):
            for text in block.get("text", "").splitlines():
                self.detail(text)


class Told:
    """A source of tools whose calls are told: any object with `tools` and `call` will do for the adapters.

    This would also be the place to ask the user first, or to leave tools out.
    """

    def __init__(self, sidecar: Sidecar, story: Story) -> None:
        self._sidecar = sidecar
        self._story = story

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The sidecar's, at this moment."""
        return self._sidecar.tools

    async def call(
        self,
        tool: str | tuple[str, str],
        args: Mapping[str, Any] | str | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[ProgressValue], object] | None = None,
        max_bytes: int | None = None,
    ) -> CallOutcome:
        """Calls a tool of the sidecar's."""
        outcome = await self._sidecar.call(
            tool, args, timeout=timeout, on_progress=on_progress, max_bytes=max_bytes
        )
        self._story.answers(outcome)
        return outcome


def tools(of: Sequence[object]) -> str:
    """How many they are, in words."""
    return "1 tool" if len(of) == 1 else f"{len(of)} tools"


def described(server: Server) -> str:
    """A server, in a line."""
    count, origin = server["tools"]["count"], server["tools"]["from"]
    about = {"live": f"{count} live", "cache": f"{count} deferred", "none": "no tools"}.get(origin, origin)
    text = f"{server['name']:11} {server['phase']:13} {about}"
    return f"{text}: {server['error']['message']}" if "error" in server else text
