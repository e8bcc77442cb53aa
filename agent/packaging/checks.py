"""What must be true of packages before anybody publishes them.

Each check takes what is inside an archive and yields one sentence for everything that is wrong.
Nothing is run, so the packages of all platforms can be checked on one.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from email.parser import HeaderParser
from functools import partial
from pathlib import Path
from typing import Protocol

import archives
import executables
from platforms import PLATFORMS, Platform
from readme import LINK

Entries = Mapping[str, archives.Entry]


class Check(Protocol):
    """A check of one package; license_text is what the license file must hold."""

    def __call__(self, entries: Entries, version: str, license_text: bytes) -> Iterator[str]:
        """Yields what is wrong."""
        ...


def whole_set(version: str, platforms: Iterable[Platform]) -> dict[str, Check]:
    """The file names of all packages of a version, each with its check."""
    checks: dict[str, Check] = {
        f"mcp-sidecar-{version}.tgz": npm_client,
        f"mcp_sidecar-{version}.tar.gz": sdist,
        f"mcp_sidecar-{version}-py3-none-any.whl": partial(wheel, platform=None),
    }
    for platform in platforms:
        checks[platform.npm_file(version)] = partial(npm_platform, platform=platform)
        checks[platform.wheel_file(version)] = partial(wheel, platform=platform)
    return checks


def wrong_in(directory: Path, version: str, platforms: Iterable[Platform], license_text: bytes) -> list[str]:
    """Everything that is wrong with the packages in a directory."""
    expected = whole_set(version, platforms)
    names = [file.name for file in directory.iterdir()]
    wrong = list(same("the packages", sorted(names), sorted(expected)))
    for name in sorted(expected.keys() & names):
        entries = archives.read(directory / name)
        wrong += [f"{name}: {sentence}" for sentence in expected[name](entries, version, license_text)]
    return wrong


def npm_client(entries: Entries, version: str, license_text: bytes) -> Iterator[str]:
    """The main npm package: client, command, and who is needed beside it."""
    files = {name.removeprefix("package/"): entry for name, entry in entries.items()}
    yield from _license(files, "LICENSE", license_text)
    yield from _links(files["README.md"].text)
    manifest = json.loads(files["package.json"].text)
    yield from same("version", manifest["version"], version)
    wanted = {p.npm_package: version for p in PLATFORMS}
    yield from same("optionalDependencies", manifest.get("optionalDependencies"), wanted)
    for key in ("devDependencies", "dependencies", "scripts"):
        if key in manifest:
            yield f"package.json has {key}"
    (command,) = manifest["bin"].values()
    yield from _executable_mode(files, command)
    for target in _targets(manifest["exports"]):
        if target.removeprefix("./") not in files:
            yield f"package.json exports {target}, which is not in the package"
    for name in files:
        compiled = name.startswith("dist/") and name.endswith((".js", ".d.ts"))
        if not compiled and name not in ("package.json", "README.md", "LICENSE", command):
            yield f"{name} has no business in the package"


def npm_platform(entries: Entries, version: str, license_text: bytes, platform: Platform) -> Iterator[str]:
    """A platform's npm package: the binary, and for whom it is."""
    files = {name.removeprefix("package/"): entry for name, entry in entries.items()}
    binary = f"bin/{platform.exe}"
    yield from same("its files", sorted(files), sorted(["LICENSE", "README.md", binary, "package.json"]))
    yield from _license(files, "LICENSE", license_text)
    manifest = json.loads(files["package.json"].text)
    wanted = {
        "name": platform.npm_package,
        "version": version,
        "license": "Apache-2.0",
        "os": [platform.npm_os],
        "cpu": [platform.npm_cpu],
    }
    for key, value in wanted.items():
        yield from same(key, manifest.get(key), value)
    yield from binary_problems(files, binary, platform)


