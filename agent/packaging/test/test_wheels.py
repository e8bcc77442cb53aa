"""The Python packages as users meet them: installed from files into an empty environment, and run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import packages
from host import run, surroundings, users_project
from platforms import PLATFORMS

VERSION = packages.VERSION
HERE = packages.HERE
PURE = f"mcp_sidecar-{VERSION}-py3-none-any.whl"
SDIST = f"mcp_sidecar-{VERSION}.tar.gz"

# What pip looks for on a machine, and whose wheel it must take: None is the one without a binary.
MACHINES = {
    "manylinux_2_17_x86_64": "linux/amd64",
    "musllinux_1_1_aarch64": "linux/arm64",
    "macosx_15_0_arm64": "darwin/arm64",
    "macosx_12_0_x86_64": "darwin/amd64",
    "macosx_11_0_arm64": None,
    "win_amd64": "windows/amd64",
    "win_arm64": "windows/arm64",
    "manylinux_2_31_riscv64": None,
}


class Environment(unittest.TestCase):
    """An empty virtual environment, and a directory that has the Python packages and nothing else."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.home = Path(temporary.name)
        self.found = self.home / "found"
        self.found.mkdir()
        for path in packages.made():
            if path.suffix in (".whl", ".gz"):
                shutil.copy(path, self.found)
        self.environment = surroundings(self.home)
        self.scripts = self.home / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        self.python = self.scripts / "python"
        self.command = self.scripts / "mcp-sidecar"
        self.commands: list[list[Path | str]] = [[self.command], [self.python, "-m", "mcp_sidecar"]]

    def run_here(self, *command: Path | str) -> subprocess.CompletedProcess[str]:
        return run(command, self.home, self.environment)

    def pip(self, python: Path, *arguments: str | Path) -> str:
        """Runs a pip that reads no configuration."""
        return packages.succeed(self.run_here(python, "-m", "pip", "--isolated", *arguments))

    def from_here(self) -> list[str]:
        """Options that make the directory the only place pip knows."""
        return ["--no-index", "--find-links", str(self.found)]

    def activate(self) -> None:
        """Puts the environment's scripts first on PATH, as its activation does."""
        self.environment["PATH"] = f"{self.scripts}:{self.environment['PATH']}"

    def agent(self) -> dict[str, Any]:
        """What the agent tells after its call."""
        script = packages.AGENT / "agent.py"
        told: dict[str, Any] = json.loads(
            packages.succeed(self.run_here(self.python, script, users_project(self.home)))
        )
        self.assertEqual((told["names"], told["text"]), (["mcp_greeter_greet"], "hello pip"))
        return told


class Choosing(Environment):
    """pip takes the wheel of the machine."""

    def test_every_machine_gets_the_wheel_of_its_platform_and_unknown_ones_that_without_a_binary(
        self,
    ) -> None:
        with ThreadPoolExecutor() as pool:
            taken = dict(zip(MACHINES, pool.map(self.taken_for, MACHINES), strict=True))
        files = {platform.name: platform.wheel_file(VERSION) for platform in PLATFORMS}
        wanted = {machine: files.get(platform or "", PURE) for machine, platform in MACHINES.items()}
        self.assertEqual(taken, wanted)

    def taken_for(self, machine: str) -> str:
        """The wheel that pip chooses for a machine."""
        taken = self.home / machine
        options = ["--only-binary=:all:", "--no-deps", f"--platform={machine}", "--dest", str(taken)]
        self.pip(Path(sys.executable), "download", *options, *self.from_here(), "mcp-sidecar")
        (wheel,) = taken.iterdir()
        return wheel.name

    def test_the_source_distribution_builds_the_wheel_without_a_binary(self) -> None:
        options: list[Path | str] = [
            "--no-build-isolation",
            "--no-deps",
            "--no-index",
            "--wheel-dir",
            self.home,
        ]
        self.pip(Path(sys.executable), "wheel", *options, self.found / SDIST)
        self.assertEqual((self.home / PURE).read_bytes(), (self.found / PURE).read_bytes())


class Running(Environment):
    """The wheel of this platform works: the command, the module, an agent, its types."""

    def setUp(self) -> None:
        super().setUp()
        venv.create(self.home / "venv", with_pip=True)
        self.pip(self.python, "install", *self.from_here(), "mcp-sidecar")
        self.bundled = next(self.home.glob(f"venv/**/mcp_sidecar/bin/{HERE.exe}"))

    def test_what_is_installed_runs(self) -> None:
        # One test, since every environment takes seconds to make.
        self.assertEqual(self.bundled.stat().st_mode & 0o111, 0o111)
        for command in self.commands:
            with self.subTest(command=command[-1]):
                self.assertIn(VERSION, packages.succeed(self.run_here(*command, "--version")))
                wrong = self.run_here(*command, "--no-such-option")
                self.assertEqual(wrong.returncode, 2)
                self.assertIn("--no-such-option", wrong.stderr)
        with self.subTest("agent"):
            self.assertEqual(self.agent()["binary"], str(self.bundled))
        with self.subTest("types"):
            options: list[Path | str] = [
                "--strict",
                "--python-executable",
                self.python,
                "--cache-dir",
                self.home / "mypy",
            ]
            script = packages.AGENT / "agent.py"
            packages.succeed(self.run_here(sys.executable, "-m", "mypy", *options, script))


class WithoutTheProgram(Environment):
    """The wheel without a binary runs the program on PATH, never itself, and says what is missing."""

    def setUp(self) -> None:
        super().setUp()
        venv.create(self.home / "venv", with_pip=False)
        pip: list[Path | str] = ["--python", self.python, "install", "--no-index"]
        self.pip(Path(sys.executable), *pip, self.found / PURE)
        self.activate()

    def test_without_a_program_command_and_client_say_where_they_looked(self) -> None:
        for command in self.commands:
            with self.subTest(command=command[-1]):
                done = self.run_here(*command, "--version")
                self.assertNotIn(done.returncode, (0, 1, 2))
                self.assertIn("PATH", done.stderr)
                self.assertIn("MCP_SIDECAR", done.stderr)
                self.assertNotIn("Traceback", done.stderr)
        done = self.run_here(self.python, packages.AGENT / "agent.py", users_project(self.home))
        self.assertIn("BinaryNotFoundError", done.stderr)
        self.assertIn("PATH", done.stderr)

    def test_the_program_on_path_is_found_behind_the_command_of_the_environment(self) -> None:
        program = HERE.binary_in(packages.FIRST / "binaries")
        self.environment["PATH"] += f":{program.parent}"
        self.assertIn(VERSION, packages.succeed(self.run_here(self.command, "--version")))
        self.assertEqual(self.agent()["binary"], str(program))
