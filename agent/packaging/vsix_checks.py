"""What must be true of the VS Code extension's packages before anybody publishes them.

As in checks.py: one sentence for everything that is wrong, and nothing is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import archives
from checks import Entries, binary_problems, same
from platforms import PLATFORMS, Platform
from readme import LINK

PLATFORM_OF = {target: platform for platform in PLATFORMS for target in platform.vscode_targets}
NAME = re.compile(r"mcp-sidecar-(?P<version>[\d.]+)-(?P<target>.+)\.vsix")

# What an extension may be made of, beside the program. vsce has its own way of writing the names of texts.
ALLOWED = re.compile(
    r"package\.json|readme\.md|changelog\.md|LICENSE\.txt|ThirdPartyNotices\.txt|dist/extension\.cjs"
    r"|media/(activity\.svg|icon\.png|walkthrough/[a-z-]+\.(md|svg|png))|schemas/[a-z-]+\.json"
)
NEEDED = (
    "readme.md",
    "changelog.md",
    "LICENSE.txt",
    "ThirdPartyNotices.txt",
    "dist/extension.cjs",
    "package.json",
)

# What Node and the editor have, a bundle may ask for.
REQUIRED = re.compile(r"\brequire\(\"([^\"]+)\"\)")

LARGEST_BUNDLE = 1_000_000


def wrong_in(directory: Path, version: str, repository: Path) -> list[str]:
    """Everything that is wrong with the packages in a directory."""
    license_text = (repository / "LICENSE").read_bytes()
    wrong = []
    for file in sorted(directory.iterdir()):
        match = NAME.fullmatch(file.name)
        if match is None or match["target"] not in PLATFORM_OF or match["version"] != version:
            wrong.append(f"{file.name} has no business here")
            continue
        entries = archives.read(file)
        wrong += [
            f"{file.name}: {said}" for said in extension(entries, version, match["target"], license_text)
        ]
        bundle = entries.get("extension/dist/extension.cjs")
        if bundle is not None and str(repository) in bundle.text:
            wrong.append(f"{file.name}: the bundle says where it was made")
    return wrong


def extension(entries: Entries, version: str, target: str, license_text: bytes) -> Iterator[str]:
    """One package."""
    platform = PLATFORM_OF[target]
    prefix = "extension/"
    files = {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}
    outside = sorted(name for name in entries if not name.startswith(prefix))
    yield from same(
        "what is beside the extension", outside, ["[Content_Types].xml", "extension.vsixmanifest"]
    )
    missing = [name for name in NEEDED if name not in files]
    yield from (f"{name} is missing" for name in missing)
    yield from _allowed(files, platform)
    yield from binary_problems(files, f"bin/{platform.exe}", platform)
    if missing:
        return
    if files["LICENSE.txt"].data != license_text:
        yield "LICENSE.txt is not the repository's LICENSE"
    manifest = json.loads(files["package.json"].text)
    yield from _manifest(manifest, files, version)
    yield from _gallery(entries["extension.vsixmanifest"].text, version, target)
    yield from _bundle(files["dist/extension.cjs"].text)
    yield from _links(files["readme.md"].text)
    if f"\n## {version}" not in files["changelog.md"].text:
        yield f"the changelog says nothing about {version}"


def _allowed(files: Entries, platform: Platform) -> Iterator[str]:
    for name, entry in files.items():
        if name == f"bin/{platform.exe}":
            continue
        if not ALLOWED.fullmatch(name):
            yield f"{name} has no business in the package"
        if entry.mode & 0o111:
            yield f"{name} can be executed"


def _manifest(manifest: dict[str, Any], files: Entries, version: str) -> Iterator[str]:
    yield from same("version", manifest["version"], version)
    for key in ("devDependencies", "dependencies", "scripts", "private", "enabledApiProposals"):
        if key in manifest:
            yield f"package.json has {key}"
    for path in sorted(set(_paths(manifest))):
        if path not in files:
            yield f"package.json names {path}, which is not in the package"


def _paths(value: object) -> Iterator[str]:
    """The files of the extension that are named in its manifest: they are in one of these folders."""
    match value:
        case dict():
            for member in value.values():
                yield from _paths(member)
        case list():
            for element in value:
                yield from _paths(element)
        case str() if match := re.fullmatch(r"(?:\./)?((?:dist|media|schemas)/[\w./-]+)", value):
            yield match[1]


def _gallery(text: str, version: str, target: str) -> Iterator[str]:
    """What a gallery, and the editor that installs the package, read first."""
    identity = re.search(r"<Identity ([^>]*)>", text)
    found = dict(re.findall(r'(\w+)="([^"]*)"', identity[1])) if identity else {}
    yield from same("its version", found.get("Version"), version)
    yield from same("its platform", found.get("TargetPlatform"), target)


def _bundle(text: str) -> Iterator[str]:
    if len(text) > LARGEST_BUNDLE:
        yield f"the bundle has {len(text)} characters, more than {LARGEST_BUNDLE}"
    for stray in ("sourceMappingURL", "node_modules/", "/home/", "/Users/"):
        if stray in text:
            yield f"the bundle says {stray}"
    for module in sorted(set(REQUIRED.findall(text))):
        if module != "vscode" and not module.startswith("node:"):
            yield f"the bundle asks for {module}, which is not in the package"


def _links(text: str) -> Iterator[str]:
    relative = LINK.findall(text) + re.findall(r"\]\((?!https://|#)([^)\s]+)\)", text)
    for link in relative:
        yield f"its README links to {link}, which is nowhere on the gallery's page"