def wheel(entries: Entries, version: str, license_text: bytes, platform: Platform | None) -> Iterator[str]:
    """A wheel of a platform, or for None the one without a binary."""
    info = f"mcp_sidecar-{version}.dist-info"
    yield from _license(entries, f"{info}/licenses/LICENSE", license_text)
    yield from _metadata(entries, f"{info}/METADATA", version)
    yield from _record(entries, f"{info}/RECORD")
    headers = HeaderParser().parsestr(entries[f"{info}/WHEEL"].text)
    tags = platform.wheel_platform.split(".") if platform else ["any"]
    yield from same("its tags", headers.get_all("Tag"), [f"py3-none-{tag}" for tag in tags])
    yield from same("Root-Is-Purelib", headers["Root-Is-Purelib"], "false" if platform else "true")
    binary = f"mcp_sidecar/bin/{platform.exe}" if platform else None
    for name in entries:
        module = name.startswith("mcp_sidecar/") and name.endswith((".py", "/py.typed"))
        if not module and name != binary and not name.startswith(f"{info}/"):
            yield f"{name} has no business in the wheel"
    for name in ("mcp_sidecar/__init__.py", "mcp_sidecar/py.typed", f"{info}/entry_points.txt"):
        if name not in entries:
            yield f"{name} is missing"
    if platform and binary:
        yield from binary_problems(entries, binary, platform)


def sdist(entries: Entries, version: str, license_text: bytes) -> Iterator[str]:
    """The source distribution: all that a build needs, and no binary."""
    root = f"mcp_sidecar-{version}"
    yield from _license(entries, f"{root}/LICENSE", license_text)
    yield from _metadata(entries, f"{root}/PKG-INFO", version)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "mcp_sidecar/py.typed"):
        if f"{root}/{name}" not in entries:
            yield f"{name} is missing"
    for name in entries:
        if name.startswith(f"{root}/mcp_sidecar/bin/") or "/." in name:
            yield f"{name} has no business in the source distribution"


def binary_problems(entries: Entries, name: str, platform: Platform) -> Iterator[str]:
    """What is wrong with the program in a package."""
    if name not in entries:
        yield f"{name} is missing"
        return
    yield from _executable_mode(entries, name)
    try:
        found = executables.read(entries[name].data)
    except ValueError as err:
        yield f"{name}: {err}"
        return
    yield from same(f"{name} is for", f"{found.goos}/{found.goarch}", platform.name)
    if not found.static:
        yield f"{name} needs libraries of the system: build it with CGO_ENABLED=0"
    if not found.signed and platform.goarch == "arm64":
        yield f"{name} is not signed: an arm64 Mac would kill it"
    if found.macos:
        oldest = "macosx_{}_{}_".format(*found.macos)
        if not platform.wheel_platform.startswith(oldest):
            yield f"{name} runs from {oldest}… on, but the tag of the wheel is {platform.wheel_platform}"


def _executable_mode(entries: Entries, name: str) -> Iterator[str]:
    if name not in entries:
        yield f"{name} is missing"
    elif entries[name].mode != 0o755:
        yield f"{name} has mode {entries[name].mode:04o} instead of 0755"


def _license(entries: Entries, name: str, license_text: bytes) -> Iterator[str]:
    if name not in entries:
        yield f"{name} is missing"
    elif entries[name].data != license_text:
        yield f"{name} is not the repository's LICENSE"


def _links(text: str) -> Iterator[str]:
    for link in LINK.findall(text):
        yield f"its README links to {link}, which is nowhere on a registry's page"


def _metadata(entries: Entries, name: str, version: str) -> Iterator[str]:
    yield from _links(entries[name].text)
    headers = HeaderParser().parsestr(entries[name].text)
    yield from same("Name", headers["Name"], "mcp-sidecar")
    yield from same("Version", headers["Version"], version)
    yield from same("License-Expression", headers["License-Expression"], "Apache-2.0")
    for needed in headers.get_all("Requires-Dist", []):
        if "extra ==" not in needed:
            yield f"it depends on {needed}"


def _record(entries: Entries, name: str) -> Iterator[str]:
    recorded = {row[0]: row[1:] for row in csv.reader(entries[name].text.splitlines())}
    yield from same("the files in RECORD", sorted(recorded), sorted(entries))
    for file, (digest, size) in recorded.items():
        if file == name or file not in entries:
            continue
        data = entries[file].data
        hashed = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if (digest, size) != (f"sha256={hashed}", str(len(data))):
            yield f"{file} is not what RECORD says"


def _targets(exports: object) -> Iterator[str]:
    if isinstance(exports, dict):
        for value in exports.values():
            yield from _targets(value)
    else:
        yield str(exports)


def same(what: str, found: object, wanted: object) -> Iterator[str]:
    """Says that something is not as it should be."""
    if found != wanted:
        yield f"{what}: {found!r} instead of {wanted!r}"
