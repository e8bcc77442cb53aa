"""The set of tools is true, whatever is told in whatever order: that is the rule of PROTOCOL.md."""

from __future__ import annotations

import unittest
from typing import Any

from mcp_sidecar.events import ToolsChanged
from mcp_sidecar.mcp import Tool
from mcp_sidecar.toolset import Step, ToolSet, diagnostics, merged, snapshot, status
from mcp_sidecar.toolset import push as apply

from . import records
from .records import push, server, tool


def known(revision: int, *tools: Tool, **members: Any) -> ToolSet:
    return snapshot(ToolSet(), records.snapshot(revision, *tools, **members), "snapshot").now


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [tool["name"] for tool in tools]


def change(step: Step) -> ToolsChanged:
    assert step.change is not None
    return step.change


class APush(unittest.TestCase):
    def test_that_is_not_newer_is_ignored(self) -> None:
        before = known(3, tool("a"))
        for told in (push(2, 3, added=(tool("b"),)), push(1, 2, added=(tool("b"),))):
            self.assertEqual(apply(before, told), Step(before))

    def test_that_follows_is_applied_whole(self) -> None:
        before = known(3, tool("a"), tool("c"), tool("d"))
        told = push(
            3,
            5,
            added=(tool("b"),),
            updated=(tool("c", title="new"),),
            removed=("d", "gone before"),
            reason="reload",
        )
        step = apply(before, told)
        self.assertEqual(step.now.tools, (tool("a"), tool("b"), tool("c", title="new")))
        self.assertEqual((step.now.revision, step.now.hash, step.gap), (5, "pushed 5", False))
        self.assertEqual(
            step.change,
            ToolsChanged(
                tools=step.now.tools,
                added=(tool("b"),),
                updated=(tool("c", title="new"),),
                removed=("d", "gone before"),
                servers=("s",),
                reason="reload",
                revision=5,
                hash="pushed 5",
            ),
        )

    def test_that_leaves_something_out_is_a_gap(self) -> None:
        before = known(3, tool("a"))
        for told in (push(4, 5, added=(tool("b"),)), push(2, 5, added=(tool("b"),))):
            self.assertEqual(apply(before, told), Step(before, gap=True))

    def test_is_applied_to_nothing_after_a_cancelled_initialize(self) -> None:
        step = apply(ToolSet(), push(0, 1, added=(tool("a"),)))
        self.assertEqual(names(step.now.tools), ["a"])
        self.assertEqual(names(change(step).added), ["a"])

    def test_changes_nothing_that_was_given_out(self) -> None:
        before = known(1, tool("a"))
        tools = before.tools
        apply(before, push(1, 2, added=(tool("b"),), removed=("a",)))
        self.assertEqual((names(tools), names(before.tools)), (["a"], ["a"]))


class WhatIsEqual(unittest.TestCase):
    """It stays the very same, for those who ask with `is` whether anything changed."""

    def setUp(self) -> None:
        told: dict[str, Any] = {
            "servers": (server("s"), server("t")),
            "errors": [records.diagnostic("x")],
            "exaApiKeys": ["k"],
        }
        self.again = records.snapshot(1, tool("a"), tool("b", minimum=1), **told)
        self.before = known(1, tool("a"), tool("b", minimum=1), **told)

    def same(self, now: ToolSet, *but: str) -> None:
        for part in ("tools", "servers", "errors", "exa_api_keys"):
            check = self.assertIsNot if part in but else self.assertIs
            check(getattr(now, part), getattr(self.before, part), part)

    def test_in_a_snapshot(self) -> None:
        self.same(snapshot(self.before, self.again, "snapshot").now)

    def test_in_a_push(self) -> None:
        self.same(apply(self.before, push(1, 2, updated=(tool("a"),))).now)
        self.same(apply(self.before, push(1, 2, added=(tool("c"),))).now, "tools")

    def test_in_a_status(self) -> None:
        self.same(status(self.before, server("s")))
        self.same(status(self.before, server("s", "backoff")), "servers")

    def test_in_diagnostics(self) -> None:
        self.same(diagnostics(self.before, [records.diagnostic("x")]))
        self.same(diagnostics(self.before, []), "errors")

    def test_beside_what_is_another(self) -> None:
        now = snapshot(self.before, records.snapshot(2, tool("a"), tool("b", minimum=True)), "reload").now
        self.assertIs(now.tools[0], self.before.tools[0])
        self.assertIs(now.tools[1]["definition"]["minimum"], True)  # type: ignore[typeddict-item]


