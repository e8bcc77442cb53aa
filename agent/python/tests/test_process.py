"""Whatever is started in place of a sidecar, and however it ends: that is said, and no process is left."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from mcp_sidecar import (
    BinaryNotFoundError,
    ProtocolVersionError,
    Sidecar,
    SidecarClosedError,
    SidecarError,
)
from mcp_sidecar.workspace import absolute

from .patience import PATIENCE
from .world import AsyncWorldCase, wait_gone

SCRIPTED = str(Path(__file__).parent / "scripted_sidecar.py")


class ProcessCase(AsyncWorldCase):
    def scripted(self, way: str, **options: Any) -> Sidecar:
        return self.sidecar(binary=sys.executable, args=[SCRIPTED, way], **options)

    def program(self, text: str, mode: int = 0o755) -> Path:
        path = self.root / "program"
        path.write_text(text)
        path.chmod(mode)
        return path

    async def fails(self, sidecar: Sidecar, kind: type[SidecarError] = SidecarError) -> str:
        """Starts it in vain, sees that nothing is left, and gives what the error says."""
        with self.assertRaises(kind) as raised:
            await sidecar.start()
        self.assertIs(type(raised.exception), kind)
        if sidecar.pid is not None:
            wait_gone(sidecar.pid)
        self.assertIsNotNone(sidecar.closed)
        return str(raised.exception)


class WhatCannotBeStarted(ProcessCase):
    async def test_a_file_that_is_not_there(self) -> None:
        text = await self.fails(self.sidecar(binary="/no/such/file"), BinaryNotFoundError)
        self.assertEqual(text, "the option binary names /no/such/file, which is not there")

    async def test_a_file_that_is_not_executable(self) -> None:
        path = self.program("", 0o644)
        text = await self.fails(self.sidecar(binary=path), BinaryNotFoundError)
        self.assertEqual(text, f"the option binary names {path}, which is not executable (chmod +x)")

    async def test_a_script_without_its_interpreter(self) -> None:
        path = self.program("#!/no/such/interpreter\n")
        sidecar = self.sidecar(binary=path)
        text = await self.fails(sidecar, SidecarClosedError)
        self.assertEqual(text, str(sidecar.closed))
        self.assertIn(f"{path} cannot be started: it is there, but what it needs to run is not", text)

    async def test_a_program_for_another_machine(self) -> None:
        path = self.program("\x7fELF of another kind")
        text = await self.fails(self.sidecar(binary=path), SidecarClosedError)
        self.assertIn(
            f"{path} cannot be started: it is no program for this machine ({sys.platform} on ", text
        )

    async def test_a_thread_that_cannot_be_started(self) -> None:
        sidecar = self.scripted("good")
        refused = RuntimeError("can't start new thread")
        with (
            mock.patch.object(threading.Thread, "start", side_effect=refused),
            self.assertRaisesRegex(RuntimeError, "can't start new thread"),
        ):
            await sidecar.start()
        self.assertIsNone(sidecar.pid)

    async def test_threads_that_cannot_be_started_later(self) -> None:
        begin = threading.Thread.start

        def refuse(thread: threading.Thread) -> None:
            if thread.name == "mcp-sidecar writer":
                raise RuntimeError("can't start new thread")
            begin(thread)

        with mock.patch.object(threading.Thread, "start", refuse):
            text = await self.fails(self.scripted("good"), SidecarClosedError)
        self.assertIn("cannot be started: the system refused. (can't start new thread)", text)


class WhatIsNoSidecar(ProcessCase):
    async def test_one_that_prints_and_ends(self) -> None:
        text = await self.fails(self.sidecar(binary="/bin/echo", args=["hello"]), SidecarClosedError)
        self.assertEqual(
            text,
            "/bin/echo printed 'hello\\n', which is not the protocol (it does not begin with Content-Length)."
            " Is it mcp-sidecar, and is it started without a wrapper that prints?",
        )

    async def test_one_that_prints_without_end_of_line_and_stays(self) -> None:
        text = await self.fails(self.scripted("prints_and_stays"), SidecarClosedError)
        self.assertIn("printed 'Starting the sidecar', which is not the protocol", text)

    async def test_one_that_sends_back_what_it_is_sent(self) -> None:
        text = await self.fails(self.sidecar(binary="/bin/cat"), SidecarClosedError)
        self.assertEqual(text, "/bin/cat is not mcp-sidecar: it sends back what it is sent")

    async def test_one_that_ends_in_the_middle_of_a_header(self) -> None:
        text = await self.fails(self.sidecar(binary="/bin/echo", args=["-n", "Conten"]), SidecarClosedError)
        self.assertIn("printed 'Conten', which is not the protocol (it ends in the middle", text)

    async def test_another_language_server(self) -> None:
        text = await self.fails(self.scripted("another_language_server"))
        self.assertEqual(
            text, f"{absolute(sys.executable)} is not mcp-sidecar: it does not know runtime/initialize"
        )

    async def test_one_that_ends_at_once_and_says_nothing(self) -> None:
        text = await self.fails(self.sidecar(binary="/bin/true"), SidecarClosedError)
        self.assertEqual(text, "/bin/true ended with exit code 0 and said nothing. Is it mcp-sidecar?")

    async def test_one_that_ends_at_once_and_says_why_on_stderr(self) -> None:
        path = self.program("#!/bin/sh\necho 'no license' >&2\nprintf 'buy one' >&2\nexit 7\n")
        sidecar = self.sidecar(binary=path)
        text = await self.fails(sidecar, SidecarClosedError)
        self.assertEqual(
            text,
            f"{path} ended with exit code 7 and said nothing. Is it mcp-sidecar?\n"
            "It said on stderr:\n  no license\n  buy one",
        )
        assert sidecar.closed is not None
        self.assertEqual((sidecar.closed.exit_code, sidecar.closed.signal), (7, None))
        self.assertEqual(sidecar.closed.stderr, ("no license", "buy one"))

    async def test_one_that_crashes_and_says_where_all_its_threads_were(self) -> None:
        path = self.program("#!/bin/sh\n(echo hi; echo panic: out of luck; seq 100) >&2\nexit 2\n")
        text = await self.fails(self.sidecar(binary=path), SidecarClosedError)
        lines = ["  panic: out of luck", *(f"  {number}" for number in range(1, 10))]
        self.assertEqual(text.split("\n")[2:], lines)

    async def test_one_of_another_version(self) -> None:
        text = await self.fails(self.scripted("other_version"), ProtocolVersionError)
        self.assertEqual(
            text,
            f"this package speaks version 1 of the protocol, but {absolute(sys.executable)} speaks 7: "
            'install a newer Python package "mcp-sidecar", or an older mcp-sidecar',
        )

    async def test_one_that_refuses_the_version(self) -> None:
        text = await self.fails(self.scripted("refuses_version"), ProtocolVersionError)
        self.assertIn(f"{absolute(sys.executable)} speaks 2, 3: ", text)


class Starts(ProcessCase):
    async def test_with_what_a_sidecar_has_to_know(self) -> None:
        async with self.scripted("tells_opening", workspace_folders=[self.project]) as sidecar:
            opening = await sidecar.request_any("x/opening", {})
        self.assertEqual(opening["processId"], os.getpid())
        self.assertEqual(opening["cwd"], str(self.project))
        self.assertEqual(opening["workspaceFolders"], [{"uri": self.project.as_uri(), "name": "project"}])

    async def test_in_the_working_directory_if_no_other_is_given(self) -> None:
        async with Sidecar(binary=sys.executable, args=[SCRIPTED, "tells_opening"]) as sidecar:
            self.assertEqual((await sidecar.request_any("x/opening", {}))["cwd"], str(Path.cwd()))

    async def test_cancelled_before_the_process_is_there_ends_the_one_that_comes(self) -> None:
        begun, go_on = asyncio.Event(), threading.Event()
        loop, popen = asyncio.get_running_loop(), subprocess.Popen
        pids: list[int] = []

        def start_later(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
            loop.call_soon_threadsafe(begun.set)
            go_on.wait(PATIENCE)
            process = popen(*args, **options)
            pids.append(process.pid)
            return process

        sidecar = self.sidecar(binary="/bin/sleep", args=["120"])
        sidecar._process.grace = PATIENCE * 2
        with mock.patch("mcp_sidecar.child.subprocess.Popen", start_later):
            starting = asyncio.create_task(sidecar.start())
            await begun.wait()
            starting.cancel()
            await asyncio.sleep(0)
            go_on.set()
            with self.assertRaises(asyncio.CancelledError):
                await asyncio.wait_for(starting, PATIENCE)
        wait_gone(pids[0])

    async def test_in_a_session_of_its_own_where_no_interrupt_at_the_terminal_comes(self) -> None:
        async with self.scripted("good") as sidecar:
            assert sidecar.pid is not None
            self.assertEqual(os.getsid(sidecar.pid), sidecar.pid)


class Ends(ProcessCase):
    async def test_everything_it_said_comes_before_its_end(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = 60
        async with self.scripted("answers_and_dies") as sidecar:
            outcomes = await asyncio.gather(*(sidecar.call("t") for _ in range(3)))
            self.assertEqual(
                [len(str(dict(outcome["result"])["text"])) for outcome in outcomes], [300_000] * 3
            )
            with self.assertRaises(SidecarClosedError) as raised:
                await sidecar.call("t")
            error = raised.exception
            self.assertEqual((error.exit_code, error.signal, error.stderr), (3, None, ("this is the end",)))
            self.assertRegex(str(error), r"^mcp-sidecar is gone: .* \(process \d+\) ended with exit code 3\.")

    async def test_are_seen_also_when_somebody_else_holds_its_stdout(self) -> None:
        async with self.scripted("leaves_stdout_open") as sidecar:
            assert sidecar.info is not None
            assert sidecar.pid is not None
            heir = int(sidecar.info["version"])
            calling = asyncio.create_task(sidecar.call("t"))
            os.kill(sidecar.pid, signal.SIGKILL)
            with self.assertRaisesRegex(SidecarClosedError, "was killed by SIGKILL"):
                await calling
            # It still runs, and still has the pipe.
            os.kill(heir, signal.SIGKILL)
            wait_gone(heir)

    async def test_garbage_after_the_start_ends_it(self) -> None:
        async with self.scripted("prints_later") as sidecar:
            with self.assertRaises(SidecarClosedError) as raised:
                await sidecar.call("t")
            self.assertIn("then printed 'debug: called\\n'", str(raised.exception))
            self.assertIn("Something else writes to its stdout.", str(raised.exception))
            assert sidecar.pid is not None
            wait_gone(sidecar.pid)

    async def test_by_force_if_it_does_not_end_otherwise(self) -> None:
        sidecar = await self.scripted("deaf", settings={"timeouts": {"shutdownMs": 0}}).start()
        with mock.patch("mcp_sidecar.client.SLACK_SECONDS", 0.001):
            sidecar._process.grace = 0.001
            await sidecar.close()
        assert sidecar.pid is not None
        wait_gone(sidecar.pid)

    async def test_at_once_when_closing_is_cancelled(self) -> None:
        sidecar = await self.scripted("deaf").start()
        # It waits for a process that ignores all but force.
        closing = asyncio.create_task(sidecar._process.close())
        await asyncio.sleep(0)
        self.assertFalse(closing.done())
        closing.cancel()
        await asyncio.wait([closing])
        assert sidecar.pid is not None
        wait_gone(sidecar.pid)
        await sidecar.close()

    async def test_one_that_stays_without_its_stdout_or_stdin_is_ended(self) -> None:
        for way in ("stdout", "stdin"):
            with self.subTest(way=way), mock.patch("mcp_sidecar.child._LINGER_SECONDS", 0.001):
                sidecar = await self.scripted(f"closes_{way}").start()
                with self.assertRaisesRegex(SidecarClosedError, f"has closed its {way} and did not end"):
                    await asyncio.wait_for(sidecar.call("t"), PATIENCE)
                assert sidecar.pid is not None
                wait_gone(sidecar.pid)
                await sidecar.close()

    async def test_one_that_closes_its_stdout_and_says_nothing_is_ended(self) -> None:
        with mock.patch("mcp_sidecar.child._LINGER_SECONDS", 0.001):
            text = await asyncio.wait_for(
                self.fails(self.scripted("closes_stdout_at_once"), SidecarClosedError), PATIENCE
            )
        self.assertRegex(
            text, r"has closed its stdout and did not end, so it was killed\. Is it mcp-sidecar\?"
        )

    async def test_one_that_says_nothing_at_all_is_given_up(self) -> None:
        with mock.patch("mcp_sidecar.process._SILENCE_SECONDS", 0.003):
            text = await asyncio.wait_for(
                self.fails(self.sidecar(binary="/bin/sleep", args=["3600"]), SidecarClosedError), PATIENCE
            )
        self.assertEqual(text, "/bin/sleep said nothing for 0.003 s. Is it mcp-sidecar?")

    async def test_the_silence_between_messages_is_not_bounded(self) -> None:
        async with self.scripted("good") as sidecar:
            countdown = sidecar._process._silence
            assert countdown is not None
            self.assertTrue(countdown._next.cancelled())

    async def test_one_that_prints_and_ignores_its_end_is_killed_also_if_nobody_closes(self) -> None:
        sidecar = await self.scripted("deaf_babbler").start()
        sidecar._process.grace = 0.001
        with self.assertRaisesRegex(SidecarClosedError, "then printed"):
            await asyncio.wait_for(sidecar.call("t"), PATIENCE)
        await asyncio.wait_for(sidecar._process._gone.wait(), PATIENCE)
        await sidecar.close()

    async def test_what_it_said_last_is_heard_by_a_host_that_is_busy(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = 60
        async with self.scripted("answers_at_length_and_dies") as sidecar:
            results = await asyncio.gather(*(sidecar.request_any("x/y", {}) for _ in range(4)))
            self.assertEqual([len(result) for result in results], [1_000_001, 20_000, 20_000, 20_000])

    @unittest.skipIf(sys.platform == "win32", "there are no process groups")
    async def test_what_a_wrapper_has_started_is_ended_with_it(self) -> None:
        wrapper = self.program(
            f'#!/bin/sh\nexec 3<&0\n"{sys.executable}" "{SCRIPTED}" deaf <&3 &\necho "$!" >&2\nwait\n'
        )
        lines: list[str] = []
        sidecar = self.sidecar(binary=wrapper, stderr=lines.append)
        await sidecar.start()
        sidecar._process.grace = 0.05
        with (
            mock.patch("mcp_sidecar.client.SLACK_SECONDS", 0.001),
            mock.patch.object(sidecar, "_shutdown_seconds", 0.001),
        ):
            await sidecar.close()
        wait_gone(int(lines[0]))

    async def test_by_the_first_message_that_makes_no_sense(self) -> None:
        sidecar = await self.scripted("sends_nonsense").start()
        with self.assertRaisesRegex(SidecarClosedError, "sent a message that makes no sense") as raised:
            await sidecar.call("t")
        self.assertIn(str(absolute(sys.executable)), str(raised.exception))
        assert sidecar.pid is not None
        # Without close(), which comes when its caller has heard of it.
        await asyncio.wait_for(sidecar._process._gone.wait(), PATIENCE)
        wait_gone(sidecar.pid)
        await sidecar.close()


class Environment(ProcessCase):
    async def test_is_that_of_the_program(self) -> None:
        with mock.patch.dict(os.environ, {"MARK": "own"}):
            async with Sidecar(binary=sys.executable, args=[SCRIPTED, "tells_environment"]) as sidecar:
                self.assertEqual((await sidecar.request_any("x/environment", {}))["MARK"], "own")

    async def test_has_what_is_added_and_not_what_is_taken_out(self) -> None:
        with mock.patch.dict(os.environ, {"MARK": "own", "GONE": "no", "KEPT": "yes"}):
            changed = {"MARK": "changed", "GONE": None}
            async with self.scripted("tells_environment", env=changed) as sidecar:
                environment = await sidecar.request_any("x/environment", {})
        self.assertEqual((environment["MARK"], environment["KEPT"]), ("changed", "yes"))
        self.assertNotIn("GONE", environment)


class Pipes(ProcessCase):
    async def test_one_that_does_not_read_stops_nobody(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = 60
        sidecar = await self.scripted("reads_nothing").start()
        calls = [asyncio.create_task(sidecar.call("t", {"text": "x" * 1_000_000})) for _ in range(8)]
        await asyncio.sleep(0)
        sidecar._process.grace = 0.001
        with (
            mock.patch("mcp_sidecar.client.SLACK_SECONDS", 0.001),
            mock.patch.object(sidecar, "_shutdown_seconds", 0.001),
        ):
            await sidecar.close()
        for call in calls:
            with self.assertRaises(SidecarClosedError):
                await call

    async def test_lines_of_stderr_are_told_one_by_one(self) -> None:
        lines: list[str] = []
        async with self.scripted("complains", stderr=lines.append):
            pass
        self.assertEqual(lines[:4], ["one", "", "two ä", "three"])
        self.assertEqual("".join(lines[4:-1]), "x" * 40_000)
        self.assertEqual(lines[-1], "no end of line")

    async def test_a_callback_for_stderr_that_raises_disturbs_nobody(self) -> None:
        problems: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))

        def raises(line: str) -> None:
            raise ZeroDivisionError(line)

        async with self.scripted("complains", stderr=raises):
            pass
        self.assertEqual({type(problem["exception"]) for problem in problems}, {ZeroDivisionError})

    async def test_no_thread_is_left_by_one_that_died(self) -> None:
        async with self.scripted("answers_and_dies") as sidecar:
            await asyncio.gather(*(sidecar.call("t") for _ in range(3)))
            for thread in threading.enumerate():
                if thread.name.startswith("mcp-sidecar"):
                    await asyncio.to_thread(thread.join, PATIENCE)
                    self.assertFalse(thread.is_alive(), thread.name)

    async def test_no_thread_and_no_descriptor_is_left(self) -> None:
        def mine() -> set[str]:
            return {thread.name for thread in threading.enumerate() if thread.name.startswith("mcp-sidecar")}

        before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
        async with self.scripted("good") as sidecar:
            await sidecar.call("t")
            self.assertEqual(len(mine()), 4)
        for thread in threading.enumerate():
            if thread.name.startswith("mcp-sidecar"):
                thread.join()
        self.assertEqual(mine(), set())
        if sys.platform == "linux":
            self.assertEqual(len(os.listdir("/proc/self/fd")), before)


if __name__ == "__main__":
    unittest.main()
