"""A SyncSidecar is for programs without an event loop, and for all their threads."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from mcp_sidecar import (
    BinaryNotFoundError,
    Closed,
    Handlers,
    InvalidArgumentError,
    ResponseError,
    Sidecar,
    SidecarClosedError,
    SidecarError,
    StatusChanged,
    SyncSidecar,
    ToolsChanged,
)
from mcp_sidecar.protocol import ProgressValue

from .patience import PATIENCE
from .world import BINARY, WorldCase, wait_gone

SCRIPT = """
tool echo
tool held
tool steps
on tools/call held
  progress 1
  hold for-ever
on tools/call steps
  progress 1 2 one
  progress 2 2 two
  default
"""


class SyncCase(WorldCase):
    def sync(self, **options: Any) -> SyncSidecar:
        return SyncSidecar(**self.options({"s": self.script(SCRIPT)}, **options))

    def scripted(self, way: str, **options: Any) -> SyncSidecar:
        """One with a program of tests/scripted_sidecar.py."""
        script = str(Path(__file__).parent / "scripted_sidecar.py")
        return SyncSidecar(**self.options(binary=sys.executable, args=[script, way], **options))

    def in_thread(self, target: Any) -> threading.Thread:
        thread = threading.Thread(target=target)
        thread.start()
        self.addCleanup(thread.join)
        return thread


class Use(SyncCase):
    def test_is_as_that_of_a_sidecar(self) -> None:
        with self.sync() as sidecar:
            self.assertEqual(
                [tool["name"] for tool in sidecar.tools], ["mcp_s_echo", "mcp_s_held", "mcp_s_steps"]
            )
            self.assertEqual((sidecar.binary, sidecar.closed, sidecar.errors), (BINARY, None, ()))
            self.assertEqual((sidecar.revision, sidecar.exa_api_keys), (1, ()))
            self.assertEqual(repr(sidecar), "<SyncSidecar 3 tools of 1 servers>")
            self.assertEqual([server["name"] for server in sidecar.servers], ["s"])
            self.assertIn("tools/call", sidecar.methods)
            assert sidecar.info is not None
            for tool in ("mcp_s_echo", ("s", "echo")):
                outcome = sidecar.call(tool, {"a": 1})
                self.assertEqual(outcome["result"]["content"][0]["text"], 'echo {"a":1}')
            self.assertEqual(sidecar.search("echo", limit=1)[0]["name"], "mcp_s_echo")
            self.assertEqual(sidecar.wait(timeout=1)["connected"], ["s"])
            self.assertEqual(sidecar.logs("s", lines=1)["noise"]["count"], 0)
            self.assertTrue(sidecar.doctor("s")["healthy"])
            self.assertEqual(sidecar.disconnect("s")["phase"], "stopped")
            self.assertEqual(sidecar.tools, ())
            self.assertEqual(sidecar.connect("s")["phase"], "ready")
            self.assertEqual(sidecar.reload("changed")["revision"], sidecar.revision)
            self.assertEqual(sidecar.configure({"disabled": ["s/held"]})["hash"], sidecar.hash)
            self.assertEqual(len(sidecar.request("mcp/servers")["servers"]), 1)
            with self.assertRaises(ResponseError):
                sidecar.call("nothing")
            with self.assertRaises(InvalidArgumentError):
                sidecar.call("mcp_s_echo", "[]")
        assert sidecar.pid is not None
        wait_gone(sidecar.pid)

    def test_has_every_method_with_the_same_parameters(self) -> None:
        for name, method in inspect.getmembers(Sidecar, inspect.isfunction):
            if name.startswith("_") or name in ("initialize", "subscribe"):
                continue
            own = inspect.signature(getattr(SyncSidecar, name))
            theirs = inspect.signature(method)
            self.assertEqual(own.parameters, theirs.parameters, name)
        for name, _ in inspect.getmembers(Sidecar, lambda member: isinstance(member, property)):
            self.assertTrue(isinstance(getattr(SyncSidecar, name), property), name)
        self.assertEqual(inspect.signature(SyncSidecar).parameters, inspect.signature(Sidecar).parameters)

    def test_from_many_threads_at_once(self) -> None:
        with self.sync() as sidecar, ThreadPoolExecutor(32) as pool:

            def call(number: int) -> str:
                return sidecar.call("mcp_s_echo", {"n": number})["result"]["content"][0]["text"]

            texts = list(pool.map(call, range(500)))
        self.assertEqual(texts, [f'echo {{"n":{number}}}' for number in range(500)])

    def test_progress_is_told_in_the_thread_that_calls(self) -> None:
        told: list[tuple[str, ProgressValue]] = []
        with self.sync() as sidecar:
            sidecar.call(
                "mcp_s_steps", on_progress=lambda value: told.append((threading.current_thread().name, value))
            )
        self.assertEqual({name for name, _ in told}, {threading.current_thread().name})
        self.assertEqual(told[-1][1], {"progress": 2, "total": 2, "message": "two"})

    def test_what_on_progress_raises_ends_the_call(self) -> None:
        def give_up(value: ProgressValue) -> None:
            raise ZeroDivisionError(value)

        with self.sync() as sidecar:
            with self.assertRaises(ZeroDivisionError):
                sidecar.call("mcp_s_held", on_progress=give_up)
            self.assertIn("content", sidecar.call("mcp_s_echo")["result"])

    def test_a_coroutine_function_is_no_callback(self) -> None:
        async def told(value: object) -> None:
            raise AssertionError(value)

        with self.sync() as sidecar, self.assertRaisesRegex(InvalidArgumentError, "^on_progress is called"):
            sidecar.call("mcp_s_steps", on_progress=told)
        with self.assertRaisesRegex(InvalidArgumentError, "^stderr is called and not awaited"):
            SyncSidecar(stderr=told)

    def test_a_server_that_is_silent_for_too_long_is_a_result(self) -> None:
        with self.sync() as sidecar:
            outcome = sidecar.call("mcp_s_held", timeout=0.05)
        self.assertTrue(outcome["result"]["isError"])
        self.assertEqual(outcome["details"]["error"]["code"], "timeout")


class StartAndEnd(SyncCase):
    def test_what_the_end_of_the_loop_cancels_fails_as_closed(self) -> None:
        sidecar = self.sync().start()
        thread = sidecar._thread
        assert thread is not None
        future = thread.submit(lambda: asyncio.sleep(PATIENCE))
        sidecar.close()
        with self.assertRaises(SidecarClosedError):
            sidecar._result(future)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_in_a_fork_it_waits_for_nothing_and_ends_nothing(self) -> None:
        with self.sync() as sidecar:
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    sidecar.close()
                    sidecar.search("x")
                except SidecarError as error:
                    code = 0 if "forked" in str(error) else 2
                finally:
                    os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(sidecar.search("nothing"), [])

    def test_a_start_that_fails_leaves_nothing(self) -> None:
        sidecar = self.sync(binary="/no/such/file")
        with self.assertRaises(BinaryNotFoundError):
            sidecar.start()
        self.assertEqual([t for t in threading.enumerate() if t.name.startswith("mcp-sidecar")], [])
        with self.assertRaisesRegex(SidecarError, "started before"):
            sidecar.start()

    def test_before_the_start_only_events_and_close_make_sense(self) -> None:
        sidecar = self.sync()
        with self.assertRaisesRegex(SidecarError, "was not started: use it in `with`"):
            sidecar.call("t")
        self.assertEqual(sidecar.tools, ())
        sidecar.close()

    def test_after_the_end_everything_fails_with_the_reason(self) -> None:
        with self.sync() as sidecar:
            pass
        sidecar.close()
        for _ in range(2):
            with self.assertRaisesRegex(SidecarClosedError, "this program has closed the sidecar"):
                sidecar.call("t")
        self.assertEqual([type(event) for event in sidecar.events()], [Closed])

    def test_closing_by_several_fails_those_who_wait(self) -> None:
        sidecar = self.sync().start()
        begun = threading.Barrier(9)
        failures: SimpleQueue[BaseException] = SimpleQueue()

        def call() -> None:
            told = iter([begun.wait])
            try:
                # The first progress says that the call is at its server.
                sidecar.call("mcp_s_held", on_progress=lambda _: next(told, lambda: None)())
            except SidecarError as error:
                failures.put(error)

        callers = [self.in_thread(call) for _ in range(8)]
        begun.wait(PATIENCE)
        closers = [self.in_thread(sidecar.close) for _ in range(3)]
        for thread in callers + closers:
            thread.join(PATIENCE)
        for _ in callers:
            error = failures.get_nowait()
            self.assertIsInstance(error, SidecarClosedError)
        self.assertEqual([t for t in threading.enumerate() if t.name == "mcp-sidecar loop"], [])

    def test_the_death_of_the_process_is_told_to_those_who_wait(self) -> None:
        with self.scripted("answers_and_dies") as sidecar:
            events = sidecar.events()
            for _ in range(3):
                self.in_thread(lambda: sidecar.call("t"))
            last = list(events)[-1]
            assert isinstance(last, Closed)
            self.assertEqual(last.reason.exit_code, 3)
            with self.assertRaisesRegex(SidecarClosedError, "exit code 3"):
                sidecar.call("t")


class Events(SyncCase):
    def test_are_told_from_when_they_were_asked_for(self) -> None:
        sidecar = self.sync()
        early = sidecar.events()
        with sidecar:
            self.assertIsInstance(next(early), StatusChanged)
            late = sidecar.events()
            sidecar.disconnect("s")
        changes = [event for event in late if isinstance(event, (ToolsChanged, Closed))]
        self.assertEqual([type(event) for event in changes], [ToolsChanged, Closed])
        self.assertIsInstance(list(early)[-1], Closed)

    def test_that_are_closed_end_for_one_who_waits(self) -> None:
        with self.sync() as sidecar:
            events = sidecar.events()
            read: SimpleQueue[list[object]] = SimpleQueue()
            reader = self.in_thread(lambda: read.put(list(events)))
            events.close()
            reader.join(PATIENCE)
            self.assertIsInstance(read.get_nowait(), list)


class Callbacks(SyncCase):
    def test_handlers_are_called_in_threads_and_may_use_the_sidecar(self) -> None:
        asked: SimpleQueue[tuple[str, Any]] = SimpleQueue()

        def approve(question: Any) -> dict[str, Any]:
            outcome = sidecar.call("t")
            asked.put((threading.current_thread().name, (question, outcome["details"])))
            return {"s": "allow"}

        sidecar = self.scripted("asks", handlers=Handlers(approve=approve))
        with sidecar:
            answer = sidecar.request_any("x/answer", {})
            name, (question, _) = asked.get(timeout=PATIENCE)
            self.assertEqual((name, question), ("mcp-sidecar handler", {"servers": []}))
            self.assertEqual(answer["result"], {"decisions": {"s": "allow"}})

    def test_a_coroutine_is_a_handler_too(self) -> None:
        async def approve(question: Any) -> dict[str, Any]:
            return {"s": "deny"}

        with self.scripted("asks", handlers=Handlers(approve=approve)) as sidecar:
            self.assertEqual(sidecar.request_any("x/answer", {})["result"], {"decisions": {"s": "deny"}})

    def test_a_handler_that_raises_is_answered_for(self) -> None:
        def approve(question: Any) -> dict[str, Any]:
            raise LookupError("no display")

        with self.scripted("asks", handlers=Handlers(approve=approve)) as sidecar:
            error = sidecar.request_any("x/answer", {})["error"]
            self.assertEqual(error["message"], "LookupError: no display")

    def test_one_that_blocks_for_ever_holds_up_nothing(self) -> None:
        begun, never = threading.Event(), threading.Event()
        self.addCleanup(never.set)

        def approve(question: Any) -> None:
            begun.set()
            never.wait()

        with self.scripted("asks", handlers=Handlers(approve=approve)) as sidecar:
            begun.wait(PATIENCE)
            sidecar.call("t")

    def test_the_sidecars_own_thread_cannot_wait_for_it(self) -> None:
        failures: SimpleQueue[Exception] = SimpleQueue()

        def listen(line: str) -> None:
            for attempt in (lambda: sidecar.call("t"), sidecar.close, sidecar.events):
                try:
                    attempt()
                except SidecarError as error:
                    failures.put(error)

        sidecar = self.scripted("complains", stderr=listen)
        with sidecar:
            for _ in range(3):
                self.assertIn("a callback in the sidecar's own thread", str(failures.get(timeout=PATIENCE)))


if __name__ == "__main__":
    unittest.main()
