"""The packages the tests look at, made once by the script that makes those to publish.

FIRST has the packages of this machine's platform, with the real binary. SECOND has those of the other
platforms, with a small program in its place that takes a fraction of the time to compile, and those of
this one once more, from FIRST's binary but under other circumstances: what both have must be the same,
byte for byte.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from go_build import compile_binary
from platforms import PLATFORMS, of_this_machine
from versions import the_version

REPOSITORY = Path(__file__).resolve().parents[3]
SCRIPT = REPOSITORY / "agent/packaging/make_packages.py"
AGENT = Path(__file__).with_name("agent")
WORK = REPOSITORY / "build/test-packages"
FIRST, SECOND = WORK / "first", WORK / "second"
BINARIES = WORK / "binaries"  # of SECOND
GO = os.environ.get("GO", "go")

ONCE = threading.Lock()  # held while the packages are made, for tests that use threads

VERSION = the_version(REPOSITORY)
HERE = of_this_machine()
OTHERS = tuple(p for p in PLATFORMS if p != HERE)


def make(*arguments: str | Path, umask: int = 0o022, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the script."""
    return run(SCRIPT, *arguments, umask=umask, **environment)


def run(
    script: Path, *arguments: str | Path, umask: int = 0o022, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a script that makes packages."""
    command = [sys.executable, script, "--go", GO, *arguments]
    surroundings = os.environ | environment
    return subprocess.run(command, check=False, env=surroundings, umask=umask, capture_output=True, text=True)


def made() -> tuple[Path, ...]:
    """All packages."""
    with ONCE:
        result = made_or_why_not()
    if isinstance(result, BaseException):
        raise AssertionError("the packages cannot be made") from result
    return result


@functools.cache
def made_or_why_not() -> tuple[Path, ...] | BaseException:
    """Makes the packages, at most once."""
    shutil.rmtree(WORK, ignore_errors=True)
    try:
        with ThreadPoolExecutor() as pool:
            first = pool.submit(make_first)
            compile_small()
            first.result()
        make_second()
    except (AssertionError, SystemExit) as why:
        return why
    both = (*files(FIRST), *files(SECOND))
    return tuple({path.name: path for path in reversed(both)}.values())


def make_first() -> None:
    """Compiles and packs for this machine."""
    succeed(make("--out", FIRST, HERE.name))


def compile_small() -> None:
    """Compiles the small program for the other platforms."""
    source = WORK / "small"
    main = source / "cmd/mcp-sidecar/main.go"
    main.parent.mkdir(parents=True)
    main.write_text("package main\n\nfunc main() {}\n")
    (source / "go.mod").write_text("module small\n")
    for platform in OTHERS:
        compile_binary(GO, source, VERSION, platform, platform.binary_in(BINARIES))


def make_second() -> None:
    """Packs for the other platforms and, once more, for this machine."""
    again = HERE.binary_in(BINARIES)
    again.parent.mkdir(parents=True)
    shutil.copy(HERE.binary_in(FIRST / "binaries"), again)
    scratch = WORK / "scratch"
    scratch.mkdir()
    platforms = [p.name for p in (HERE, *OTHERS)]
    circumstances = {"TMPDIR": str(scratch), "TZ": "Asia/Tokyo"}
    succeed(make("--out", SECOND, "--binaries", BINARIES, *platforms, umask=0o077, **circumstances))


def files(directory: Path) -> list[Path]:
    """The packages in a directory."""
    return sorted(path for path in directory.iterdir() if path.is_file())


def one(name: str) -> Path:
    """The package of this file name."""
    return next(path for path in made() if path.name == name)


def succeed(done: subprocess.CompletedProcess[str]) -> str:
    """The output of a command that must have succeeded."""
    if done.returncode != 0:
        raise AssertionError(f"{done.args} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout
