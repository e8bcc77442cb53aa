"""A project that an agent's author has with npm, empty at first."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import packages
from host import run, surroundings
from platforms import Platform
from registry import Registry


class NpmProject:
    """The project's directory, and the registry its npm knows; whoever makes one closes it."""

    def __init__(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.home = Path(self.temporary.name)
        self.registry = Registry([path for path in packages.made() if path.suffix == ".tgz"])
        self.environment = surroundings(self.home) | self.registry.settings(self.home)
        self.directory = self.home / "agent"
        self.directory.mkdir()
        self.write("package.json", '{"private": true}\n')
        self.command = self.directory / "node_modules/.bin/mcp-sidecar"

    def close(self) -> None:
        """Ends the registry and removes everything."""
        self.registry.close()
        self.temporary.cleanup()

    def write(self, name: str, text: str) -> None:
        """Writes a file of the project."""
        (self.directory / name).write_text(text)

    def run(self, *command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in the project."""
        variables = self.environment | environment
        return run(command, self.directory, variables)

    def install(self, *options: str) -> None:
        """Has npm install the main package."""
        packages.succeed(self.run("npm", "install", "--no-audit", "--no-fund", *options, "mcp-sidecar"))

    def installed(self, platform: Platform) -> Path:
        """The program of a platform, if its package is installed."""
        return self.directory / "node_modules" / platform.npm_package / "bin" / platform.exe
