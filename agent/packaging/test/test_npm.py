"""The npm packages as users meet them: installed from a registry into an empty project, and run."""

from __future__ import annotations

import json
import signal
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import packages
from host import HUNG, INITIALIZE, users_project
from npm_project import NpmProject
from platforms import PLATFORMS, Platform

VERSION = packages.VERSION
HERE = packages.HERE
MAIN = f"mcp-sidecar-{VERSION}.tgz"

# An agent that starts and ends, and one that tells why it cannot start.
ABLE = """\
import { Sidecar } from "mcp-sidecar";
await (await Sidecar.spawn({})).close();
"""
UNABLE = """\
import { Sidecar } from "mcp-sidecar";
await Sidecar.spawn({}).catch((error) => console.log(error.name, error.message));
"""


class Installing(unittest.TestCase):
    """npm takes the package of the machine's platform, and no other."""

    def new_project(self) -> NpmProject:
        project = NpmProject()
        self.addCleanup(project.close)
        return project

    def test_only_the_package_of_this_platform_is_fetched(self) -> None:
        project = self.new_project()
        project.install()
        self.assertEqual(sorted(project.registry.fetched), sorted([MAIN, HERE.npm_file(VERSION)]))
        self.assertEqual(project.registry.strangers, [])
        self.assertEqual(project.installed(HERE).stat().st_mode & 0o777, 0o755)
        lock = json.loads((project.directory / "package-lock.json").read_text())
        locked = {name.removeprefix("node_modules/") for name in lock["packages"]} - {""}
        self.assertEqual(locked, {"mcp-sidecar", *(p.npm_package for p in PLATFORMS)})

    def test_any_other_platform_takes_its_own(self) -> None:
        with ThreadPoolExecutor() as pool:
            fetched = dict(zip(PLATFORMS, pool.map(self.fetched_for, PLATFORMS), strict=True))
        self.assertEqual(fetched, {p: sorted([MAIN, p.npm_file(VERSION)]) for p in PLATFORMS})

    def fetched_for(self, platform: Platform) -> list[str]:
        """What npm fetches when it installs for a platform."""
        project = self.new_project()
        project.install(f"--os={platform.npm_os}", f"--cpu={platform.npm_cpu}")
        self.assertTrue(project.installed(platform).is_file())
        return sorted(project.registry.fetched)

    def test_npx_runs_the_command_where_nothing_is_installed(self) -> None:
        project = self.new_project()
        done = project.run("npx", "--yes", "mcp-sidecar", "--version")
        self.assertIn(VERSION, packages.succeed(done))
        self.assertEqual(sorted(project.registry.fetched), sorted([MAIN, HERE.npm_file(VERSION)]))
        self.assertEqual(project.registry.strangers, [])


