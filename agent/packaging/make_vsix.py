"""Makes the packages of the VS Code extension: see README.md beside this file.

    python agent/packaging/make_vsix.py [--out DIR] [--binaries DIR] [--here | PLATFORM ...]

It needs the installed tools of editor/vscode, and Go. What is in DIR afterwards was checked by
vsix_checks.py, or the exit code is 1 and DIR holds no package.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import go_build
import notices
import vsix
import vsix_checks
from platforms import PLATFORMS, Platform, named, of_this_machine
from versions import the_version

REPOSITORY = Path(__file__).resolve().parents[2]


def main() -> None:
    """Compiles, bundles, packs, checks and tells."""
    options = arguments()
    platforms = (of_this_machine(),) if options.here else named(options.platforms)
    version = the_version(REPOSITORY)
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.vsix"):
        old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        packed = Path(scratch, "packed")
        packed.mkdir()
        bundled = vsix.bundle(REPOSITORY, Path(scratch))
        jobs = []
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for platform in platforms:
                binary = platform.binary_in(options.binaries or out / "binaries")
                go_build.provide(options, REPOSITORY, version, platform, binary)
                parts = bundled + notices.linked(options.go, REPOSITORY, platform)
                staged = Path(scratch, "staged", f"{platform.goos}-{platform.goarch}")
                vsix.stage(REPOSITORY, staged, version, Path(scratch), binary, parts)
                jobs += [
                    pool.submit(vsix.pack, REPOSITORY, staged, version, target, packed)
                    for target in targets(platform, here=options.here)
                ]
            for job in jobs:
                job.result()
        wrong = vsix_checks.wrong_in(packed, version, REPOSITORY)
        if wrong:
            raise SystemExit("\n".join(f"packages: {sentence}" for sentence in wrong))
        for archive in sorted(packed.iterdir()):
            shutil.move(archive, out)
        print(f"the bundle has {Path(scratch, 'dist/extension.cjs').stat().st_size / 1e3:.0f} kB")
    for archive in sorted(out.glob("*.vsix")):
        print(f"{archive.name}  {archive.stat().st_size / 1e6:.2f} MB")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Makes the packages of the VS Code extension.")
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help=", ".join(p.name for p in PLATFORMS))
    parser.add_argument("--here", action="store_true", help="only the package for VS Code on this machine")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "build/vsix", metavar="DIR")
    go_build.add_options(parser)
    return parser.parse_args()


def targets(platform: Platform, *, here: bool) -> tuple[str, ...]:
    """The platforms of VS Code that packages are made for."""
    return (vsix.target_of_this_machine(platform),) if here else platform.vscode_targets


if __name__ == "__main__":
    main()
