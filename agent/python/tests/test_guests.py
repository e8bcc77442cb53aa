"""A guest and the owner of its session see the same, through the same connections; the owner decides."""

from __future__ import annotations

import asyncio
import inspect
import os
import shlex
import signal
import sys
import unittest
from collections.abc import Awaitable
from pathlib import Path
from typing import Any
from unittest import mock

from mcp_sidecar import (
    InvalidArgumentError,
    ResponseError,
    Sidecar,
    SidecarClosedError,
    SidecarError,
    SyncSidecar,
    ToolsChanged,
)
from mcp_sidecar.protocol import CODE_NOT_PERMITTED, ServerConfig

from .world import BINARY, AsyncWorldCase, WorldCase, wait_gone

SCRIPT = """
tool echo
tool held
on tools/call held
  progress 1
  hold for-ever
"""
ENDPOINT = "MCP_SIDECAR_ENDPOINT"
OVER = "^the session that was joined has ended: its owner has closed it, or is gone$"


def text(outcome: Any) -> str:
    said: str = outcome["result"]["content"][0]["text"]
    return said


class JoinCase(AsyncWorldCase):
    def counted(self) -> ServerConfig:
        """The entry of a server that notes each time that it is started."""
        entry = self.script(SCRIPT)
        command = shlex.join([entry["command"], *entry["args"]])
        return {
            "command": "/bin/sh",
            "args": ["-c", f"echo started >> {shlex.quote(str(self.starts))}; exec {command}"],
        }

    @property
    def starts(self) -> Path:
        return self.root / "starts"

    async def owner(self) -> Sidecar:
        """One with the server s, started."""
        owner = await self.sidecar({"s": self.counted()}).start()
        self.addAsyncCleanup(owner.close)
        return owner

    async def guest(self, endpoint: str) -> Sidecar:
        """One that has joined."""
        guest = await self.joining(endpoint).start()
        self.addAsyncCleanup(guest.close)
        return guest

    def joining(self, endpoint: str | None = None, **options: Any) -> Sidecar:
        """One that is not started."""
        return Sidecar.join(endpoint, **{"binary": BINARY, "env": self.env, **options})

    async def refused(self, endpoint: str | None, **options: Any) -> SidecarClosedError:
        """Joins in vain, sees that nothing is left, and gives the error."""
        guest = self.joining(endpoint, **options)
        with self.assertRaises(SidecarClosedError) as raised:
            await guest.start()
        self.assertEqual(str(raised.exception), str(guest.closed))
        assert guest.pid is not None
        wait_gone(guest.pid)
        return raised.exception


class Session(JoinCase):
    async def test_is_the_same_for_two_guests_and_their_owner_and_nothing_is_started_twice(self) -> None:
        owner = await self.owner()
        endpoint = await owner.share()
        self.assertEqual(await owner.share(), endpoint)
        guests = [await self.guest(endpoint), await self.guest(endpoint)]
        for guest in guests:
            self.assertEqual((guest.revision, guest.hash), (owner.revision, owner.hash))
            self.assertEqual((guest.tools, guest.servers), (owner.tools, owner.servers))
            self.assertEqual((guest.binary, guest.info), (BINARY, owner.info))
            self.assertEqual(repr(guest), "<Sidecar 2 tools of 1 servers>")
        self.assertEqual([sidecar.guest for sidecar in (owner, *guests)], [False, True, True])
        everybody = [owner, *guests]
        calls = [sidecar.call("mcp_s_echo", {"by": n}) for n, sidecar in enumerate(everybody)]
        outcomes = await asyncio.gather(*calls)
        self.assertEqual([text(it) for it in outcomes], [f'echo {{"by":{n}}}' for n in range(3)])
        self.assertEqual(self.starts.read_text(), "started\n")

    async def test_changes_for_all_at_once(self) -> None:
        owner = await self.owner()
        endpoint = await owner.share()
        guests = [await self.guest(endpoint), await self.guest(endpoint)]
        streams = [guest.events() for guest in guests]
        snapshot = await owner.configure({"servers": {"other": self.script(SCRIPT, "other")}})
        for guest, stream in zip(guests, streams, strict=True):
            change = await anext(event async for event in stream if isinstance(event, ToolsChanged))
            self.assertEqual((change.revision, change.hash), (snapshot["revision"], snapshot["hash"]))
            self.assertEqual({tool["server"] for tool in change.tools}, {"other"})
            self.assertEqual(change.tools, owner.tools)
            self.assertEqual(text(await guest.call("mcp_other_echo")), "echo {}")

    async def test_tells_progress_to_the_guest_that_calls_and_takes_back_the_call_it_cancels(self) -> None:
        owner = await self.owner()
        guest = await self.guest(await owner.share())
        begun = asyncio.Event()
        calling = asyncio.create_task(guest.call("mcp_s_held", on_progress=lambda _: begun.set()))
        await begun.wait()
        calling.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await calling
        self.assertEqual(text(await guest.call("mcp_s_echo")), "echo {}")

    async def test_lets_a_guest_decide_nothing(self) -> None:
        owner = await self.owner()
        guest = await self.guest(await owner.share())
        attempts: list[Awaitable[object]] = [
            guest.reload(),
            guest.configure({"disabled": ["s"]}),
            guest.connect("s", restart=True),
            guest.disconnect("s"),
            guest.share(),
            guest.request("trust/list"),
        ]
        for attempt in attempts:
            with self.assertRaisesRegex(ResponseError, "is not permitted to a guest") as raised:
                await attempt
            self.assertEqual(raised.exception.code, CODE_NOT_PERMITTED)
        self.assertEqual((await guest.wait())["connected"], ["s"])
        self.assertTrue((await guest.doctor("s"))["healthy"])
        self.assertEqual(self.starts.read_text(), "started\n")


