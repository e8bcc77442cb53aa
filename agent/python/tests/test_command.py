"""The command `mcp-sidecar` of this package becomes the program, and says so if it cannot."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from mcp_sidecar import BinaryNotFoundError, Place
from mcp_sidecar.__main__ import main

from .patience import PATIENCE
from .world import BINARY, PACKAGE, WorldCase


class Command(WorldCase):
    def run_command(self, program: Path | str, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "mcp_sidecar", *args],
            cwd=self.project,
            env={**self.env, "MCP_SIDECAR": str(program), "PYTHONPATH": str(PACKAGE)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def program(self, text: str, name: str = "program") -> Path:
        path = self.root / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def test_is_the_program(self) -> None:
        version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True)
        ran = self.run_command(BINARY, "--version")
        self.assertEqual((ran.stdout, ran.stderr, ran.returncode), (version.stdout, "", 0))
        self.assertIn("mcp-sidecar", ran.stdout)

    def test_has_its_exit_code(self) -> None:
        ran = self.run_command(BINARY, "--no-such-flag")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("no-such-flag", ran.stderr)

    def test_says_where_it_looked(self) -> None:
        error = BinaryNotFoundError("there is none", [Place("here", "is empty")])
        said = io.StringIO()
        with (
            mock.patch("mcp_sidecar.__main__.find_binary", side_effect=error),
            contextlib.redirect_stderr(said),
        ):
            self.assertEqual(main(), 127)
        self.assertEqual(said.getvalue(), "mcp-sidecar: there is none\n")

    def test_says_why_the_program_does_not_start(self) -> None:
        path = self.program("\x7fELF of another kind")
        ran = self.run_command(path)
        self.assertEqual(ran.returncode, 126)
        self.assertRegex(
            ran.stderr, f"^mcp-sidecar: {path} cannot be started: it is no program for this machine"
        )

    def test_does_not_become_itself_for_ever(self) -> None:
        # As with a version manager's shim, which finds the command of this package again.
        again = self.program(f'exec "{sys.executable}" -m mcp_sidecar "$@"\n', "again")
        shim = self.program(f'#!/bin/sh\n. "{again}"\n', "shim")
        ran = self.run_command(shim)
        self.assertEqual(ran.returncode, 127)
        self.assertEqual(
            ran.stderr, f"mcp-sidecar: {shim} starts this command again, which would look for it for ever\n"
        )

    def test_passes_the_environment_on(self) -> None:
        path = self.program('#!/bin/sh\necho "$MARK"\n')
        with mock.patch.dict(os.environ, {"MARK": "marked"}):
            self.assertEqual(self.run_command(path).stdout, "marked\n")


if __name__ == "__main__":
    unittest.main()