class ASnapshot(unittest.TestCase):
    def test_is_taken_whole_and_sorted(self) -> None:
        told = records.snapshot(
            1,
            tool("b"),
            tool("a"),
            servers=(server("t"), server("s")),
            errors=[records.diagnostic("x")],
            exaApiKeys=["k"],
        )
        now = snapshot(ToolSet(), told, "snapshot").now
        self.assertEqual(names(now.tools), ["a", "b"])
        self.assertEqual([server["name"] for server in now.servers], ["s", "t"])
        self.assertEqual((now.errors, now.exa_api_keys), ((records.diagnostic("x"),), ("k",)))

    def test_the_first_is_no_change(self) -> None:
        self.assertIsNone(snapshot(ToolSet(), records.snapshot(1, tool("a")), "snapshot").change)

    def test_that_is_older_is_not_taken(self) -> None:
        before = known(3, tool("a"))
        self.assertEqual(snapshot(before, records.snapshot(2, tool("b")), "reload"), Step(before))

    def test_of_the_same_revision_is_newer_in_all_but_the_tools(self) -> None:
        before = known(3, tool("a"), servers=(server("s"),))
        told = records.snapshot(3, tool("a", state="deferred"), servers=(server("s", "backoff", "cache"),))
        step = snapshot(before, told, "snapshot")
        self.assertEqual(step.now.tools[0]["state"], "deferred")
        self.assertEqual(step.now.servers[0]["phase"], "backoff")
        self.assertIsNone(step.change)

    def test_tells_the_difference(self) -> None:
        before = known(3, tool("a"), tool("b", "t"), tool("c", "u"), tool("d", "v"))
        told = records.snapshot(
            7, tool("a", state="deferred"), tool("b", "t", title="new"), tool("d", "w"), tool("e", "x")
        )
        told_change = change(snapshot(before, told, "configure"))
        self.assertEqual(names(told_change.added), ["e"])
        self.assertEqual(names(told_change.updated), ["b", "d"])
        self.assertEqual(told_change.removed, ("c",))
        self.assertEqual(told_change.servers, ("t", "u", "v", "w", "x"))
        self.assertEqual((told_change.reason, told_change.revision), ("configure", 7))
        self.assertEqual(names(told_change.tools), ["a", "b", "d", "e"])

    def test_true_is_not_one_and_one_is_not_one_point_zero(self) -> None:
        values: list[Any] = [True, 1, 1.0]
        for old in values:
            for new in values:
                before = known(1, tool("a", default=old))
                step = snapshot(before, records.snapshot(2, tool("a", default=new)), "reload")
                with self.subTest(old=old, new=new):
                    self.assertEqual(step.change is not None, repr(old) != repr(new))

    def test_of_a_set_that_came_back_is_no_change(self) -> None:
        step = snapshot(known(1, tool("a")), records.snapshot(3, tool("a")), "reload")
        self.assertEqual((step.now.revision, step.change), (3, None))