class Leaving(JoinCase):
    async def test_ends_nothing_but_the_guest(self) -> None:
        owner = await self.owner()
        endpoint = await owner.share()
        stays = await self.guest(endpoint)
        async with self.joining(endpoint) as leaves:
            calling = asyncio.create_task(leaves.call("mcp_s_held"))
            await leaves.call("mcp_s_echo")
        with self.assertRaisesRegex(SidecarClosedError, "^this program has left the session$"):
            await calling
        assert leaves.pid is not None
        wait_gone(leaves.pid)
        for sidecar in (owner, stays):
            self.assertIsNone(sidecar.closed)
            self.assertEqual(text(await sidecar.call("mcp_s_echo")), "echo {}")
        self.assertEqual(self.starts.read_text(), "started\n")

    async def test_by_force_is_not_the_end_of_the_session(self) -> None:
        owner = await self.owner()
        guest = await self.guest(await owner.share())
        assert guest.pid is not None
        os.kill(guest.pid, signal.SIGKILL)
        [*_, last] = [event async for event in guest.events()]
        self.assertRegex(
            str(guest.closed),
            r"^the way to the session is gone: .* was killed by SIGKILL\. It may be joined again\.$",
        )
        self.assertEqual(str(getattr(last, "reason", None)), str(guest.closed))
        self.assertEqual(text(await owner.call("mcp_s_echo")), "echo {}")


class TheOwnersEnd(JoinCase):
    async def test_is_that_of_the_guests_who_are_told_why(self) -> None:
        owner = await self.owner()
        endpoint = await owner.share()
        guests = [await self.guest(endpoint), await self.guest(endpoint)]
        streams = [guest.events() for guest in guests]
        await owner.close()
        for guest, stream in zip(guests, streams, strict=True):
            [*_, last] = [event async for event in stream]
            self.assertRegex(str(guest.closed), OVER)
            self.assertEqual(str(getattr(last, "reason", None)), str(guest.closed))
            with self.assertRaisesRegex(SidecarClosedError, OVER):
                await guest.call("mcp_s_echo")
        error = await self.refused(endpoint)
        self.assertRegex(
            str(error), f"^cannot join the session: {ENDPOINT}: the session has ended: nobody listens at .*$"
        )

    async def test_by_force_fails_what_a_guest_waits_for(self) -> None:
        owner = await self.owner()
        guest = await self.guest(await owner.share())
        begun = asyncio.Event()
        calling = asyncio.create_task(guest.call("mcp_s_held", on_progress=lambda _: begun.set()))
        await begun.wait()
        assert owner.pid is not None
        os.kill(owner.pid, signal.SIGKILL)
        with self.assertRaisesRegex(SidecarClosedError, OVER):
            await calling


