"""A Sidecar with the real program and real MCP servers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import unittest
from typing import Any

from mcp_sidecar import (
    Closed,
    ResponseError,
    Sidecar,
    SidecarClosedError,
    SidecarError,
    StatusChanged,
    ToolsChanged,
)
from mcp_sidecar.protocol import CODE_INVALID_PARAMS, CODE_UNKNOWN_TOOL, ProgressValue

from .world import BINARY, AsyncWorldCase, wait_gone

ECHO = """
tool echo {"name":"echo","inputSchema":{"type":"object"},"x-big":12345678901234567890}
tool fails
tool steps
tool held
on tools/call fails
  result {"content":[{"type":"text","text":"no such file"}],"isError":true}
on tools/call steps
  progress 1 2 one
  progress 2 2 two
  default
on tools/call held
  hold for-ever
"""


class Use(AsyncWorldCase):
    async def test_tools_are_there_and_can_be_called(self) -> None:
        async with self.sidecar({"s": self.script(ECHO)}) as sidecar:
            self.assertEqual(
                [tool["name"] for tool in sidecar.tools],
                ["mcp_s_echo", "mcp_s_fails", "mcp_s_held", "mcp_s_steps"],
            )
            self.assertEqual(dict(sidecar.tools[0]["definition"])["x-big"], 12345678901234567890)
            self.assertEqual((sidecar.binary, sidecar.closed), (BINARY, None))
            assert sidecar.info is not None
            self.assertEqual(sidecar.info["name"], "mcp-sidecar")
            self.assertIn("tools/call", sidecar.methods)
            [server] = sidecar.servers
            self.assertEqual((server["name"], server["status"]), ("s", "connected"))
            for tool in ("mcp_s_echo", ("s", "echo")):
                outcome = await sidecar.call(tool, '{"n": 1.0, "big": 98765432109876543210}')
                [block] = outcome["result"]["content"]
                self.assertIn('{"n": 1.0, "big": 98765432109876543210}', block["text"])
                self.assertEqual(outcome["details"]["server"], "s")
        assert sidecar.pid is not None
        wait_gone(sidecar.pid)
        wait_gone(server["pid"])

    async def test_progress_comes_before_the_result(self) -> None:
        told: list[Any] = []

        def on_progress(value: ProgressValue) -> None:
            told.append(value)

        async with self.sidecar({"s": self.script(ECHO)}) as sidecar:
            told.append(await sidecar.call("mcp_s_steps", on_progress=on_progress))
        # What was not sent yet is merged, so the first may be missing; the last is not.
        self.assertEqual(told[-2], {"progress": 2, "total": 2, "message": "two"})
        self.assertIn("result", told[-1])

    async def test_a_tool_that_fails_is_a_result_and_one_that_is_not_there_an_error(self) -> None:
        async with self.sidecar({"s": self.script(ECHO)}) as sidecar:
            outcome = await sidecar.call("mcp_s_fails", {})
            self.assertTrue(outcome["result"]["isError"])
            with self.assertRaises(ResponseError) as raised:
                await sidecar.call("mcp_s_ech", {})
            self.assertEqual(raised.exception.code, CODE_UNKNOWN_TOOL)
            self.assertIn("mcp_s_echo", str(raised.exception))

    async def test_a_thousand_calls_at_once(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = 60
        async with self.sidecar({"s": self.script(ECHO)}) as sidecar:
            outcomes = await asyncio.gather(*(sidecar.call("mcp_s_echo", {"n": n}) for n in range(1000)))
        for number, outcome in enumerate(outcomes):
            self.assertIn(f'{{"n":{number}}}', outcome["result"]["content"][0]["text"])

    async def test_a_result_of_64_mib(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = 60
        script = "tool big\non tools/call big\n  big 60\n"
        async with self.sidecar(
            {"s": self.script(script)}, args=["--max-message", str(128 << 20)]
        ) as sidecar:
            outcome = await sidecar.call("mcp_s_big")
        self.assertGreaterEqual(len(outcome["result"]["content"][0]["text"]), 60 << 20)

    async def test_a_cancelled_call_is_cancelled_at_the_server(self) -> None:
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        async with self.sidecar({"r": self.recording(pipe)}) as sidecar:
            waiting = asyncio.create_task(sidecar.call("mcp_r_wait", {"mark": 1}))
            self.assertEqual(await asyncio.to_thread(pipe.read_text), "called")
            waiting.cancel()
            outcome = await sidecar.call("mcp_r_report")
        self.assertTrue(waiting.cancelled())
        self.assertNotIn("isError", outcome["result"], outcome)
        got = json.loads(outcome["result"]["content"][0]["text"])
        [call] = [m for m in got if m.get("method") == "tools/call" and m["params"]["name"] == "wait"]
        [cancelled] = [m for m in got if m.get("method") == "notifications/cancelled"]
        self.assertEqual(cancelled["params"]["requestId"], call["id"])

    async def test_the_set_stays_true_while_servers_come_and_go(self) -> None:
        late = self.script(ECHO, "late")
        late["enabled"] = False
        async with self.sidecar({"late": late}) as sidecar:
            events = sidecar.events()
            self.assertEqual(sidecar.tools, ())
            await sidecar.connect("late")
            self.assertEqual(len(sidecar.tools), 4)
            await sidecar.disconnect("late")
            self.assertEqual(sidecar.tools, ())
            [stopped] = sidecar.servers
            self.assertEqual(stopped["phase"], "stopped")
            snapshot = await sidecar.configure({"servers": {"other": self.script(ECHO, "other")}})
            self.assertEqual(sidecar.revision, snapshot["revision"])
            self.assertEqual({tool["server"] for tool in sidecar.tools}, {"other"})
            reloaded = await sidecar.reload()
            self.assertEqual(reloaded["hash"], sidecar.hash)
            self.assertEqual((await sidecar.wait())["connected"], ["other"])
            self.assertEqual((await sidecar.logs("other"))["noise"]["count"], 0)
            self.assertEqual((await sidecar.search("echo"))[0]["name"], "mcp_other_echo")
        told = [event async for event in events]
        self.assertIsInstance(told[-1], Closed)
        [change] = [event for event in told if isinstance(event, ToolsChanged)]
        self.assertEqual({tool["server"] for tool in change.added}, {"other"})
        self.assertTrue(any(isinstance(event, StatusChanged) for event in told))


class Starting(AsyncWorldCase):
    async def test_twice_is_refused(self) -> None:
        async with self.sidecar() as sidecar:
            with self.assertRaisesRegex(SidecarError, "started before: make a new one"):
                await sidecar.start()
            self.assertIsNone(sidecar.closed)

    async def test_gives_the_process_the_time_to_end_that_the_settings_give(self) -> None:
        async with self.sidecar(settings={"timeouts": {"shutdownMs": 7000}}) as sidecar:
            self.assertGreater(sidecar._process.grace, 7)

    async def test_in_a_directory_that_is_not_absolute(self) -> None:
        sidecar = self.sidecar(cwd=os.path.relpath(self.project))
        async with sidecar:
            self.assertIsNone(sidecar.closed)

    async def test_that_is_refused_says_why_and_leaves_no_process(self) -> None:
        sidecar = self.sidecar(settings={"toolNames": "no such form"})
        with self.assertRaises(ResponseError) as raised:
            await sidecar.start()
        self.assertEqual(raised.exception.code, CODE_INVALID_PARAMS)
        self.assertIn("toolNames", str(raised.exception))
        assert sidecar.pid is not None
        wait_gone(sidecar.pid)

    async def test_with_a_flag_it_does_not_have_says_what_it_said(self) -> None:
        sidecar = self.sidecar(args=["--no-such-flag"])
        with self.assertRaises(SidecarClosedError) as raised:
            await sidecar.start()
        self.assertEqual(raised.exception.exit_code, 2)
        self.assertIn("no-such-flag", str(raised.exception))

    async def test_that_is_cancelled_at_any_moment_leaves_no_process(self) -> None:
        hanging = self.script("on initialize\n  hold for-ever\non server/discover\n  hold for-ever\n")
        # Before it has begun, before there is a process, when it runs, with the request on its way, and with
        # the answer there.
        for moment in ("begin", "is begun", "started", "send", "said"):
            with self.subTest(moment=moment):
                sidecar = self.sidecar({"s": hanging})
                starting = asyncio.create_task(sidecar.start())
                if moment == "begin":
                    starting.cancel()
                elif moment == "is begun":
                    await asyncio.sleep(0)
                    starting.cancel()
                else:
                    self.cancel_when(starting, sidecar, moment)
                with self.assertRaises(asyncio.CancelledError):
                    await starting
                if sidecar.pid is not None:
                    wait_gone(sidecar.pid)
                with self.assertRaises(SidecarError):
                    await sidecar.call("t")

    def cancel_when(self, task: asyncio.Task[Any], sidecar: Sidecar, moment: str) -> None:
        """Cancels a task when a method of the sidecar's transport is called for the first time."""
        happens = getattr(sidecar._process, moment)

        def cancel(*args: Any) -> None:
            setattr(sidecar._process, moment, happens)
            task.cancel()
            happens(*args)

        setattr(sidecar._process, moment, cancel)

    async def test_is_needed_before_anything_else(self) -> None:
        with self.assertRaisesRegex(SidecarError, "was not started: use it in `async with`"):
            await self.sidecar().call("t")


