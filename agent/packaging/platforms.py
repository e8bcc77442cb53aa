"""The platforms that packages are made for, and what each registry calls them.

The binary is linked statically (no cgo), so one Linux binary is right for glibc
and for musl: its wheel carries the tags of both, its npm package no `libc`, and
VS Code has it under two names.
"""

from __future__ import annotations

import platform as machine
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Platform:
    """One pair of operating system and architecture."""

    goos: str
    goarch: str

    @property
    def name(self) -> str:
        """What Go calls it, such as linux/amd64."""
        return f"{self.goos}/{self.goarch}"

    @property
    def exe(self) -> str:
        """The binary's file name, the same in every package."""
        return "mcp-sidecar.exe" if self.goos == "windows" else "mcp-sidecar"

    @property
    def npm_os(self) -> str:
        """Node's process.platform."""
        return {"windows": "win32"}.get(self.goos, self.goos)

    @property
    def npm_cpu(self) -> str:
        """Node's process.arch."""
        return {"amd64": "x64", "arm64": "arm64"}[self.goarch]

    @property
    def npm_package(self) -> str:
        """The npm package that holds the binary; the Node client looks for it by this name."""
        return f"@mcp-sidecar/{self.npm_os}-{self.npm_cpu}"

    @property
    def wheel_platform(self) -> str:
        """The platform tags of the wheel, sorted and joined by dots as PEP 425 wants them.

        A version in a tag is the oldest system that the Go release still supports; for macOS it
        is also in the binary, and checks.py holds the two against each other.
        """
        cpu = {"amd64": "x86_64", "arm64": "aarch64"}[self.goarch]
        match self.goos:
            case "linux":
                return f"manylinux2014_{cpu}.manylinux_2_17_{cpu}.musllinux_1_1_{cpu}"
            case "darwin":
                return f"macosx_12_0_{'arm64' if self.goarch == 'arm64' else cpu}"
        return f"win_{self.goarch}"

    def npm_file(self, version: str) -> str:
        """The file name that npm pack gives the package."""
        return f"{self.npm_package.removeprefix('@').replace('/', '-')}-{version}.tgz"

    def wheel_file(self, version: str) -> str:
        """The file name of the wheel."""
        return f"mcp_sidecar-{version}-py3-none-{self.wheel_platform}.whl"

    @property
    def vscode_targets(self) -> tuple[str, ...]:
        """The platforms of VS Code that this one is; Alpine's is that of musl."""
        target = f"{self.npm_os}-{self.npm_cpu}"
        return (target, f"alpine-{self.npm_cpu}") if self.goos == "linux" else (target,)

    def binary_in(self, directory: Path) -> Path:
        """Where the binary of this platform lies in a directory of binaries."""
        return directory / f"{self.goos}-{self.goarch}" / self.exe


PLATFORMS = tuple(
    Platform(goos, goarch) for goos in ("linux", "darwin", "windows") for goarch in ("amd64", "arm64")
)


def named(names: list[str]) -> tuple[Platform, ...]:
    """The platforms of these names, in the table's order; all of them for no name."""
    known = {p.name: p for p in PLATFORMS}
    for name in names:
        if name not in known:
            raise SystemExit(f'packages: no platform "{name}": there are {", ".join(known)}')
    return tuple(p for p in PLATFORMS if not names or p.name in names)


def of_this_machine() -> Platform:
    """The platform this program runs on."""
    goos = {"win32": "windows"}.get(sys.platform, sys.platform)
    cpu = machine.machine().lower()
    goarch = {"x86_64": "amd64", "aarch64": "arm64"}.get(cpu, cpu)
    return named([f"{goos}/{goarch}"])[0]
