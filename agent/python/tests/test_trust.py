"""What the files of a project name is started when the handler ``approve`` says so, and not before."""

from __future__ import annotations

import asyncio
import json
import shlex
import threading
import unittest
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from mcp_sidecar import Handlers, ResponseError, Sidecar, SyncSidecar
from mcp_sidecar.protocol import CODE_UNTRUSTED, ApproveParams, Decision, ServerConfig

from .patience import PATIENCE
from .world import AsyncWorldCase, WorldCase, fake, until

DECISIONS: Final[dict[str, Decision]] = {"yes": "allow", "no": "deny", "perhaps": "later"}


class ProjectCase(WorldCase):
    """A test whose project names servers. Each writes a line whenever it is started."""

    @property
    def file(self) -> Path:
        return self.project / ".mcp.json"

    def names(self, **servers: list[str]) -> None:
        """Has the project's file name these servers alone, by their arguments. Each has a tool "x"."""
        entries = {name: self.entry(name, arguments) for name, arguments in servers.items()}
        self.file.write_text(json.dumps({"mcpServers": entries}))

    def entry(self, name: str, arguments: list[str]) -> ServerConfig:
        script = self.root / f"{name}.script"
        script.write_text("tool x\n")
        program = self.root / f"start-{name}"
        trace = shlex.quote(str(self.trace(name)))
        command = shlex.join([str(fake()), str(script)])
        program.write_text(f"#!/bin/sh\necho >> {trace}\nexec {command}\n")
        program.chmod(0o755)
        return {"command": str(program), "args": arguments, "env": {"KEY": "${SOME_KEY}"}}

    def started(self, *names: str) -> list[int]:
        """How often these servers were started."""
        traces = [self.trace(name) for name in names]
        return [len(trace.read_text()) if trace.exists() else 0 for trace in traces]

    def trace(self, name: str) -> Path:
        return self.root / f"trace-{name}"

    def asking(self, approve: Callable[[ApproveParams], Any]) -> dict[str, Any]:
        """The options of a sidecar that has a server of its host's beside those of the project."""
        return self.options({"own": self.script("tool x\n", "own")}, handlers=Handlers(approve=approve))


class User:
    """Decides by the names of servers, and keeps what it was asked."""

    def __init__(self, decisions: dict[str, Decision] | None = None) -> None:
        self.decisions = decisions or {}
        self.questions: asyncio.Queue[ApproveParams] = asyncio.Queue()

    def approve(self, question: ApproveParams) -> dict[str, Decision]:
        self.questions.put_nowait(question)
        return self.decisions

    async def about(self) -> list[str]:
        """The servers of the next question."""
        return [server["name"] for server in (await self.questions.get())["servers"]]


def phases(sidecar: Sidecar | SyncSidecar) -> dict[str, str]:
    return {server["name"]: server["phase"] for server in sidecar.servers}


def tools(sidecar: Sidecar | SyncSidecar) -> list[str]:
    return [tool["name"] for tool in sidecar.tools]


async def decided(sidecar: Sidecar) -> None:
    """Waits until DECISIONS are carried out."""
    await until(sidecar, lambda: "mcp_yes_x" in tools(sidecar))


