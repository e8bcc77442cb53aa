"""The example tells what it promises, cold and warm, fails when something is missing, and leaves no process.

    PYTHONPATH=agent/python python3 -m unittest discover examples/agent-python

It needs what the example needs.
"""

from __future__ import annotations

import io
import re
import signal
import tempfile
import unittest
import uuid
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mcp_sidecar import CallOutcome

from agent import run
from model import ARGUMENTS, BUSY, FILES, PATIENCE, SUM, next_calls
from played import Run, processes_with, started
from story import Story


def sessions(run: Run) -> tuple[str, str]:
    """What is told of the cold session and of the warm one."""
    _, cold, warm = re.split(r"\n(?=cold: |warm: )", run.out)
    return cold, warm


class Example(unittest.TestCase):
    run_: Run

    @classmethod
    def setUpClass(cls) -> None:
        # So slow that it comes last on a busy machine too.
        cls.run_ = Run("main.py", "--slow", "4")

    def test_it_succeeds_and_leaves_no_process(self) -> None:
        self.assertEqual((self.run_.code, self.run_.err), (0, ""), self.run_.out)
        self.assertEqual(self.run_.left, [])

    def test_cold_the_tools_of_files_arrive_in_the_middle_of_the_conversation(self) -> None:
        cold, _ = sessions(self.run_)
        self.check_order(
            cold,
            r"cold: .*files takes 4 s to start",
            r"session open ",
            r"files +initializing +no tools",
            r"model +request 1, with \d+ tools$",
            r"call mcp_everything_get-sum",
            r"The sum of 17 and 25 is 42\.",
            r"model +request 2, with \d+ tools",
            r"call mcp_everything_trigger-long-running-operation",
            r"tools changed .*connected: .*files",
            r"model +request \d+, with \d+ tools, \d+ of them new",
            r"call mcp_files_list_directory",
            r"files/list_directory took \d+ ms$",
            r"assistant +The sum of 17 and 25 is 42\. The project has .*package\.json",
            r"has ended, and every server with it",
        )
        self.check_order(
            cold, r"trigger-long-running", r"progress +1 of 6", r"progress +6 of 6", r"operation took \d+ ms"
        )

    def test_warm_they_are_there_at_once_and_the_call_waits(self) -> None:
        _, warm = sessions(self.run_)
        self.check_order(
            warm,
            r"session open +\d+ tools: \d+ live, \d+ deferred",
            r"files +initializing +\d+ deferred",
            r"model +request 1, with \d+ tools$",
            r"call mcp_files_list_directory",
            r"server +files +ready +\d+ live",
            r"files/list_directory took \d+ ms, after \d+ ms of waiting for its server",
            r"model +request 2, with \d+ tools$",
            r"assistant +The sum of 17 and 25 is 42\. The project has .*package\.json",
            r"has ended, and every server with it",
        )
        self.assertNotIn("tools changed", warm)

    def check_order(self, text: str, *patterns: str) -> None:
        """Each pattern is in a line after that of the one before."""
        lines = iter(text.splitlines())
        for pattern in patterns:
            self.assertTrue(
                any(re.search(pattern, line) for line in lines), f"no line {pattern!r} in:\n{text}"
            )


class Failing(unittest.TestCase):
    def test_without_servers_it_says_what_to_install(self) -> None:
        with tempfile.TemporaryDirectory() as project:
            run = Run("main.py", "--project", project)
        self.assertEqual((run.code, run.out), (1, ""))
        self.assertIn("npm ci --ignore-scripts", run.err)

    def test_without_the_server_that_it_needs_it_fails(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            project = Path(directory)
            (project / "node_modules").mkdir()
            (project / ".mcp.json").write_text("{}")
            run = Run("main.py", "--project", directory)
        self.assertEqual(run.code, 1)
        self.assertIn("everything", run.err)
        self.assertEqual(run.left, [])

    def test_without_the_program_it_fails(self) -> None:
        run = Run("main.py", "--sidecar", "/nowhere/mcp-sidecar")
        self.assertEqual(run.code, 1)
        self.assertIn("/nowhere/mcp-sidecar", run.err)


@unittest.skipUnless(Path("/proc/self/environ").exists(), "needs /proc, to see whose processes there are")
class Interrupted(unittest.TestCase):
    def test_it_leaves_no_process(self) -> None:
        mark = uuid.uuid4().hex
        with tempfile.TemporaryDirectory() as home, started("main.py", home, mark) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if "trigger-long-running-operation" in line:
                    break
            # The example, the sidecar and the server that runs the operation, at least.
            self.assertGreaterEqual(len(processes_with(mark)), 3)
            process.send_signal(signal.SIGINT)
            process.communicate()
            self.assertEqual((process.returncode, processes_with(mark)), (130, []))


class Agent(unittest.IsolatedAsyncioTestCase):
    async def test_without_tools_it_offers_none_and_silence_is_no_answer(self) -> None:
        class Silent:
            """A model that says nothing. It takes no empty list of tools, as OpenAI's."""

            def __init__(self) -> None:
                self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))

            async def create(self, *, model: str, messages: list[Any]) -> SimpleNamespace:
                message = SimpleNamespace(role="assistant", content=None, tool_calls=None)
                return SimpleNamespace(choices=[SimpleNamespace(message=message)])

        class Nothing:
            tools = ()

            async def call(self, *_: object, **__: object) -> CallOutcome:
                raise AssertionError("there is nothing to call")

        with redirect_stdout(io.StringIO()):
            answer = await run(Silent(), Nothing(), "Go.", Story("silence"))
        self.assertEqual(answer, "")


class Model(unittest.TestCase):
    def test_it_decides_by_the_tools_and_the_results_that_it_has(self) -> None:
        everything, files = ["a_get-sum", "a_trigger-long-running-operation"], ["b_list_directory"]
        for names, results, calls in (
            ([], {}, []),
            (everything, {}, [SUM]),
            (files, {}, [FILES]),
            (everything + files, {}, [SUM, FILES]),
            (everything, {SUM: ["42"]}, [BUSY]),
            (everything, {SUM: ["42"], BUSY: ["done"] * PATIENCE}, []),
            (everything + files, {SUM: ["42"], BUSY: ["done"]}, [FILES]),
            (everything + files, {SUM: ["42"], FILES: ["[FILE] a"]}, []),
        ):
            with self.subTest(names=names, results=results):
                given = {tool: results.get(tool, []) for tool in ARGUMENTS}
                self.assertEqual(next_calls([SUM, FILES], names, given), calls)


if __name__ == "__main__":
    unittest.main()
