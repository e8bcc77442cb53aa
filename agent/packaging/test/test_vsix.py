"""What the VS Code extension's packages hold, without an editor; its own tests install one."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import tempfile
import unittest
import zipfile
from dataclasses import replace
from pathlib import Path

import archives
import notices
import packages
import readme
import vsix
import vsix_checks
from platforms import PLATFORMS

VERSION = packages.VERSION
LICENSE = (packages.REPOSITORY / "LICENSE").read_bytes()
SCRIPT = packages.REPOSITORY / "agent/packaging/make_vsix.py"
FIRST, SECOND = packages.WORK / "vsix-first", packages.WORK / "vsix-second"
TARGETS = [target for platform in PLATFORMS for target in platform.vscode_targets]
HERE = vsix.target_of_this_machine(packages.HERE)


def make(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the script; the small binaries stand for those of other platforms."""
    return packages.run(SCRIPT, *arguments, umask=0o077, **environment)


@functools.cache
def made() -> dict[str, Path]:
    """The packages of all of VS Code's platforms, by their names."""
    packages.made()
    packages.succeed(make("--out", FIRST, "--binaries", packages.BINARIES))
    return {target: FIRST / vsix.file_name(VERSION, target) for target in TARGETS}


class Contents(unittest.TestCase):
    """Every platform has its package, and each holds what it says."""

    def test_every_platform_of_vs_code_has_a_package_that_is_as_it_must_be(self) -> None:
        expected = (
            "linux-x64 alpine-x64 linux-arm64 alpine-arm64 darwin-x64 darwin-arm64 win32-x64 win32-arm64"
        )
        self.assertEqual(TARGETS, expected.split())
        made()
        with tempfile.TemporaryDirectory() as directory:
            for target, path in made().items():
                Path(directory, path.name).symlink_to(path)
                self.assertTrue(path.is_file(), target)
            self.assertEqual(vsix_checks.wrong_in(Path(directory), VERSION, packages.REPOSITORY), [])

    def test_the_same_input_gives_the_same_bytes(self) -> None:
        first = made()[HERE].read_bytes()
        options = ("--here", "--out", SECOND, "--binaries", packages.BINARIES)
        packages.succeed(make(*options, TZ="Asia/Tokyo", LANG="C"))
        self.assertEqual((SECOND / vsix.file_name(VERSION, HERE)).read_bytes(), first)

    def test_the_program_in_it_runs_and_has_the_version_of_the_extension(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            with zipfile.ZipFile(made()[HERE]) as packed:
                binary = Path(packed.extract(f"extension/bin/{packages.HERE.exe}", directory))
            binary.chmod(0o755)
            done = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True)
        self.assertIn(VERSION, done.stdout.split())


class Checks(unittest.TestCase):
    """Each thing that can be wrong with a package is found."""

    def wrong(self, changes: dict[str, archives.Entry | None], target: str = HERE) -> str:
        """What the check says about a package after some of its files were changed, or taken out."""
        whole = archives.read(made()[target])
        entries = whole | {f"extension/{name}": entry for name, entry in changes.items()}
        left = {name: entry for name, entry in entries.items() if entry is not None}
        return "\n".join(vsix_checks.extension(left, VERSION, target, LICENSE))

    def entry(self, name: str, target: str = HERE) -> archives.Entry:
        return archives.read(made()[target])[f"extension/{name}"]

    def changed(self, name: str, old: str, new: str) -> dict[str, archives.Entry | None]:
        """A file in which something else is written."""
        text = self.entry(name).text
        self.assertIn(old, text)
        return {name: archives.Entry(0o644, text.replace(old, new, 1).encode())}

    def manifest(self, **members: object) -> dict[str, archives.Entry | None]:
        """A package.json with other members."""
        manifest = json.loads(self.entry("package.json").text) | members
        return {"package.json": archives.Entry(0o644, json.dumps(manifest).encode())}

    def test_what_is_whole_is_found_right(self) -> None:
        self.assertEqual(self.wrong({}), "")

    def test_a_program_that_cannot_be_run_or_is_for_another_platform(self) -> None:
        name = f"bin/{packages.HERE.exe}"
        self.assertIn("has mode 0644", self.wrong({name: replace(self.entry(name), mode=0o644)}))
        self.assertIn("is missing", self.wrong({name: None}))
        mac = self.entry("bin/mcp-sidecar", "darwin-arm64")
        self.assertIn("is for: 'darwin/arm64' instead of", self.wrong({name: mac}))

    def test_files_that_have_no_business_there(self) -> None:
        for name in ("src/extension.ts", "tests/unit/x.test.js", "media/icon.svg", "bin/other", ".env"):
            with self.subTest(name):
                wrong = self.wrong({name: archives.Entry(0o644, b"")})
                self.assertIn(f"{name} has no business in the package", wrong)

    def test_files_that_the_manifest_names_and_that_are_not_there(self) -> None:
        for name in ("media/icon.png", "media/activity.svg", "dist/extension.cjs"):
            with self.subTest(name):
                self.assertIn(name, self.wrong({name: None}))
        self.assertIn("names schemas/x.json, which", self.wrong(self.manifest(icon="./schemas/x.json")))

    def test_a_license_that_is_missing_or_another(self) -> None:
        self.assertIn("LICENSE.txt is missing", self.wrong({"LICENSE.txt": None}))
        other = self.wrong({"LICENSE.txt": archives.Entry(0o644, b"MIT")})
        self.assertIn("is not the repository's LICENSE", other)
        self.assertIn("ThirdPartyNotices.txt is missing", self.wrong({"ThirdPartyNotices.txt": None}))

    def test_a_manifest_of_a_checkout(self) -> None:
        for member in ("scripts", "devDependencies", "dependencies", "private", "enabledApiProposals"):
            with self.subTest(member):
                self.assertIn(f"package.json has {member}", self.wrong(self.manifest(**{member: {}})))

    def test_versions_that_differ(self) -> None:
        self.assertIn("version: '9.9.9'", self.wrong(self.manifest(version="9.9.9")))
        old = self.wrong(self.changed("changelog.md", f"## {VERSION}", "## 0.0.1"))
        self.assertIn(f"says nothing about {VERSION}", old)

    def test_a_bundle_that_is_not_whole_or_says_where_it_was_made(self) -> None:
        for stray in ('require("lodash")', "//# sourceMappingURL=x", "/home/me/x", "node_modules/x"):
            with self.subTest(stray):
                text = self.entry("dist/extension.cjs").text + stray
                wrong = self.wrong({"dist/extension.cjs": archives.Entry(0o644, text.encode())})
                self.assertRegex(wrong, "the bundle (says|asks for|names)")

    def test_a_package_for_another_platform_than_its_name_says(self) -> None:
        entries = archives.read(made()["alpine-x64"])
        wrong = "\n".join(vsix_checks.extension(entries, VERSION, "linux-x64", LICENSE))
        self.assertIn("its platform: 'alpine-x64' instead of 'linux-x64'", wrong)

    def test_a_readme_that_links_into_the_repository(self) -> None:
        for link in ("../../README.md", "media/x.png"):
            with self.subTest(link):
                changed = archives.Entry(0o644, f"[x]({link})".encode())
                self.assertIn(f"links to {link}", self.wrong({"readme.md": changed}))


