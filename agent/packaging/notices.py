"""Whose software a package contains, and under which license: the text that has to travel with it.

The bundle of the extension is made of npm packages, as esbuild's metafile tells; the program of Go modules
and the standard library, as `go list` tells. Each of them has its license in a file, or the package is not
made.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from platforms import Platform

LICENSE_FILE = re.compile(r"(licen[cs]e|copying|notice)([.-].*)?", re.IGNORECASE)
PACKAGE = re.compile(r"^(.*node_modules/(?:@[^/]+/)?[^/]+)/")


@dataclass(frozen=True, order=True)
class Part:
    """One piece of somebody else's software."""

    name: str
    version: str
    license: str


def bundled(metafile: Path, base: Path) -> list[Part]:
    """The npm packages in a bundle; the paths in the metafile are relative to base."""
    inputs = json.loads(metafile.read_text())["inputs"]
    directories = {base / match[1] for path in inputs if (match := PACKAGE.match(path))}
    parts = []
    for directory in directories:
        manifest = json.loads((directory / "package.json").read_text())
        parts.append(Part(manifest["name"], manifest["version"], license_in(directory)))
    return sorted(parts)


def linked(go: str, repository: Path, platform: Platform) -> list[Part]:
    """The modules in the program for a platform, and what comes with Go."""
    form = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
    settings = {"CGO_ENABLED": "0", "GOOS": platform.goos, "GOARCH": platform.goarch}
    lines = set(said(go, "list", "-deps", "-f", form, "./cmd/mcp-sidecar", cwd=repository, **settings))
    modules = [line.split("\t") for line in lines if line]  # a directory may have blanks in its path
    parts = [Part(path, version, license_in(Path(at))) for path, version, at in modules]
    release, root = said(go, "env", "GOVERSION", "GOROOT", cwd=repository)
    return sorted([*parts, Part("Go", release.removeprefix("go"), license_in(Path(root)))])


def said(*command: str, cwd: Path, **settings: str) -> list[str]:
    """The lines that a command prints."""
    done = subprocess.run(
        command, check=False, cwd=cwd, env=os.environ | settings, stdout=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"packages: {' '.join(command[:2])} failed, see above")
    return done.stdout.splitlines()


def license_in(directory: Path) -> str:
    """The license of what is in a directory: the text of its files that are named so."""
    files = sorted(f for f in directory.iterdir() if f.is_file() and LICENSE_FILE.fullmatch(f.name))
    if not files:
        raise SystemExit(f"packages: {directory} has no license, so that it cannot be passed on")
    return "\n\n".join(file.read_text().strip() for file in files)


def text(parts: Iterable[Part]) -> str:
    """The file that says it."""
    blocks = [f"{'-' * 78}\n{part.name} {part.version}\n\n{part.license}\n" for part in parts]
    return "\n".join(
        ["This package contains the following software of others, under their licenses.\n", *blocks]
    )
