"""Makes the npm packages and the Python wheels: see README.md beside this file.

    python agent/packaging/make_packages.py [--out DIR] [--binaries DIR] [PLATFORM ...]

It needs a Python with `build` and `hatchling`, npm, the installed tools of agent/node, and Go. What is in DIR
afterwards was checked by checks.py, or the exit code is 1 and DIR holds no package.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import archives
import checks
import go_build
import npm_packages
import wheels
from platforms import PLATFORMS, Platform, named
from versions import the_version

REPOSITORY = Path(__file__).resolve().parents[2]


def main() -> None:
    """Compiles, packs, checks and tells."""
    options = arguments()
    platforms = named(options.platforms)
    version = the_version(REPOSITORY)
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    for old in packages_in(out):
        old.unlink()
    binaries = options.binaries or out / "binaries"
    for platform in platforms:
        binary = platform.binary_in(binaries)
        if not options.binaries:
            print(f"compiling {platform.name}", flush=True)
        go_build.provide(options, REPOSITORY, version, platform, binary)
    with tempfile.TemporaryDirectory() as scratch:
        packed = Path(scratch, "packed")
        packed.mkdir()
        print("packing", flush=True)
        pack(Path(scratch), packed, version, platforms, binaries)
        wrong = checks.wrong_in(packed, version, platforms, (REPOSITORY / "LICENSE").read_bytes())
        if wrong:
            raise SystemExit("\n".join(f"packages: {sentence}" for sentence in wrong))
        for archive in packed.iterdir():
            shutil.move(archive, out)
    print(table(out))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Makes the npm packages and the Python wheels.")
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help=", ".join(p.name for p in PLATFORMS))
    parser.add_argument("--out", type=Path, default=REPOSITORY / "build/packages", metavar="DIR")
    go_build.add_options(parser)
    return parser.parse_args()


def pack(work: Path, packed: Path, version: str, platforms: tuple[Platform, ...], binaries: Path) -> None:
    """Writes all packages into `packed`. Most of the time is compression, so they are made side by side."""
    sources = wheels.build_sources(REPOSITORY, version, work / "python", packed)
    staged = npm_packages.stage(
        REPOSITORY, work / "npm", version, {p: p.binary_in(binaries) for p in platforms}
    )
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = [pool.submit(npm_packages.pack, directory, packed) for directory in staged]
        jobs += [
            pool.submit(wheels.build_wheel, sources, p, p.binary_in(binaries), packed) for p in platforms
        ]
        for job in jobs:
            job.result()


def packages_in(out: Path) -> list[Path]:
    """The packages that are there."""
    return sorted(file for kind in ("*.tgz", "*.tar.gz", "*.whl") for file in out.glob(kind))


def table(out: Path) -> str:
    """Name and sizes of every package, packed and unpacked, in MB (10^6 bytes)."""
    rows = [("package", "packed MB", "unpacked MB")]
    for archive in packages_in(out):
        unpacked = sum(len(entry.data) for entry in archives.read(archive).values())
        rows.append((archive.name, f"{archive.stat().st_size / 1e6:.2f}", f"{unpacked / 1e6:.2f}"))
    width = max(len(name) for name, _, _ in rows)
    return "\n".join(f"{name:{width}}  {packed:>9}  {unpacked:>11}" for name, packed, unpacked in rows)


if __name__ == "__main__":
    main()
