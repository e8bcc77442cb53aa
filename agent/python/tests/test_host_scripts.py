"""A program that uses a sidecar ends as it would without one, without a word, and leaves nothing.

Each test is a program of its own, run with every warning an error and asyncio in debug mode.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import unittest

from mcp_sidecar.protocol import ServerConfig

from .patience import PATIENCE
from .world import BINARY, PACKAGE, WorldCase, wait_gone

ECHO = """
tool echo
tool held
on tools/call held
  progress 1
  hold for-ever
"""

BEGINNING = """
import asyncio, json, logging, os, pathlib, signal, sys, threading
from mcp_sidecar import *

# A program that runs in the background has its interrupts ignored, and Python then leaves it at that.
signal.signal(signal.SIGINT, signal.default_int_handler)
# In debug mode asyncio says what took longer than a tenth of a second, which is the machine's affair.
logging.getLogger("asyncio").addFilter(lambda record: not record.getMessage().startswith("Executing "))
options = json.loads(sys.argv[1])

def tell(sidecar):
    pids = [sidecar.pid, *(server["pid"] for server in sidecar.servers if "pid" in server)]
    print(json.dumps(pids), flush=True)

def text(outcome):
    return outcome["result"]["content"][0]["text"]
"""


def first_line(pipe: int) -> bytes:
    """Reads no further than that: what a buffer had of the next lines, `communicate` would miss."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(pipe, 1)):
        line += byte
    return line