class Refused(JoinCase):
    async def test_with_another_token(self) -> None:
        owner = await self.owner()
        endpoint = await owner.share()
        error = await self.refused(f"{endpoint}x")
        self.assertRegex(
            str(error),
            f"^cannot join the session: {ENDPOINT}: .*: not let in: this is not the session's token.*$",
        )
        self.assertEqual((error.exit_code, len(error.stderr)), (1, 1))
        self.assertEqual(text(await owner.call("mcp_s_echo")), "echo {}")

    async def test_where_nobody_listens(self) -> None:
        error = await self.refused(f"unix:{self.root}/none.sock#token")
        self.assertIn(f"nobody listens at {self.root}/none.sock", str(error))

    async def test_with_what_is_no_endpoint(self) -> None:
        error = await self.refused("token")
        self.assertIn(f"cannot join the session: {ENDPOINT}: it should be unix:PATH#TOKEN", str(error))

    async def test_with_a_flag_that_attach_does_not_have(self) -> None:
        error = await self.refused(f"unix:{self.root}/none.sock#token", args=["--max-message", "1"])
        self.assertRegex(str(error), f"^{BINARY} ended with exit code 2 and said nothing")
        self.assertIn("--max-message", str(error))

    async def test_by_a_session_that_says_nothing_and_by_what_is_no_sidecar(self) -> None:
        for code, said in {
            0: "^cannot join the session: it ended before it said anything$",
            1: r" ended with exit code 1 and said nothing\. Is it mcp-sidecar\?$",
        }.items():
            args = ["-c", f"raise SystemExit({code})"]
            error = await self.refused("endpoint", binary=sys.executable, args=args)
            self.assertRegex(str(error), said)


class TheEndpoint(JoinCase):
    async def test_is_that_of_the_environment_unless_one_is_given(self) -> None:
        owner = await self.owner()
        endpoint = await owner.share()
        other = f"unix:{self.root}/none.sock#token"
        with mock.patch.dict(os.environ, {ENDPOINT: endpoint}):
            async with self.joining() as guest:
                self.assertTrue(guest.guest)
        with mock.patch.dict(os.environ, {ENDPOINT: other}):
            async with self.joining(env={**self.env, ENDPOINT: endpoint}) as guest:
                self.assertTrue(guest.guest)
            async with self.joining(endpoint, env={**self.env, ENDPOINT: other}) as guest:
                self.assertTrue(guest.guest)

    async def test_that_is_missing_is_said_before_anything_is_started(self) -> None:
        for found in ({}, {ENDPOINT: ""}):
            with mock.patch.dict(os.environ, found):
                if not found:
                    os.environ.pop(ENDPOINT, None)
                for join in (Sidecar.join, SyncSidecar.join):
                    with self.assertRaises(SidecarError) as raised:
                        join()
                    self.assertEqual(
                        str(raised.exception),
                        f"there is no session to join: {ENDPOINT} is not set. The program that shares its "
                        "session sets it, for those that it starts, to what its sidecar.share() gives.",
                    )

    async def test_that_is_none_is_refused(self) -> None:
        wrong: dict[Any, str] = {
            "": "endpoint is not what share() gives; left out, it is that of the environment",
            "secret\0": "endpoint is not what share() gives; left out, it is that of the environment",
            b"secret": "endpoint is the str that share() gives, not a bytes",
        }
        for endpoint, said in wrong.items():
            for join in (Sidecar.join, SyncSidecar.join):
                with self.assertRaises(InvalidArgumentError) as raised:
                    join(endpoint)
                self.assertEqual(str(raised.exception), said)
        for join in (Sidecar.join, SyncSidecar.join):
            with self.assertRaises(InvalidArgumentError) as raised:
                join(env={ENDPOINT: "secret\0"})
            self.assertEqual(str(raised.exception), f"env: {ENDPOINT} is not what share() gives")

    async def test_is_in_no_text_and_no_argument(self) -> None:
        owner = await self.owner()
        endpoint = await owner.share()
        token = endpoint.rpartition("#")[2]
        guest = self.joining(endpoint, args=["--log-level", "debug"])
        texts = [repr(guest), str(guest)]
        async with guest:
            texts += [repr(guest), repr(owner)]
            proc = Path(f"/proc/{guest.pid}/cmdline")
            if proc.exists():
                texts.append(proc.read_text())
            with self.assertRaises(ResponseError) as refused:
                await guest.share()
            texts.append(repr(refused.exception))
        lines: list[str] = []
        for wrong in (f"{endpoint}x", f"x{endpoint}"):
            error = await self.refused(wrong, stderr=lines.append, args=["--log-level", "debug"])
            texts += [str(error), repr(error.stderr), repr(error.__dict__)]
        await owner.close()
        error = await self.refused(endpoint, stderr=lines.append)
        texts += [repr(error), repr(error.__dict__), repr(owner), repr(guest)]
        self.assertGreaterEqual(len(lines), 3)
        for said in (*texts, *lines):
            self.assertNotIn(token, said)

    async def test_is_not_handed_on_to_a_sidecar_of_ones_own(self) -> None:
        script = str(Path(__file__).parent / "scripted_sidecar.py")
        options: dict[str, Any] = {"binary": sys.executable, "args": [script, "tells_environment"]}
        with mock.patch.dict(os.environ, {ENDPOINT: "secret", "OTHER": "kept"}):
            for env in (None, {"MORE": "added"}):
                async with Sidecar(**options, env=env) as own:
                    got = await own.request_any("x/environment", {})
                self.assertEqual((got.get(ENDPOINT), got["OTHER"]), (None, "kept"))
            async with Sidecar(**options, env={ENDPOINT: "given"}) as own:
                self.assertEqual((await own.request_any("x/environment", {}))[ENDPOINT], "given")
            async with Sidecar.join(**options) as guest:
                self.assertEqual((await guest.request_any("x/environment", {}))[ENDPOINT], "secret")