class Death(AsyncWorldCase):
    async def test_in_the_middle_of_calls_fails_all_with_one_reason_and_leaves_no_server(self) -> None:
        async with self.sidecar({"s": self.script(ECHO)}) as sidecar:
            events = sidecar.events()
            [server] = sidecar.servers
            calls = [asyncio.create_task(sidecar.call("mcp_s_held")) for _ in range(20)]
            await sidecar.call("mcp_s_echo")
            assert sidecar.pid is not None
            os.kill(sidecar.pid, signal.SIGKILL)
            reasons = await asyncio.gather(*calls, return_exceptions=True)
            for reason in reasons:
                assert isinstance(reason, SidecarClosedError)
                self.assertEqual((reason.signal, reason.exit_code), ("SIGKILL", None))
            self.assertEqual({str(reason) for reason in reasons}, {str(sidecar.closed)})
            self.assertRegex(
                str(sidecar.closed),
                rf"^mcp-sidecar is gone: {BINARY} \(process {sidecar.pid}\) was killed by SIGKILL\. "
                "A new one has to be started.",
            )
            with self.assertRaises(SidecarClosedError):
                await sidecar.call("mcp_s_echo")
            ends = [event async for event in events if isinstance(event, Closed)]
            self.assertEqual(len(ends), 1)
            wait_gone(server["pid"])


