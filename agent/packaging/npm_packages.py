"""The npm packages: one with the client and the command, and one a platform with the binary.

The first names the others, at exactly its own version, as optional dependencies; npm installs those
whose `os` and `cpu` fit. These fields and the command are added here and not in agent/node/package.json,
so that a checkout does not ask for packages that are not published yet.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from platforms import PLATFORMS, Platform
from readme import home, write_readme

LAUNCHER = "bin/mcp-sidecar.js"

# What npm needs to know of a published package; the rest of agent/node/package.json is a checkout's.
ONLY_IN_A_CHECKOUT = ("devDependencies", "scripts", "private")

PLATFORM_README = """\
# {name}

The `mcp-sidecar` program for {system} on {cpu}. It belongs to the package
[mcp-sidecar](https://www.npmjs.com/package/mcp-sidecar): install that one, and npm takes
what fits the machine.
"""
SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}


def stage(repository: Path, directory: Path, version: str, binaries: dict[Platform, Path]) -> list[Path]:
    """Makes a directory for every package, which has what is to be packed."""
    client = directory / "client"
    client.mkdir(parents=True)
    stage_client(repository, client, version)
    staged = [client]
    for platform, binary in binaries.items():
        staged.append(directory / f"{platform.goos}-{platform.goarch}")
        staged[-1].mkdir()
        stage_binary(repository, staged[-1], platform, binary, version)
    return staged


def stage_client(repository: Path, directory: Path, version: str) -> None:
    """Fills a directory with what the main package holds, compiling the client."""
    node = repository / "agent/node"
    command = [str(node / "node_modules/.bin/tsc"), "--project", str(node / "tsconfig.json")]
    command += ["--outDir", str(directory / "dist"), "--sourceMap", "false"]
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit("packages: the Node client does not compile, see above")
    (directory / LAUNCHER).parent.mkdir()
    shutil.copy(repository / "agent/packaging/launcher.js", directory / LAUNCHER)
    shutil.copy(repository / "LICENSE", directory)
    write_readme(repository, "agent/node", version, directory)
    manifest = client_manifest(json.loads((node / "package.json").read_text()), version)
    write_manifest(directory, manifest | repository_field(repository))


def client_manifest(checkout: dict[str, Any], version: str) -> dict[str, Any]:
    """The package.json to publish, made of the one in the checkout."""
    manifest = {key: value for key, value in checkout.items() if key not in ONLY_IN_A_CHECKOUT}
    manifest["bin"] = {"mcp-sidecar": LAUNCHER}
    manifest["files"] = [*checkout["files"], "bin"]
    manifest["optionalDependencies"] = {p.npm_package: version for p in PLATFORMS}
    return manifest


def stage_binary(repository: Path, directory: Path, platform: Platform, binary: Path, version: str) -> None:
    """Fills a directory with what a platform's package holds."""
    target = directory / "bin" / platform.exe
    target.parent.mkdir()
    shutil.copy(binary, target)
    shutil.copy(repository / "LICENSE", directory)
    system = SYSTEMS[platform.npm_os]
    readme = PLATFORM_README.format(name=platform.npm_package, system=system, cpu=platform.npm_cpu)
    (directory / "README.md").write_text(readme)
    manifest = {
        "name": platform.npm_package,
        "version": version,
        "description": f"The mcp-sidecar program for {system} on {platform.npm_cpu}.",
        "license": "Apache-2.0",
        "os": [platform.npm_os],
        "cpu": [platform.npm_cpu],
        "files": ["bin"],
        "preferUnplugged": True,  # Yarn: a program cannot be run inside its archive
        "publishConfig": {"access": "public"},
    }
    write_manifest(directory, manifest | repository_field(repository))


def repository_field(repository: Path) -> dict[str, Any]:
    """The member of package.json that says where the sources are."""
    return {"repository": {"type": "git", "url": f"git+{home(repository)}.git"}}


def write_manifest(directory: Path, manifest: dict[str, Any]) -> None:
    """Writes package.json as npm would."""
    (directory / "package.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def pack(directory: Path, out: Path) -> None:
    """Has npm pack a directory. npm sorts the entries and dates them all alike; it keeps the modes."""
    for file in (f for f in directory.rglob("*") if f.is_file()):
        file.chmod(0o755 if file.parent == directory / "bin" else 0o644)
    with tempfile.TemporaryDirectory() as cache:
        command = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(out.absolute())]
        settings = {"npm_config_cache": cache, "npm_config_update_notifier": "false"}
        environment = os.environ | settings
        done = subprocess.run(command, check=False, cwd=directory, env=environment, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit("packages: npm pack failed, see above")