class Running(unittest.TestCase):
    """What is installed works: the command, an agent, its types."""

    project: NpmProject

    @classmethod
    def setUpClass(cls) -> None:
        cls.project = NpmProject()
        cls.addClassCleanup(cls.project.close)
        cls.project.install()

    def test_the_command_takes_arguments_and_gives_output_and_exit_code(self) -> None:
        run = self.project.run
        self.assertIn(VERSION, packages.succeed(run("npx", "mcp-sidecar", "--version")))
        wrong = run("npx", "mcp-sidecar", "--no-such-option")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--no-such-option", wrong.stderr)
        users = users_project(self.project.home)
        listed = packages.succeed(run("npx", "mcp-sidecar", "list", "--trust", "allow", "--cwd", users))
        self.assertIn("greet", listed)

    def test_the_command_passes_a_signal_on_and_ends_as_the_program_does(self) -> None:
        command, pipe = [self.project.command], subprocess.PIPE
        with subprocess.Popen(command, env=self.project.environment, stdin=pipe, stdout=pipe) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(INITIALIZE)
            process.stdin.flush()
            self.assertIn(b'"id":1', process.stdout.readline())
            process.send_signal(signal.SIGTERM)
            self.addCleanup(process.kill)
            process.communicate(timeout=HUNG)  # until the program has ended as well, which holds the pipe
            self.assertEqual(process.returncode, 0)

    def test_the_command_dies_by_the_signal_that_killed_the_program(self) -> None:
        program = self.project.home / "killed"
        program.write_text("#!/bin/sh\nkill -KILL $$\n")
        program.chmod(0o755)
        done = self.project.run(self.project.command, MCP_SIDECAR=str(program))
        self.assertEqual(done.returncode, -signal.SIGKILL)

    def test_a_program_that_cannot_be_started_is_named(self) -> None:
        program = self.project.home / "foreign"
        program.write_text("#!/no/such/interpreter\n")
        program.chmod(0o755)
        done = self.project.run(self.project.command, MCP_SIDECAR=str(program))
        self.assertEqual(done.returncode, 126)
        self.assertIn(f"cannot run {program}: ", done.stderr)
        self.assertNotIn("    at ", done.stderr)

    def test_an_agent_calls_a_tool_and_its_types_are_strict(self) -> None:
        options = {"module": "nodenext", "target": "es2022", "strict": True}
        types = packages.REPOSITORY / "agent/node/node_modules/@types"
        self.compile(
            "agent.mts", options | {"types": ["node"], "typeRoots": [str(types)], "skipLibCheck": True}
        )
        # Without any other types around, ours are looked at as well.
        self.compile("entries.mts", options | {"types": [], "lib": ["es2023", "esnext.disposable", "dom"]})
        done = self.project.run("node", "agent.mjs", users_project(self.project.home))
        told = json.loads(packages.succeed(done))
        self.assertEqual(told["names"], ["mcp_greeter_greet"])
        self.assertEqual(told["text"], "hello npm")
        self.assertEqual(Path(told["binary"]).resolve(), self.project.installed(HERE).resolve())

    def compile(self, file: str, options: dict[str, Any]) -> None:
        """Compiles one of the agent's files with TypeScript."""
        self.project.write(file, (packages.AGENT / file).read_text())
        config = f"tsconfig-{file}.json"
        self.project.write(config, json.dumps({"compilerOptions": options, "files": [file]}))
        tsc = packages.REPOSITORY / "agent/node/node_modules/.bin/tsc"
        packages.succeed(self.project.run(tsc, "--project", config))


class WithoutTheProgram(unittest.TestCase):
    """Without the package of its platform, client and command look on PATH, and say so."""

    project: NpmProject

    @classmethod
    def setUpClass(cls) -> None:
        cls.project = NpmProject()
        cls.addClassCleanup(cls.project.close)
        cls.project.install("--omit=optional")
        cls.project.write("able.mjs", ABLE)
        cls.project.write("unable.mjs", UNABLE)

    def test_the_command_says_where_it_looked(self) -> None:
        self.assertEqual(self.project.registry.fetched, [MAIN])
        done = self.project.run("npx", "mcp-sidecar", "--version")
        self.assertEqual(done.returncode, 127)
        for place in ("MCP_SIDECAR", HERE.npm_package, "PATH"):
            self.assertIn(place, done.stderr)
        self.assertNotIn("    at ", done.stderr)

    def test_the_client_says_where_it_looked(self) -> None:
        said = packages.succeed(self.project.run("node", "unable.mjs"))
        self.assertIn("BinaryNotFoundError", said)
        for place in ("MCP_SIDECAR", HERE.npm_package, "PATH"):
            self.assertIn(place, said)

    def test_the_client_says_so_too_where_npm_has_put_the_command_on_path(self) -> None:
        said = packages.succeed(self.project.run("npm", "exec", "--call", "node unable.mjs"))
        self.assertIn(HERE.npm_package, said)

    def test_a_program_on_path_is_found_behind_the_command(self) -> None:
        directory = HERE.binary_in(packages.FIRST / "binaries").parent
        path = f"{self.project.environment['PATH']}:{directory}"
        done = self.project.run("npx", "mcp-sidecar", "--version", PATH=path)
        self.assertIn(VERSION, packages.succeed(done))
        packages.succeed(self.project.run("npm", "exec", "--call", "node able.mjs", PATH=path))

    def test_a_command_that_is_told_to_run_itself_says_so(self) -> None:
        command = self.project.command
        done = self.project.run(command, "--version", MCP_SIDECAR=str(command))
        self.assertEqual(done.returncode, 127)
        self.assertIn(f"{command} is or starts this command", done.stderr)