class Ending(AsyncWorldCase):
    async def test_twice_and_at_once(self) -> None:
        sidecar = await self.sidecar({"s": self.script(ECHO)}).start()
        await asyncio.gather(sidecar.close(), sidecar.close())
        await sidecar.close()
        assert sidecar.pid is not None
        wait_gone(sidecar.pid)
        self.assertEqual(str(sidecar.closed), "this program has closed the sidecar")

    async def test_while_a_call_waits(self) -> None:
        sidecar = await self.sidecar({"s": self.script(ECHO)}).start()
        calling = asyncio.create_task(sidecar.call("mcp_s_held"))
        await sidecar.call("mcp_s_echo")
        await sidecar.close()
        with self.assertRaisesRegex(SidecarClosedError, "this program has closed the sidecar"):
            await calling

    async def test_before_initialize_is_answered(self) -> None:
        hanging = self.script("on initialize\n  hold for-ever\non server/discover\n  hold for-ever\n")
        sidecar = self.sidecar({"s": hanging})
        events = sidecar.events()
        starting = asyncio.create_task(sidecar.start())
        # The session is on its way when the first status is told.
        self.assertIsInstance(await anext(events), StatusChanged)
        await sidecar.close()
        with self.assertRaises(SidecarClosedError):
            await starting
        assert sidecar.pid is not None
        wait_gone(sidecar.pid)

    async def test_before_the_start(self) -> None:
        sidecar = self.sidecar()
        await sidecar.close()
        await sidecar.close()
        self.assertIsNone(sidecar.pid)
        with self.assertRaises(SidecarClosedError):
            await sidecar.start()
        self.assertIsNone(sidecar.pid)

    async def test_forgetting_it_ends_it(self) -> None:
        sidecar = await self.sidecar({"s": self.script(ECHO)}).start()
        pid, [server] = sidecar.pid, sidecar.servers
        assert pid is not None
        del sidecar
        wait_gone(pid)
        wait_gone(server["pid"])


if __name__ == "__main__":
    unittest.main()