class AStatus(unittest.TestCase):
    def test_replaces_the_record_of_its_server(self) -> None:
        before = known(1, servers=(server("a"), server("b")))
        now = status(before, server("b", "failed", "none"))
        self.assertEqual([(s["name"], s["phase"]) for s in now.servers], [("a", "ready"), ("b", "failed")])

    def test_adds_a_server_in_its_place(self) -> None:
        now = status(known(1, servers=(server("b"),)), server("a", "starting"))
        self.assertEqual([s["name"] for s in now.servers], ["a", "b"])

    def test_removed_is_the_last(self) -> None:
        now = status(known(1, servers=(server("a"), server("b"))), server("a", "removed", "none"))
        self.assertEqual([s["name"] for s in now.servers], ["b"])
        self.assertEqual(status(now, server("a", "removed", "none")).servers, now.servers)

    def test_tells_the_state_of_its_tools_alone(self) -> None:
        before = known(1, tool("a", "s", "deferred"), tool("b", "t", "deferred"))
        live = status(before, server("s", "ready", "live"))
        self.assertEqual([t["state"] for t in live.tools], ["live", "deferred"])
        self.assertEqual([t["state"] for t in before.tools], ["deferred", "deferred"])
        back = status(live, server("s", "backoff", "cache"))
        self.assertEqual([t["state"] for t in back.tools], ["deferred", "deferred"])
        self.assertEqual((back.revision, back.hash), (before.revision, before.hash))

    def test_leaves_the_tuple_of_tools_alone_if_no_state_changes(self) -> None:
        before = known(1, tool("a", "s", "live"))
        self.assertIs(status(before, server("s", "ready", "live")).tools, before.tools)
        self.assertIs(status(before, server("s", "stopped", "none")).tools, before.tools)
        self.assertIs(status(before, server("t", "ready", "live")).tools, before.tools)


class Diagnostics(unittest.TestCase):
    def test_are_the_whole_list(self) -> None:
        before = diagnostics(known(1), [records.diagnostic("a"), records.diagnostic("b")])
        self.assertEqual([d["error"] for d in before.errors], ["a", "b"])
        self.assertEqual(diagnostics(before, []).errors, ())


class TwoChangesAsOne(unittest.TestCase):
    """For each: what comes of it is what the two do one after the other."""

    OLD = (tool("a"), tool("b"), tool("c"))

    def merge(self, first: Any, second: Any) -> ToolsChanged:
        one = apply(known(1, *self.OLD), push(1, 2, **first))
        two = apply(one.now, push(2, 3, **second))
        result = merged(change(one), change(two))
        # Applied to what was before, it gives what is after.
        again = apply(
            known(1, *self.OLD),
            push(1, 3, added=result.added, updated=result.updated, removed=result.removed),
        )
        self.assertEqual(again.now.tools, two.now.tools)
        self.assertEqual((result.tools, result.revision, result.hash), (two.now.tools, 3, "pushed 3"))
        return result

    def check(
        self,
        first: Any,
        second: Any,
        added: tuple[Tool, ...],
        updated: tuple[Tool, ...],
        removed: tuple[str, ...],
    ) -> None:
        result = self.merge(first, second)
        self.assertEqual((result.added, result.updated, result.removed), (added, updated, removed))

    def test_apart(self) -> None:
        first = {"added": (tool("x"),), "updated": (tool("a", n=1),)}
        second = {"added": (tool("w"),), "removed": ("b",)}
        self.check(first, second, (tool("w"), tool("x")), (tool("a", n=1),), ("b",))

    def test_added_then_removed_is_nothing(self) -> None:
        self.check({"added": (tool("x"),)}, {"removed": ("x",)}, (), (), ())

    def test_added_then_updated_is_added(self) -> None:
        self.check({"added": (tool("x"),)}, {"updated": (tool("x", n=2),)}, (tool("x", n=2),), (), ())

    def test_updated_then_removed_is_removed(self) -> None:
        self.check({"updated": (tool("a", n=1),)}, {"removed": ("a",)}, (), (), ("a",))

    def test_updated_twice_is_the_last(self) -> None:
        self.check({"updated": (tool("a", n=1),)}, {"updated": (tool("a", n=2),)}, (), (tool("a", n=2),), ())

    def test_removed_then_added_is_updated(self) -> None:
        self.check({"removed": ("a",)}, {"added": (tool("a", n=2),)}, (), (tool("a", n=2),), ())

    def test_the_servers_are_those_of_both_and_the_reason_is_the_last(self) -> None:
        result = self.merge(
            {"added": (tool("x", "t"),), "reason": "connected"},
            {"added": (tool("y", "r"),), "reason": "listChanged"},
        )
        self.assertEqual((result.servers, result.reason), (("r", "t"), "listChanged"))


if __name__ == "__main__":
    unittest.main()
