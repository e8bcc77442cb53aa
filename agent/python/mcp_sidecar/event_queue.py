"""EventQueue holds the events that one reader has not read yet, in bounded memory.

Pure. What is unread is merged into a later event of its kind, at the place of the later one, as on the wire:
statuses per server, diagnostics, lists; changes of tools become one difference. Logs are dropped, and
counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import replace
from typing import Final

from .events import DiagnosticsChanged, Event, Log, StatusChanged, ToolsChanged
from .toolset import merged

MAX_LOGS: Final = 256
"""How many unread logs are kept: the last ones."""


class EventQueue:
    """The unread events of one reader, the oldest first."""

    # By what they are merged by. A log is its own.
    _unread: dict[Hashable, Event]
    # The keys of the logs in _unread, the oldest first.
    _logs: deque[int]
    _last_log: int

    def __init__(self) -> None:
        self._unread = {}
        self._logs = deque()
        self._last_log = 0

    def put(self, event: Event) -> None:
        """Adds an event."""
        key = self._key(event)
        former = self._unread.pop(key, None)
        if isinstance(event, ToolsChanged) and isinstance(former, ToolsChanged):
            event = merged(former, event)
            if not (event.added or event.updated or event.removed):
                return
        self._unread[key] = event
        if len(self._logs) > MAX_LOGS:
            self._drop_log()

    def take(self) -> Event | None:
        """Takes the oldest event out. None: there is none."""
        if not self._unread:
            return None
        key = next(iter(self._unread))
        event = self._unread.pop(key)
        if isinstance(event, Log):
            self._logs.popleft()
        return event

    def _key(self, event: Event) -> Hashable:
        if isinstance(event, Log):
            self._last_log += 1
            self._logs.append(self._last_log)
            return self._last_log
        if isinstance(event, StatusChanged):
            return StatusChanged, event.server["name"]
        if isinstance(event, (ToolsChanged, DiagnosticsChanged)):
            return event.__class__.__name__
        # The others are names alone, or Closed: an equal one that comes later tells all that this one does.
        return event

    def _drop_log(self) -> None:
        dropped = self._unread.pop(self._logs.popleft())
        following = self._unread[self._logs[0]]
        assert isinstance(dropped, Log)
        assert isinstance(following, Log)
        self._unread[self._logs[0]] = replace(following, dropped=following.dropped + dropped.dropped + 1)