class Pages(unittest.TestCase):
    """What the gallery shows is there, and the README leaves nothing out."""

    def setUp(self) -> None:
        entries = archives.read(made()[HERE])
        self.readme = entries["extension/readme.md"].text
        self.contributes = json.loads(entries["extension/package.json"].text)["contributes"]

    def test_links_and_pictures_lead_to_files_of_the_repository(self) -> None:
        base = re.escape(readme.home(packages.REPOSITORY))
        found = re.findall(rf"\]\({base}/(blob|raw)/v{re.escape(VERSION)}/([^)#]+)", self.readme)
        self.assertEqual({kind for kind, _ in found}, {"blob", "raw"})
        for _, path in found:
            self.assertTrue((packages.REPOSITORY / path).is_file(), path)

    def test_every_setting_is_in_the_readme(self) -> None:
        written = re.findall(r"^\| `mcpSidecar\.([^|]+)\|", self.readme, re.MULTILINE)
        named = set()
        for row in written:
            first, *others = re.findall(r"[\w.]+", row)
            group = first.rpartition(".")[0]
            named |= {first} | {f"{group}{other}".removeprefix(".") for other in others}
        settings = {
            name.removeprefix("mcpSidecar.")
            for group in self.contributes["configuration"]
            for name in group["properties"]
        }
        self.assertEqual(named, settings)

    def test_every_command_of_the_palette_is_in_the_readme(self) -> None:
        special = {entry["command"] for entry in self.contributes["menus"]["commandPalette"]}
        titles = [c["title"] for c in self.contributes["commands"] if c["command"] not in special]
        self.assertEqual([title for title in titles if title not in self.readme], [])


class Notices(unittest.TestCase):
    """Nobody's software is passed on without its license."""

    def test_what_is_bundled_and_what_is_linked_is_named(self) -> None:
        text = archives.read(made()[HERE])["extension/ThirdPartyNotices.txt"].text
        with tempfile.TemporaryDirectory() as directory:
            bundled = vsix.bundle(packages.REPOSITORY, Path(directory))
        linked = notices.linked(packages.GO, packages.REPOSITORY, packages.HERE)
        self.assertIn("github.com/modelcontextprotocol/go-sdk", {part.name for part in linked})
        for part in bundled + linked:
            with self.subTest(part.name):
                self.assertIn(f"{part.name} {part.version}\n\n{part.license}", text)

    def test_npm_packages_are_found_wherever_they_are_installed(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            base = Path(directory, "extension")
            for name in ("a", "@scope/b", "a/node_modules/c"):
                package = base / "node_modules" / name
                package.mkdir(parents=True)
                (package / "package.json").write_text(json.dumps({"name": name, "version": "1.0.0"}))
                (package / "LICENSE-MIT.md").write_text(f"the license of {name}\n")
            inputs = [f"node_modules/{file}" for file in ("a/x.js", "a/lib/y.js", "@scope/b/z.js")]
            inputs += ["node_modules/a/node_modules/c/index.js", "src/extension.ts"]
            metafile = base / "metafile.json"
            metafile.write_text(json.dumps({"inputs": {path: {} for path in inputs}}))
            parts = notices.bundled(metafile, base)
            self.assertEqual([part.name for part in parts], ["@scope/b", "a", "a/node_modules/c"])
            self.assertIn("the license of a", notices.text(parts))
            (base / "node_modules/a/LICENSE-MIT.md").unlink()
            with self.assertRaisesRegex(SystemExit, "node_modules/a has no license"):
                notices.bundled(metafile, base)


class Refusals(unittest.TestCase):
    """The script makes nothing of what is wrong, and says what that is."""

    def test_a_program_for_another_platform_leaves_no_package(self) -> None:
        packages.made()
        with tempfile.TemporaryDirectory() as directory:
            swapped = packages.HERE.binary_in(Path(directory, "binaries"))
            swapped.parent.mkdir(parents=True)
            swapped.write_bytes(b"#!/bin/sh\n")
            out = Path(directory, "out")
            done = make("--here", "--out", out, "--binaries", swapped.parents[1])
            self.assertEqual(done.returncode, 1)
            self.assertIn("no 64-bit ELF", done.stderr)
            self.assertEqual(list(out.iterdir()), [])