class Options(JoinCase):
    def test_that_are_the_owners_or_misspelt_are_refused(self) -> None:
        for join in (Sidecar.join, SyncSidecar.join):
            for name in ("settings", "workspace_folders", "handlers", "capabilities", "cwd", "binry"):
                options: dict[str, Any] = {name: None}
                with self.assertRaisesRegex(TypeError, f"unexpected keyword argument '{name}'"):
                    join("endpoint", **options)
            with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'settings'"):
                join("endpoint", settings={})  # type: ignore[call-arg]

    def test_of_the_wrong_type_are_refused(self) -> None:
        for join in (Sidecar.join, SyncSidecar.join):
            with self.assertRaisesRegex(InvalidArgumentError, "^args is a list of flags"):
                join("endpoint", args="--verbose")
            with self.assertRaisesRegex(InvalidArgumentError, "^env is a dict"):
                join("endpoint", env=[])  # type: ignore[arg-type]

    def test_are_the_same_without_asyncio(self) -> None:
        self.assertEqual(
            inspect.signature(SyncSidecar.join).parameters, inspect.signature(Sidecar.join).parameters
        )


class Sync(WorldCase):
    def test_guests_are_as_those_with_asyncio(self) -> None:
        class Mine(SyncSidecar):
            pass

        with SyncSidecar(**self.options({"s": self.script(SCRIPT)})) as owner:
            endpoint = owner.share()
            with Mine.join(endpoint, binary=BINARY, env=self.env) as guest:
                self.assertIsInstance(guest, Mine)
                self.assertEqual((owner.guest, guest.guest), (False, True))
                self.assertEqual((guest.tools, guest.servers), (owner.tools, owner.servers))
                self.assertEqual(text(guest.call("mcp_s_echo", {"a": 1})), 'echo {"a":1}')
                with self.assertRaises(ResponseError) as raised:
                    guest.share()
                self.assertEqual(raised.exception.code, CODE_NOT_PERMITTED)
                left = guest.pid
            assert left is not None
            wait_gone(left)
            self.assertEqual(text(owner.call("mcp_s_echo")), "echo {}")
            with Mine.join(endpoint, binary=BINARY, env=self.env) as guest:
                events = guest.events()
                owner.close()
                [*_, last] = events
                self.assertRegex(str(getattr(last, "reason", None)), OVER)
                self.assertRegex(str(guest.closed), OVER)
        with self.assertRaisesRegex(SidecarClosedError, "the session has ended"):
            SyncSidecar.join(endpoint, binary=BINARY, env=self.env).start()


if __name__ == "__main__":
    unittest.main()
