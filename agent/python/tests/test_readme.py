"""What README.md shows is right as it is written: its types, and what it does."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import threading
import unittest

from .patience import PATIENCE
from .world import BINARY, PACKAGE, WorldCase

# What the blocks that are not whole programs take for granted.
GIVEN = """
from __future__ import annotations
from typing import Any
from anthropic import AsyncAnthropic
from anthropic.types import MessageParam
from langchain_core.language_models import BaseChatModel
from openai import AsyncOpenAI
from mcp_sidecar import Sidecar, SyncSidecar
"""
PARAMETERS = {
    "openai": "AsyncOpenAI",
    "anthropic": "AsyncAnthropic",
    "chat_model": "BaseChatModel",
    "items": "list[Any]",
    "messages": "list[MessageParam]",
    "model": "str",
    "sidecar": "Sidecar",
}


def blocks() -> list[str]:
    """The blocks of Python, in order."""
    text = (PACKAGE / "README.md").read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def program(block: str) -> str:
    """A block as a module: as it is, or as the body of a coroutine that is given what it uses."""
    if "asyncio.run(" in block or "async def" in block:
        return block
    imports = [line for line in block.splitlines() if re.match(r"(from|import) ", line)]
    body = [line for line in block.splitlines() if line not in imports]
    made = set(re.findall(r"^(?:with .* as )?(\w+)(?::$| = )", "\n".join(body), re.MULTILINE))
    made |= set(re.findall(r"^with .* as (\w+):", "\n".join(body), re.MULTILINE))
    given = ", ".join(f"{name}: {kind}" for name, kind in PARAMETERS.items() if name not in made)
    return "\n".join(
        [GIVEN, *imports, f"async def main({given}) -> None:", textwrap.indent("\n".join(body), "    ")]
    )


class Readme(WorldCase):
    def test_has_what_is_checked_here(self) -> None:
        self.assertGreaterEqual(len(blocks()), 10)

    def test_warns_of_what_it_trusts_at_the_first_example(self) -> None:
        text = (PACKAGE / "README.md").read_text()
        after = text[text.index("```python") :]
        after = after[after.index("```\n") :]
        self.assertTrue(after.startswith("```\n\n> **What this trusts.**"))
        self.assertIn("servers are started without asking**", after)

    @unittest.skipUnless(
        all(importlib.util.find_spec(name) for name in ("mypy", "openai", "anthropic", "langchain")),
        "needs requirements-dev.txt",
    )
    def test_is_typed_right(self) -> None:
        files = []
        for number, block in enumerate(blocks()):
            path = self.root / f"block_{number}.py"
            path.write_text(program(block))
            files.append(str(path))
        command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11", "--no-error-summary"]
        checked = subprocess.run(
            [*command, "--cache-dir", str(self.root / "mypy"), *files],
            cwd=PACKAGE,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(checked.stdout + checked.stderr, "")

    def run_block(self, block: str, **env: str) -> str:
        path = self.root / "example.py"
        path.write_text(block)
        ran = subprocess.run(
            [sys.executable, "-X", "dev", "-W", "error", str(path)],
            cwd=self.project,
            env={**self.env, "MCP_SIDECAR": str(BINARY), "PYTHONPATH": str(PACKAGE), **env},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        # In debug mode asyncio says what took longer than a tenth of a second, which is the machine's affair.
        complaints = [line for line in ran.stderr.splitlines() if not line.startswith("Executing ")]
        self.assertEqual((complaints, ran.returncode), ([], 0))
        return ran.stdout

    def servers(self, **scripts: str) -> None:
        """Has the project name these servers."""
        entries = {name: self.script(text, name) for name, text in scripts.items()}
        (self.project / ".mcp.json").write_text(json.dumps({"mcpServers": entries}))

    def test_the_first_example_does_what_it_says(self) -> None:
        self.servers(
            files='tool read {"name":"read","description":"Reads a file.","inputSchema":{"type":"object"}}\n'
        )
        self.assertEqual(
            self.run_block(blocks()[0]),
            "1 tools of 1 servers\nmcp_files_read - Reads a file.\n",
        )

    def test_the_first_example_says_what_is_wrong(self) -> None:
        (self.project / ".mcp.json").write_text("{")
        said = self.run_block(blocks()[0])
        self.assertRegex(said, rf"^0 tools of 0 servers\n{re.escape(str(self.project))}/\.mcp\.json - ")

    def test_the_example_with_a_server_of_ones_own_calls_it(self) -> None:
        [block] = [block for block in blocks() if '"npx"' in block]
        entry = self.script("tool read_text_file\n")
        npx = self.root / "bin" / "npx"
        npx.parent.mkdir()
        npx.write_text(f"#!/bin/sh\nexec {shlex.join([entry['command'], *entry['args']])}\n")
        npx.chmod(0o755)
        whole = f"import asyncio\nasync def main():\n{textwrap.indent(block, '    ')}\nasyncio.run(main())\n"
        self.assertEqual(
            self.run_block(whole, PATH=f"{npx.parent}{os.pathsep}{os.environ['PATH']}"),
            "[{'type': 'text', 'text': 'read_text_file {\"path\":\"notes.txt\"}'}]\n",
        )

    def test_the_blocking_example_does_what_it_says(self) -> None:
        self.servers(files="tool read_text_file\non tools/call read_text_file\n  progress 1\n  default\n")
        [block] = [block for block in blocks() if "with SyncSidecar(" in block]
        self.assertEqual(
            self.run_block(block + "print(outcome['result'])"),
            "{'progress': 1}\n"
            "{'content': [{'type': 'text', 'text': 'read_text_file {\"path\":\"notes.txt\"}'}]}\n",
        )

    def test_the_sub_agents_use_the_session_of_the_program_that_starts_them(self) -> None:
        self.servers(files="tool read_text_file\n")
        [owner] = [block for block in blocks() if "sidecar.share()" in block]
        [guest] = [block for block in blocks() if ".join()" in block]
        (self.project / "sub_agent.py").write_text(guest)
        said = self.run_block(owner)
        # Both print to one stdout, and print writes a line in two parts.
        for path in ("notes.txt", "plan.txt"):
            line = f"[{{'type': 'text', 'text': 'read_text_file {{\"path\":\"{path}\"}}'}}]"
            self.assertIn(line, said)
            said = said.replace(line, "", 1)
        self.assertEqual(said, "\n\n")

    def told(self, block: str, last: str) -> str:
        """Runs a block to the line that has this, allows what it asks about, and interrupts it."""
        path = self.root / "example.py"
        # A program that runs in the background has its interrupts ignored.
        path.write_text(f"import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n{block}")
        with subprocess.Popen(
            [sys.executable, "-u", str(path)],
            cwd=self.project,
            env={**self.env, "MCP_SIDECAR": str(BINARY), "PYTHONPATH": str(PACKAGE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as program:
            assert program.stdin is not None
            assert program.stdout is not None
            patience = threading.Timer(PATIENCE, program.kill)
            patience.start()
            program.stdin.write("allow\n")
            program.stdin.flush()
            said = ""
            while last not in said and (line := program.stdout.readline()):
                said += line
            program.send_signal(signal.SIGINT)
            rest = program.stdout.read()
            patience.cancel()
        self.assertRegex(rest, r"^Traceback[\s\S]*\nKeyboardInterrupt\n$")
        return said

    def test_the_example_that_asks_starts_what_is_allowed_and_asks_once(self) -> None:
        self.servers(files="tool read\n")
        [block] = [block for block in blocks() if "def approve" in block]
        said = self.told(block, "1 tools")
        self.assertIn("{'name': 'files', ", said)
        self.assertIn("May 'files' run? (allow, deny, Enter: later) ", said)
        self.assertIn("1 tools", said)
        self.assertEqual(self.told(block, "tools"), "1 tools\n")

    def test_the_transport_of_ones_own_works(self) -> None:
        [block] = [block for block in blocks() if "class Scripted" in block]
        self.assertEqual(self.run_block(block), "")


if __name__ == "__main__":
    unittest.main()