class HostScript(WorldCase):
    def start(self, script: str, server: ServerConfig | None = None) -> subprocess.Popen[str]:
        """Starts a program, and notes the processes that it tells first."""
        servers = {"s": server or self.script(ECHO)}
        options = self.options(servers, cwd=str(self.project), binary=str(BINARY))
        host = subprocess.Popen(
            [
                sys.executable,
                "-X",
                "dev",
                "-W",
                "error",
                "-c",
                BEGINNING + textwrap.dedent(script),
                json.dumps(options),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=PACKAGE,
        )
        self.addCleanup(host.__exit__, None, None, None)
        self.addCleanup(host.kill)
        assert host.stdout is not None
        line = first_line(host.stdout.fileno())
        if not line:
            self.fail(host.communicate(timeout=PATIENCE)[1])
        self.pids = json.loads(line)
        return host

    def finish(self, host: subprocess.Popen[str], code: int = 0, stderr: str = "") -> str:
        """Waits for its end and that of its processes, and gives what else it printed."""
        output, errors = host.communicate(timeout=PATIENCE)
        if stderr:
            self.assertRegex(errors, stderr)
        else:
            self.assertEqual(errors, "")
        self.assertEqual(host.returncode, code)
        for pid in self.pids:
            wait_gone(pid)
        return output

    def check(
        self,
        script: str,
        output: str = "",
        code: int = 0,
        stderr: str = "",
        server: ServerConfig | None = None,
    ) -> None:
        self.assertEqual(self.finish(self.start(script, server), code, stderr), output)


class WithoutClose(HostScript):
    def test_that_keeps_its_sidecar_to_the_end(self) -> None:
        self.check(
            """
            sidecar = Sidecar(**options)
            async def main():
                tell(await sidecar.start())
                print(text(await sidecar.call("mcp_s_echo", {"a": 1})))
            asyncio.run(main())
            """,
            'echo {"a":1}\n',
        )

    def test_that_closes_its_loop_and_nothing_else(self) -> None:
        self.check(
            """
            loop = asyncio.new_event_loop()
            sidecar = loop.run_until_complete(Sidecar(**options).start())
            tell(sidecar)
            loop.close()
            """
        )

    def test_in_the_middle_of_a_call(self) -> None:
        self.check(
            """
            async def main():
                sidecar = await Sidecar(**options).start()
                tell(sidecar)
                begun = asyncio.Event()
                calling = asyncio.create_task(sidecar.call("mcp_s_held", on_progress=lambda _: begun.set()))
                await begun.wait()
            asyncio.run(main())
            """
        )

    def test_that_forgets_it_and_goes_on(self) -> None:
        host = self.start(
            """
            loop = asyncio.new_event_loop()
            sidecar = loop.run_until_complete(Sidecar(**options).start())
            tell(sidecar)
            loop.close()
            del sidecar
            sys.stdin.read()
            """
        )
        for pid in self.pids:
            wait_gone(pid)
        self.assertIsNone(host.poll())
        self.finish(host)

    def test_that_closes_it_in_another_loop(self) -> None:
        host = self.start(
            """
            sidecar = Sidecar(**options)
            async def main():
                tell(await sidecar.start())
            async def close():
                await sidecar.close()
                await sidecar.close()
            asyncio.run(main())
            asyncio.run(close())
            print(sidecar.closed, flush=True)
            sys.stdin.read()
            """
        )
        for pid in self.pids:
            wait_gone(pid)
        self.assertIsNone(host.poll())
        self.assertEqual(self.finish(host), "this program has closed the sidecar\n")

    def test_that_exits_inside_the_loop(self) -> None:
        self.check(
            """
            async def main():
                tell(await Sidecar(**options).start())
                sys.exit(3)
            asyncio.run(main())
            """,
            code=3,
        )

    def test_that_ends_without_any_ceremony(self) -> None:
        self.check(
            """
            async def main():
                tell(await Sidecar(**options).start())
                os._exit(4)
            asyncio.run(main())
            """,
            code=4,
        )

    def test_that_is_killed(self) -> None:
        host = self.start(
            """
            async def main():
                tell(await Sidecar(**options).start())
                await asyncio.Event().wait()
            asyncio.run(main())
            """
        )
        host.kill()
        self.finish(host, -signal.SIGKILL)


class WithClose(HostScript):
    def test_that_raises_in_the_middle(self) -> None:
        self.check(
            """
            async def main():
                async with Sidecar(**options) as sidecar:
                    tell(sidecar)
                    raise ZeroDivisionError("mine")
            asyncio.run(main())
            """,
            code=1,
            stderr=r"\nZeroDivisionError: mine\n$",
        )

    def test_that_is_interrupted_while_it_calls(self) -> None:
        self.check(
            """
            async def main():
                async with Sidecar(**options) as sidecar:
                    tell(sidecar)
                    interrupt = lambda _: signal.raise_signal(signal.SIGINT)
                    try:
                        await sidecar.call("mcp_s_held", on_progress=interrupt)
                    finally:
                        await asyncio.sleep(0)
                        print("closed:", sidecar.closed)
            asyncio.run(main())
            """,
            "closed: None\n",
            code=-signal.SIGINT,
            stderr=r"^Traceback[\s\S]*\nKeyboardInterrupt\n$",
        )

    def test_that_gives_up_after_a_while(self) -> None:
        self.check(
            """
            async def main():
                async with Sidecar(**options) as sidecar:
                    tell(sidecar)
                    try:
                        await asyncio.wait_for(sidecar.call("mcp_s_held"), 0.01)
                    except asyncio.TimeoutError:
                        print("too slow")
                    print(text(await sidecar.call("mcp_s_echo", {})))
            asyncio.run(main())
            """,
            "too slow\necho {}\n",
        )


class Sync(HostScript):
    def test_that_never_closes(self) -> None:
        self.check(
            """
            sidecar = SyncSidecar(**options).start()
            tell(sidecar)
            print(text(sidecar.call("mcp_s_echo", {"a": 1})))
            """,
            'echo {"a":1}\n',
        )

    def test_that_ends_while_a_thread_calls_and_another_reads_events(self) -> None:
        self.check(
            """
            sidecar = SyncSidecar(**options).start()
            tell(sidecar)
            begun = threading.Event()
            def call():
                sidecar.call("mcp_s_held", on_progress=lambda _: begun.set())
            def read():
                for event in sidecar.events():
                    pass
            for target in (call, read):
                threading.Thread(target=target, daemon=True).start()
            begun.wait()
            """
        )

    def test_that_forgets_it_and_goes_on(self) -> None:
        host = self.start(
            """
            sidecar = SyncSidecar(**options).start()
            tell(sidecar)
            del sidecar
            for thread in threading.enumerate():
                if thread is not threading.current_thread():
                    thread.join()
            print("nothing is left", flush=True)
            sys.stdin.read()
            """
        )
        for pid in self.pids:
            wait_gone(pid)
        self.assertIsNone(host.poll())
        self.assertEqual(self.finish(host), "nothing is left\n")

    def test_an_interrupt_cancels_the_call_also_at_its_server_and_nothing_else(self) -> None:
        for options in ("", ", on_progress=print"):
            with self.subTest(options=options):
                pipe = self.root / f"pipe{len(options)}"
                os.mkfifo(pipe)
                self.check(
                    f"""
                    with SyncSidecar(**options) as sidecar:
                        tell(sidecar)
                        def interrupt():
                            pathlib.Path({str(pipe)!r}).read_text()
                            os.kill(os.getpid(), signal.SIGINT)
                        threading.Thread(target=interrupt).start()
                        try:
                            sidecar.call("mcp_s_wait"{options})
                        except KeyboardInterrupt:
                            print("interrupted")
                        report = json.loads(text(sidecar.call("mcp_s_report")))
                        print(sorted(message["method"] for message in report[-2:]))
                    """,
                    "interrupted\n['notifications/cancelled', 'tools/call']\n",
                    server=self.recording(pipe),
                )

    def test_an_interrupt_of_the_start_leaves_nothing(self) -> None:
        self.check(
            """
            sidecar = SyncSidecar(**options)
            events = sidecar.events()
            def interrupt():
                next(events)
                tell(sidecar)
                os.kill(os.getpid(), signal.SIGINT)
            threading.Thread(target=interrupt).start()
            try:
                sidecar.start()
            except KeyboardInterrupt:
                print("interrupted")
            """,
            "interrupted\n",
            server=self.script("on initialize\n  hold for-ever\non server/discover\n  hold for-ever\n"),
        )


if __name__ == "__main__":
    unittest.main()
