"""The agent that delegates gets both answers over one set of processes, and no process is left.

    PYTHONPATH=agent/python python3 -m unittest discover examples/agent-python

It needs what the example needs.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

from played import Run, processes_with, started

SUB_AGENT = Path(__file__).parent / "sub_agent.py"

# An MCP server whose tools never answer.
SILENT = """
import json, sys

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("get-sum", "list_directory")]
ANSWERS = {
    "initialize": {"capabilities": {"tools": {}}, "serverInfo": {"name": "silent", "version": "1"}},
    "tools/list": {"tools": TOOLS},
}
for message in map(json.loads, sys.stdin):
    method, answer = message["method"], {"jsonrpc": "2.0", "id": message.get("id")}
    if method in ANSWERS:
        version = message.get("params", {}).get("protocolVersion")
        print(json.dumps({**answer, "result": {"protocolVersion": version, **ANSWERS[method]}}), flush=True)
    elif "id" in message and method != "tools/call":
        print(json.dumps({**answer, "error": {"code": -32601, "message": method}}), flush=True)
"""


class Example(unittest.TestCase):
    run_: Run

    @classmethod
    def setUpClass(cls) -> None:
        cls.run_ = Run("delegate.py")

    def test_it_succeeds_and_leaves_no_process(self) -> None:
        self.assertEqual(self.run_.code, 0, self.run_.err)
        self.assertEqual(self.run_.left, [])

    def test_both_answers_come_from_tools_of_its_session(self) -> None:
        self.assertRegex(self.run_.out, r"<- sums +The sum of 17 and 25 is 42\.\n")
        self.assertRegex(self.run_.out, r"<- files +The project has .*package\.json")
        self.assertRegex(self.run_.out, r"everything \d+, files \d+, memory \d+, thinking \d+\n$")

    def test_each_of_the_others_joins_and_makes_its_own_calls(self) -> None:
        told = {
            who: [line.partition(" | ")[2] for line in self.run_.err.splitlines() if line.startswith(who)]
            for who in ("sums", "files")
        }
        self.assertEqual(sum(map(len, told.values())), len(self.run_.err.splitlines()))
        for who, tool in (("sums", "mcp_everything_get-sum"), ("files", "mcp_files_list_directory")):
            text = "\n".join(told[who])
            self.assertRegex(text, r"<- joined +\d+ tools of 5 servers\n")
            self.assertEqual(re.findall(r"<- model +call (\S+)", text), [tool])


class Failing(unittest.TestCase):
    def test_without_servers_a_sub_agent_has_no_answer_and_that_is_said(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "node_modules").mkdir()
            (Path(directory) / ".mcp.json").write_text("{}")
            run = Run("delegate.py", "--project", directory)
        self.assertEqual(run.code, 1)
        self.assertIn("agent: it did not happen that sums answers, not: I have no tool for this.", run.err)
        self.assertEqual(run.left, [])

    def test_a_sub_agent_without_a_session_says_what_it_lacks(self) -> None:
        ran = subprocess.run(
            [sys.executable, str(SUB_AGENT), "sums", "What is 17 and 25?"],
            env={name: value for name, value in os.environ.items() if name != "MCP_SIDECAR_ENDPOINT"},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertIn("sub-agent sums: there is no session to join: MCP_SIDECAR_ENDPOINT", ran.stderr)


@unittest.skipUnless(Path("/proc/self/environ").exists(), "needs /proc, to see whose processes there are")
class Interrupted(unittest.TestCase):
    def test_it_leaves_no_process(self) -> None:
        mark = uuid.uuid4().hex
        with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as project:
            (Path(project) / "node_modules").mkdir()
            silent = {"command": sys.executable, "args": ["-c", SILENT]}
            (Path(project) / ".mcp.json").write_text(json.dumps({"mcpServers": {"everything": silent}}))
            with started("delegate.py", home, mark, "--project", project) as process:
                assert process.stderr is not None
                calls = 0
                while calls < 2 and (line := process.stderr.readline()):
                    calls += " call mcp_everything_" in line
                # The example, its sidecar, the server, and two sub-agents with their ways to the session.
                self.assertGreaterEqual(len(processes_with(mark)), 7)
                process.send_signal(signal.SIGINT)
                _, rest = process.communicate()
                self.assertEqual((process.returncode, processes_with(mark)), (130, []))
                self.assertNotIn("Traceback", rest)


if __name__ == "__main__":
    unittest.main()
