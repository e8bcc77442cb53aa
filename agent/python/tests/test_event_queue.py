"""One who does not read is told everything that counts, and costs little."""

from __future__ import annotations

import unittest
from typing import Any

from mcp_sidecar import (
    Closed,
    DiagnosticsChanged,
    Event,
    Log,
    ResourcesChanged,
    ResourceUpdated,
    SidecarClosedError,
    StatusChanged,
    ToolsChanged,
)
from mcp_sidecar.event_queue import MAX_LOGS, EventQueue

from .records import diagnostic, server, tool


def changed(revision: int, **difference: Any) -> ToolsChanged:
    empty: dict[str, Any] = {"tools": (), "added": (), "updated": (), "removed": ()}
    return ToolsChanged(
        **{**empty, **difference}, servers=("s",), reason="connected", revision=revision, hash="h"
    )


def read(*events: Event) -> list[Event]:
    queue = EventQueue()
    for event in events:
        queue.put(event)
    return drained(queue)


def drained(queue: EventQueue) -> list[Event]:
    events = []
    while (event := queue.take()) is not None:
        events.append(event)
    return events


class UnreadEvents(unittest.TestCase):
    def test_come_in_order(self) -> None:
        events: list[Event] = [
            Log("info", "one", None),
            StatusChanged(server("a")),
            Log("info", "two", None),
            DiagnosticsChanged(()),
            changed(2, added=(tool("x"),)),
        ]
        self.assertEqual(read(*events), events)

    def test_statuses_are_merged_per_server_at_the_place_of_the_last(self) -> None:
        a1, a2, b = (
            StatusChanged(server("a", "starting")),
            StatusChanged(server("a", "ready")),
            StatusChanged(server("b")),
        )
        self.assertEqual(read(a1, b, a2), [b, a2])

    def test_diagnostics_are_the_last_list(self) -> None:
        last = DiagnosticsChanged((diagnostic("b"),))
        self.assertEqual(read(DiagnosticsChanged((diagnostic("a"),)), last), [last])

    def test_changes_of_tools_are_one_difference(self) -> None:
        [event] = read(changed(2, added=(tool("x"), tool("y"))), changed(3, removed=("x", "z")))
        assert isinstance(event, ToolsChanged)
        self.assertEqual((event.added, event.removed, event.revision), ((tool("y"),), ("z",), 3))

    def test_changes_that_undo_each_other_are_none(self) -> None:
        self.assertEqual(read(changed(2, added=(tool("x"),)), changed(3, removed=("x",))), [])

    def test_what_was_read_is_merged_with_nothing(self) -> None:
        queue = EventQueue()
        for revision in (2, 3):
            queue.put(changed(revision, added=(tool("x"),)))
            self.assertEqual(len(drained(queue)), 1)

    def test_lists_are_told_once_per_server_and_resource(self) -> None:
        self.assertEqual(
            read(
                ResourcesChanged("a"),
                ResourceUpdated("a", "u"),
                ResourcesChanged("a"),
                ResourceUpdated("a", "v"),
            ),
            [ResourceUpdated("a", "u"), ResourcesChanged("a"), ResourceUpdated("a", "v")],
        )

    def test_the_oldest_logs_are_dropped_and_counted(self) -> None:
        closed = Closed(SidecarClosedError("over"))
        logs = [Log("info", str(number), None) for number in range(MAX_LOGS + 10)]
        events = read(StatusChanged(server("a")), *logs, closed)
        self.assertEqual(events[0], StatusChanged(server("a")))
        self.assertEqual(events[1], Log("info", "10", None, dropped=10))
        self.assertEqual(events[2:-1], logs[11:])
        self.assertEqual(events[-1], closed)

    def test_the_count_of_dropped_logs_starts_anew_when_it_was_told(self) -> None:
        queue = EventQueue()
        for number in range(MAX_LOGS + 2):
            queue.put(Log("info", str(number), None))
        self.assertEqual(queue.take(), Log("info", "2", None, dropped=2))
        queue.put(Log("info", "after", None))
        self.assertEqual(queue.take(), Log("info", "3", None))
        self.assertEqual(len(drained(queue)), MAX_LOGS - 1)


if __name__ == "__main__":
    unittest.main()
