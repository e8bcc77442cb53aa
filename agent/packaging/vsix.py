"""The VS Code extension's packages: one for each platform of VS Code, with the program inside.

What is packed lies in a directory that holds nothing else. vsce makes the archive of it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import notices
from platforms import Platform
from readme import home, write_readme

EXTENSION = "editor/vscode"

# Members of package.json that only a checkout needs.
ONLY_IN_A_CHECKOUT = ("devDependencies", "scripts", "private", "type")

# What of the folder is in the package as it is. Screenshots are shown from the repository.
FILES = ("CHANGELOG.md", "media/activity.svg", "media/icon.png", "media/walkthrough/*", "schemas/*.json")

# Archives bear dates. Without SOURCE_DATE_EPOCH, this one: the first that a zip archive can bear.
EPOCH = "315532800"


def bundle(repository: Path, directory: Path) -> list[notices.Part]:
    """Writes the bundle into directory/dist, and says whose software is in it."""
    metafile = directory / "metafile.json"
    out = directory / "dist/extension.cjs"
    command = ["node", "build.mjs", "--minify", "--outfile", str(out), "--metafile", str(metafile)]
    if subprocess.run(command, check=False, cwd=repository / EXTENSION).returncode != 0:
        raise SystemExit("packages: the extension cannot be bundled, see above")
    return notices.bundled(metafile, repository / EXTENSION)


def stage(
    repository: Path, directory: Path, version: str, bundled: Path, binary: Path, parts: list[notices.Part]
) -> None:
    """Fills a directory with what the package holds, all but where it is for."""
    extension = repository / EXTENSION
    directory.mkdir(parents=True)
    shutil.copytree(bundled / "dist", directory / "dist")
    for pattern in FILES:
        for file in extension.glob(pattern):
            target = directory / file.relative_to(extension)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    shutil.copyfile(repository / "LICENSE", directory / "LICENSE")
    write_readme(repository, EXTENSION, version, directory)
    (directory / "ThirdPartyNotices.txt").write_text(notices.text(parts))
    manifest = published(json.loads((extension / "package.json").read_text()))
    (directory / "package.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    (directory / ".vscodeignore").write_text("")  # vsce complains without one
    (directory / "bin").mkdir()
    shutil.copyfile(binary, directory / "bin" / binary.name)
    for file in (f for f in directory.rglob("*") if f.is_file()):
        file.chmod(0o755 if file.parent.name == "bin" else 0o644)


def published(checkout: dict[str, Any]) -> dict[str, Any]:
    """The package.json to publish, made of the one in the checkout."""
    return {key: value for key, value in checkout.items() if key not in ONLY_IN_A_CHECKOUT}


def pack(repository: Path, directory: Path, version: str, target: str, out: Path) -> None:
    """Has vsce pack a directory for one of VS Code's platforms. The README's links lead to the repository."""
    vsce = repository / EXTENSION / "node_modules/@vscode/vsce/vsce"
    base = home(repository)
    command = ["node", str(vsce), "package", "--no-dependencies", "--target", target]
    command += ["--baseContentUrl", f"{base}/blob/v{version}/{EXTENSION}"]
    command += ["--baseImagesUrl", f"{base}/raw/v{version}/{EXTENSION}"]
    command += ["--out", str(out / file_name(version, target))]
    settings = {"TZ": "UTC", "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", EPOCH)}
    done = subprocess.run(
        command,
        check=False,
        cwd=directory,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        raise SystemExit(f"packages: {target}: vsce failed:\n{done.stdout}")


def file_name(version: str, target: str) -> str:
    """The file name of the package for one of VS Code's platforms."""
    return f"mcp-sidecar-{version}-{target}.vsix"


def target_of_this_machine(platform: Platform) -> str:
    """The platform that a VS Code on this machine says it is on."""
    ordinary, *musl = platform.vscode_targets
    return musl[0] if musl and Path("/etc/alpine-release").exists() else ordinary
