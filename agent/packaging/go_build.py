"""Cross-compiles the binary.

What comes out depends on the source and the Go release only, not on this machine: no cgo, no
paths of it, no commit (the version says it), and the oldest processors that Go supports.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

from platforms import Platform


def compile_binary(go: str, source: Path, version: str, platform: Platform, binary: Path) -> None:
    """Writes `binary` for the platform from the module in `source`."""
    settings = {
        "CGO_ENABLED": "0",
        "GOOS": platform.goos,
        "GOARCH": platform.goarch,
        "GOAMD64": "v1",
        "GOARM64": "v8.0",
        "GOEXPERIMENT": "",
    }
    command = [go, "build", "-trimpath", "-buildvcs=false"]
    command += ["-ldflags", f"-s -w -X main.version={version}"]
    command += ["-o", str(binary.absolute()), "./cmd/mcp-sidecar"]
    done = subprocess.run(command, check=False, cwd=source, env=os.environ | settings)
    if done.returncode != 0:
        raise SystemExit(f"packages: {platform.name}: go build failed, see above")


def add_options(parser: argparse.ArgumentParser) -> None:
    """What a maker of packages is told about binaries: see provide."""
    parser.add_argument(
        "--binaries",
        type=Path,
        metavar="DIR",
        help="compile nothing: the binaries lie in DIR/GOOS-GOARCH, signed for example",
    )
    parser.add_argument("--go", default="go", help="the go command")


def provide(
    options: argparse.Namespace, source: Path, version: str, platform: Platform, binary: Path
) -> None:
    """Sees to it that the binary is there: compiled now, or given."""
    if not options.binaries:
        compile_binary(options.go, source, version, platform, binary)
    elif not binary.is_file():
        raise SystemExit(f"packages: {platform.name}: there is no file {binary}")
