"""What the packages of all platforms hold, without running them; and what their maker is told."""

from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import archives
import checks
import executables
import packages
import readme
import versions
from platforms import PLATFORMS

VERSION = packages.VERSION
LICENSE = (packages.REPOSITORY / "LICENSE").read_bytes()


class Contents(unittest.TestCase):
    """Every platform has its packages, and each holds what it says."""

    def test_every_platform_has_an_npm_package_and_a_wheel_that_are_as_they_must_be(self) -> None:
        names = {path.name for path in packages.made()}
        self.assertEqual(names, set(checks.whole_set(VERSION, PLATFORMS)))
        with tempfile.TemporaryDirectory() as directory:
            for path in packages.made():
                shutil.copy(path, directory)
            self.assertEqual(checks.wrong_in(Path(directory), VERSION, PLATFORMS, LICENSE), [])

    def test_the_same_input_gives_the_same_bytes(self) -> None:
        packages.made()
        common = {p.name for p in packages.files(packages.FIRST)} & {
            p.name for p in packages.files(packages.SECOND)
        }
        self.assertEqual(len(common), 5)
        for name in common:
            with self.subTest(name):
                first, second = ((where / name).read_bytes() for where in (packages.FIRST, packages.SECOND))
                self.assertEqual(first, second)


class Readmes(unittest.TestCase):
    """Links lead out of the registries' pages to the repository."""

    def test_relative_links_become_absolute_and_nothing_else_changes(self) -> None:
        text = "[a](../../README.md#settings) [b](./x.md) [c](https://example.org/) [d](#e) list[0](x)"
        base = "https://example.com/r/blob/v1.2.3"
        made = f"[a]({base}/README.md#settings) [b]({base}/agent/node/x.md) [c](https://example.org/) "
        made += "[d](#e) list[0](x)"
        self.assertEqual(readme.absolute(text, "agent/node", base), made)


class Checks(unittest.TestCase):
    """Each thing that can be wrong with a package is found."""

    def setUp(self) -> None:
        self.whole = checks.whole_set(VERSION, PLATFORMS)
        self.here = packages.HERE
        self.npm = self.here.npm_file(VERSION)
        self.wheel = self.here.wheel_file(VERSION)

    def wrong(self, name: str, changes: dict[str, archives.Entry | None]) -> str:
        """What the check says about a package after some of its files were changed, or taken out."""
        entries = archives.read(packages.one(name)) | changes
        left = {file: entry for file, entry in entries.items() if entry is not None}
        return "\n".join(self.whole[name](left, VERSION, LICENSE))

    def entry(self, name: str, file: str) -> archives.Entry:
        return archives.read(packages.one(name))[file]

    def test_a_binary_that_cannot_be_executed(self) -> None:
        file = f"package/bin/{self.here.exe}"
        changed = replace(self.entry(self.npm, file), mode=0o644)
        self.assertIn("has mode 0644 instead of 0755", self.wrong(self.npm, {file: changed}))

    def test_a_binary_for_another_platform(self) -> None:
        other = next(p for p in PLATFORMS if p != self.here and p.exe == self.here.exe)
        strange = self.entry(other.npm_file(VERSION), f"package/bin/{other.exe}")
        for name, file in ((self.npm, "package/bin/"), (self.wheel, "mcp_sidecar/bin/")):
            with self.subTest(name):
                wrong = self.wrong(name, {file + self.here.exe: strange})
                self.assertIn(f"'{other.name}' instead of '{self.here.name}'", wrong)

    def test_a_file_that_is_no_binary(self) -> None:
        file = f"package/bin/{self.here.exe}"
        self.assertIn("no 64-bit ELF", self.wrong(self.npm, {file: archives.Entry(0o755, b"#!/bin/sh\n")}))

    def test_a_package_without_its_license_or_with_another(self) -> None:
        for name in self.whole:
            (file,) = (f for f in archives.read(packages.one(name)) if f.endswith("/LICENSE"))
            with self.subTest(name):
                self.assertIn("LICENSE is missing", self.wrong(name, {file: None}))
                other = self.wrong(name, {file: archives.Entry(0o644, b"MIT")})
                self.assertIn("is not the repository's LICENSE", other)

    def test_files_that_have_no_business_there(self) -> None:
        stray = archives.Entry(0o644, b"")
        for name, file in (
            (f"mcp-sidecar-{VERSION}.tgz", "package/dist/index.test.ts"),
            (self.npm, "package/bin/extra"),
            (f"mcp_sidecar-{VERSION}-py3-none-any.whl", "mcp_sidecar/bin/mcp-sidecar"),
            (self.wheel, "mcp_sidecar/bin/other"),
            (f"mcp_sidecar-{VERSION}.tar.gz", f"mcp_sidecar-{VERSION}/mcp_sidecar/bin/mcp-sidecar"),
        ):
            with self.subTest(name):
                self.assertIn(file.split("/", 1)[1], self.wrong(name, {file: stray}))

    def test_a_main_npm_package_that_does_not_pin_every_platform_at_its_own_version(self) -> None:
        name, file = f"mcp-sidecar-{VERSION}.tgz", "package/package.json"
        manifest = json.loads(self.entry(name, file).text)
        manifest["optionalDependencies"][self.here.npm_package] = f"^{VERSION}"
        changed = archives.Entry(0o644, json.dumps(manifest).encode())
        self.assertIn("optionalDependencies", self.wrong(name, {file: changed}))

    def test_an_export_of_a_file_that_is_not_there(self) -> None:
        wrong = self.wrong(f"mcp-sidecar-{VERSION}.tgz", {"package/dist/index.d.ts": None})
        self.assertIn("exports ./dist/index.d.ts, which is not in the package", wrong)

    def test_a_readme_with_a_link_into_the_repository(self) -> None:
        name = f"mcp-sidecar-{VERSION}.tgz"
        changed = archives.Entry(0o644, b"[protocol](../../rpc/PROTOCOL.md#errors)")
        wrong = self.wrong(name, {"package/README.md": changed})
        self.assertIn("links to ../../rpc/PROTOCOL.md#errors", wrong)

    def test_a_wheel_that_is_not_what_its_record_says(self) -> None:
        changed = archives.Entry(0o644, b"# changed\n")
        wrong = self.wrong(self.wheel, {"mcp_sidecar/__init__.py": changed})
        self.assertIn("mcp_sidecar/__init__.py is not what RECORD says", wrong)

    def test_a_binary_that_needs_a_newer_macos_than_the_wheel_says(self) -> None:
        mac = next(p for p in PLATFORMS if p.goos == "darwin" and p.goarch == "arm64")
        file = f"mcp_sidecar/bin/{mac.exe}"
        name = mac.wheel_file(VERSION)
        data = self.entry(name, file).data
        newer = data.replace(bytes([0, 0, 12, 0]), bytes([0, 0, 13, 0]), 1)
        self.assertNotEqual(newer, data)
        self.assertIn("runs from macosx_13_0_", self.wrong(name, {file: archives.Entry(0o755, newer)}))