class Approving(ProjectCase, AsyncWorldCase):
    async def test_one_question_shows_all_servers_before_anything_of_them_runs(self) -> None:
        self.names(a=["--flag"], b=[])
        user = User()
        async with Sidecar(**self.asking(user.approve)):
            a, b = (await user.questions.get())["servers"]
            self.assertEqual(self.started("a", "b"), [0, 0])
        self.assertEqual(
            {name: value for name, value in a.items() if name not in ("hash", "providerName")},
            {
                "name": "a",
                "path": str(self.file),
                "project": str(self.project),
                "line": 1,
                "column": 22,
                "provider": "claude",
                "command": str(self.root / "start-a"),
                "args": ["--flag"],
                "env": {"KEY": "${SOME_KEY}"},
                "uses": ["${SOME_KEY}"],
            },
        )
        self.assertEqual(b["name"], "b")
        self.assertTrue(a["hash"])
        self.assertEqual(self.started("a", "b"), [0, 0])

    async def test_what_is_allowed_comes_what_is_denied_goes_and_what_is_put_off_waits(self) -> None:
        self.names(yes=[], no=[], perhaps=[])
        user = User(DECISIONS)
        async with Sidecar(**self.asking(user.approve)) as sidecar:
            await decided(sidecar)
            self.assertEqual(phases(sidecar), {"own": "ready", "perhaps": "untrusted", "yes": "ready"})
            self.assertEqual(tools(sidecar), ["mcp_own_x", "mcp_yes_x"])
            self.assertNotIn("isError", (await sidecar.call("mcp_yes_x"))["result"])
            for refused in (sidecar.connect("perhaps"), sidecar.call(("perhaps", "x"))):
                with self.assertRaises(ResponseError) as raised:
                    await refused
                self.assertEqual(raised.exception.code, CODE_UNTRUSTED)
            self.assertIn("mcp-sidecar trust allow perhaps", sidecar.servers[1]["error"]["hint"])
            self.assertEqual(await user.about(), ["no", "perhaps", "yes"])
            self.assertTrue(user.questions.empty())
        self.assertEqual(self.started("yes", "no", "perhaps"), [1, 0, 0])

    async def test_what_was_put_off_is_asked_about_again_by_a_full_reload_and_by_no_other(self) -> None:
        self.names(yes=[], no=[], perhaps=[])
        user = User(DECISIONS)
        async with Sidecar(**self.asking(user.approve)) as sidecar:
            await decided(sidecar)
            await user.about()
            await sidecar.reload("changed")
            self.assertTrue(user.questions.empty())
            await sidecar.reload()
            self.assertEqual(await user.about(), ["perhaps"])

    async def test_a_decision_holds_for_later_sessions_until_the_entry_is_another_one(self) -> None:
        self.names(yes=[], no=[], perhaps=[])
        async with Sidecar(**self.asking(User(DECISIONS).approve)) as sidecar:
            await decided(sidecar)
        user = User()
        async with Sidecar(**self.asking(user.approve)) as sidecar:
            self.assertEqual(tools(sidecar), ["mcp_own_x", "mcp_yes_x"])
            self.assertEqual(await user.about(), ["perhaps"])
            self.names(yes=["more"], no=["more"], perhaps=[])
            self.assertEqual(await user.about(), ["no", "yes"])
            await until(sidecar, lambda: tools(sidecar) == ["mcp_own_x"])
            waiting = dict.fromkeys(("no", "perhaps", "yes"), "untrusted")
            self.assertEqual(phases(sidecar), {"own": "ready", **waiting})
        self.assertEqual(self.started("yes", "no", "perhaps"), [2, 0, 0])

    async def test_the_host_decides_by_itself_too_about_what_trust_list_has(self) -> None:
        self.names(a=[])
        async with Sidecar(**self.asking(User().approve)) as sidecar:
            [a] = (await sidecar.request("trust/list", {}))["servers"]
            self.assertNotIn("decision", a)
            await sidecar.request("trust/allow", {"server": "a", "hash": a["hash"]})
            await until(sidecar, lambda: "mcp_a_x" in tools(sidecar))
            [a] = (await sidecar.request("trust/list", {}))["servers"]
            self.assertEqual(a["decision"], "allow")
            await sidecar.request("trust/revoke", {"server": "a", "hash": a["hash"]})
            self.assertEqual(phases(sidecar), {"a": "untrusted", "own": "ready"})
            self.assertEqual(tools(sidecar), ["mcp_own_x"])
            await sidecar.request("trust/deny", {"server": "a", "hash": a["hash"]})
            self.assertEqual(phases(sidecar), {"own": "ready"})

    async def test_a_handler_that_never_answers_holds_up_nothing_and_learns_of_the_end(self) -> None:
        self.names(a=[])
        asked, withdrawn = asyncio.Event(), asyncio.Event()

        async def approve(_: ApproveParams) -> None:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                withdrawn.set()

        async with Sidecar(**self.asking(approve)) as sidecar:
            await asked.wait()
            self.assertNotIn("isError", (await sidecar.call("mcp_own_x"))["result"])
            self.assertEqual((await sidecar.wait())["connected"], ["own"])
            self.assertEqual(len((await sidecar.reload("changed"))["tools"]), 1)
            self.assertFalse(withdrawn.is_set())
        await withdrawn.wait()
        self.assertEqual(self.started("a"), [0])

    async def test_a_server_that_a_file_has_got_meanwhile_is_asked_about_until_it_has_left(self) -> None:
        user = User(DECISIONS)
        withdrawn = asyncio.Event()

        async def approve(question: ApproveParams) -> dict[str, Decision]:
            decisions = user.approve(question)
            if question["servers"][0]["name"] == "open":
                try:
                    await asyncio.Event().wait()
                finally:
                    withdrawn.set()
            return decisions

        async with Sidecar(**self.asking(approve)) as sidecar:
            self.assertEqual(phases(sidecar), {"own": "ready"})
            self.names(yes=[])
            await decided(sidecar)
            self.names(yes=[], open=[])
            self.assertEqual([await user.about(), await user.about()], [["yes"], ["open"]])
            self.file.unlink()
            await withdrawn.wait()
            await until(sidecar, lambda: phases(sidecar) == {"own": "ready"})
        self.assertEqual(self.started("yes", "open"), [1, 0])


class Blocking(ProjectCase):
    def test_a_handler_that_blocks_decides_too(self) -> None:
        self.names(yes=[], no=[], perhaps=[])
        asked: SimpleQueue[str] = SimpleQueue()

        def approve(question: ApproveParams) -> dict[str, Decision]:
            asked.put(threading.current_thread().name)
            return DECISIONS

        sidecar = SyncSidecar(**self.asking(approve))
        events = sidecar.events()
        with sidecar:
            while "mcp_yes_x" not in tools(sidecar):
                next(events)
            self.assertEqual(phases(sidecar), {"own": "ready", "perhaps": "untrusted", "yes": "ready"})
        self.assertEqual(asked.get(timeout=PATIENCE), "mcp-sidecar handler")
        self.assertEqual(self.started("yes", "no", "perhaps"), [1, 0, 0])

    def test_one_that_blocks_for_ever_holds_up_nothing(self) -> None:
        self.names(a=[])
        begun, never = threading.Event(), threading.Event()
        self.addCleanup(never.set)

        def approve(_: ApproveParams) -> None:
            begun.set()
            never.wait()

        with SyncSidecar(**self.asking(approve)) as sidecar:
            self.assertTrue(begun.wait(PATIENCE))
            self.assertNotIn("isError", sidecar.call("mcp_own_x")["result"])
            self.assertEqual(phases(sidecar), {"a": "untrusted", "own": "ready"})
        self.assertEqual(self.started("a"), [0])


if __name__ == "__main__":
    unittest.main()
