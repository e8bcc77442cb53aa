"""The Python packages: a source distribution, a wheel without the binary, and one a platform with it.

Everything but the source distribution is built from the unpacked source distribution, which shows that
it is whole. hatchling sorts the entries, makes their modes plain, and dates them by SOURCE_DATE_EPOCH
or, without it, all alike.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from platforms import Platform
from readme import write_readme

# The variables agent/python/hatch_build.py reads.
BINARY = "MCP_SIDECAR_WHEEL_BINARY"
PLATFORM = "MCP_SIDECAR_WHEEL_PLATFORM"


def build_sources(repository: Path, version: str, work: Path, out: Path) -> Path:
    """Builds the source distribution and the wheel without a binary; returns the unpacked former."""
    work.mkdir()
    checkout = work / "checkout"
    shutil.copytree(repository / "agent/python", checkout, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    shutil.copy(repository / "LICENSE", checkout)
    write_readme(repository, "agent/python", version, checkout)
    (checkout / ".git").mkdir()  # hatchling looks upwards for a .gitignore to pack, but not beyond this
    build("sdist", checkout, work)
    (archive,) = work.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(work / "unpacked", filter="data")
    (sources,) = (work / "unpacked").iterdir()
    build("wheel", sources, out)
    shutil.move(archive, out)
    return sources


def build_wheel(sources: Path, platform: Platform, binary: Path, out: Path) -> None:
    """Builds the wheel of a platform."""
    settings = {BINARY: str(binary.absolute()), PLATFORM: platform.wheel_platform}
    build("wheel", sources, out, settings)


def build(kind: str, sources: Path, out: Path, settings: dict[str, str] | None = None) -> None:
    """Runs `python -m build` in this environment, which has hatchling: nothing is fetched."""
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation"]
    command += ["--outdir", str(out), str(sources)]
    environment = {name: value for name, value in os.environ.items() if name not in (BINARY, PLATFORM)}
    environment |= settings or {}
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}packages: the {kind} cannot be built, see above")