class Executables(unittest.TestCase):
    """The reader of headers tells dynamic from static, and what is cut off from what is whole."""

    def test_a_program_that_needs_a_loader_is_not_static(self) -> None:
        node = shutil.which("node")
        assert node
        if packages.HERE.goos == "linux":
            self.assertFalse(executables.read(Path(node).read_bytes()).static)

    def test_a_file_that_is_cut_off_is_an_error(self) -> None:
        for platform in PLATFORMS:
            data = archives.read(packages.one(platform.npm_file(VERSION)))[f"package/bin/{platform.exe}"].data
            with self.subTest(platform.name), self.assertRaises(ValueError):
                executables.read(data[:50])


class Refusals(unittest.TestCase):
    """The script makes nothing of what is wrong, and says what that is."""

    def test_a_wrong_binary_leaves_no_package(self) -> None:
        packages.made()
        with tempfile.TemporaryDirectory() as directory:
            swapped = packages.HERE.binary_in(Path(directory, "binaries"))
            swapped.parent.mkdir(parents=True)
            other = next(p for p in packages.OTHERS if p.exe == packages.HERE.exe)
            shutil.copy(other.binary_in(packages.BINARIES), swapped)
            out = Path(directory, "out")
            done = packages.make("--out", out, "--binaries", swapped.parents[1], packages.HERE.name)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"is for: '{other.name}' instead of '{packages.HERE.name}'", done.stderr)
            self.assertEqual(list(out.iterdir()), [])

    def test_a_binary_that_was_not_given_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            done = packages.make("--out", directory, "--binaries", directory, packages.HERE.name)
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(packages.HERE.binary_in(Path(directory))), done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_an_unknown_platform_is_named_beside_the_known_ones(self) -> None:
        done = packages.make("plan9/amd64")
        self.assertEqual(done.returncode, 1)
        self.assertIn('packages: no platform "plan9/amd64": there are linux/amd64, ', done.stderr)

    def test_versions_that_differ_are_all_named(self) -> None:
        for changed in versions.PLACES:
            with self.subTest(changed), tempfile.TemporaryDirectory() as directory:
                for place in versions.PLACES:
                    copy = Path(directory, place)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    text = (packages.REPOSITORY / place).read_text()
                    copy.write_text(text.replace(VERSION, "98.7.6") if place == changed else text)
                with self.assertRaises(SystemExit) as caught:
                    versions.the_version(Path(directory))
                self.assertIn(f"{changed} says 98.7.6", str(caught.exception))
                self.assertEqual(str(caught.exception).count(f"says {VERSION}"), len(versions.PLACES) - 1)

    def test_a_version_that_the_registries_write_differently_is_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "0.2.0-rc.1 is not three numbers"):
            versions.agreed({"a": "0.2.0-rc.1", "b": "0.2.0-rc.1"})
