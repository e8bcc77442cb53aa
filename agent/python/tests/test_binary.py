"""The program is looked for in an order that never changes, and every place says why it was not taken."""

from __future__ import annotations

import os
import stat
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from mcp_sidecar import BinaryNotFoundError
from mcp_sidecar.binary import find_binary


class Places(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name).resolve()
        self.bundled = self.root / "package" / "bin" / "mcp-sidecar"
        self.path = [self.root / "first", self.root / "second"]
        for folder in self.path:
            folder.mkdir()

    def program(self, path: Path, text: str = "\x7fELF", mode: int = 0o755) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def find(self, binary: str | os.PathLike[str] | None = None, variable: str | None = None) -> Path:
        environ = {"PATH": os.pathsep.join(map(str, self.path))}
        if variable is not None:
            environ["MCP_SIDECAR"] = variable
        return find_binary(binary, environ=environ, bundled=self.bundled)

    def not_found(
        self, binary: str | os.PathLike[str] | None = None, variable: str | None = None
    ) -> BinaryNotFoundError:
        with self.assertRaises(BinaryNotFoundError) as raised:
            self.find(binary, variable)
        for place in raised.exception.looked:
            self.assertTrue(place.where, place)
            self.assertTrue(place.why, place)
        return raised.exception

    def test_that_are_named_by_nothing_are_a_mistake_in_the_option_alone(self) -> None:
        on_path = self.program(self.path[0] / "mcp-sidecar")
        error = self.not_found("")
        self.assertEqual(str(error), "the option binary is empty: name a program, or leave it out")
        self.assertEqual(self.find(variable=""), on_path)

    def test_come_in_this_order(self) -> None:
        on_path = self.program(self.path[1] / "mcp-sidecar")
        self.assertEqual(self.find(), on_path)
        first_on_path = self.program(self.path[0] / "mcp-sidecar")
        self.assertEqual(self.find(), first_on_path)
        self.program(self.bundled)
        self.assertEqual(self.find(), self.bundled)
        named = self.program(self.root / "by variable")
        self.assertEqual(self.find(variable=str(named)), named)
        given = self.program(self.root / "by option")
        self.assertEqual(self.find(given, variable=str(named)), given)
        self.assertEqual(self.find(str(given), variable=str(named)), given)

    def test_a_bare_name_is_a_command(self) -> None:
        other = self.program(self.path[1] / "my-sidecar")
        self.assertEqual(self.find("my-sidecar"), other)
        self.assertEqual(self.find(variable="my-sidecar"), other)

    def test_an_empty_variable_is_none(self) -> None:
        on_path = self.program(self.path[0] / "mcp-sidecar")
        self.assertEqual(self.find(variable=""), on_path)

    def test_a_home_directory_is_understood(self) -> None:
        named = self.program(self.root / "mine")
        with mock.patch.dict(os.environ, {"HOME": str(self.root), "USERPROFILE": str(self.root)}):
            self.assertEqual(self.find("~/mine"), named)

    def test_is_absolute_when_it_is_found(self) -> None:
        named = self.program(self.root / "mine")
        self.path = [Path(os.path.relpath(self.path[0]))]
        on_path = self.program(self.root / "first" / "mcp-sidecar")
        self.assertEqual(self.find(os.path.relpath(named)), named)
        self.assertEqual(self.find(), on_path)

    def test_one_that_is_named_and_wrong_is_never_skipped(self) -> None:
        self.program(self.bundled)
        self.program(self.path[0] / "mcp-sidecar")
        plain = self.program(self.root / "plain", mode=0o644)
        self.assertFalse(plain.stat().st_mode & stat.S_IXUSR)
        for value, why in (
            (str(self.root / "absent"), "is not there"),
            (str(self.root), "is not a file"),
            (str(plain), r"is not executable \(chmod \+x\)"),
            ("absent-command", "as a command is in none of the 2 directories of PATH"),
        ):
            with self.subTest(value=value):
                error = self.not_found(value)
                self.assertRegex(str(error), f"^the option binary names .*, which .*{why}$")
                self.assertEqual(len(error.looked), 1)
                error = self.not_found(variable=value)
                self.assertRegex(str(error), f"^the variable MCP_SIDECAR names .*, which .*{why}$")
                self.assertEqual(error.looked[0].where, "the option binary")

    def test_nowhere_is_an_error_that_lists_them_all(self) -> None:
        error = self.not_found()
        self.assertEqual(
            [place.where for place in error.looked],
            ["the option binary", "the variable MCP_SIDECAR", str(self.bundled), "PATH"],
        )
        for place in error.looked:
            self.assertIn(f"\n  - {place.where}: {place.why}", str(error))
        self.assertIn("MCP_SIDECAR=", str(error))

    def test_one_on_the_way_that_cannot_be_used_is_told_and_passed(self) -> None:
        self.program(self.path[0] / "mcp-sidecar", mode=0o644)
        error = self.not_found()
        self.assertEqual(error.looked[-1].where, str(self.path[0] / "mcp-sidecar"))
        self.assertIn("is not executable", error.looked[-1].why)
        second = self.program(self.path[1] / "mcp-sidecar")
        self.assertEqual(self.find(), second)

    def test_the_command_of_this_package_is_not_the_program(self) -> None:
        script = "#!/usr/bin/python3\nimport sys\nfrom mcp_sidecar.__main__ import main\nsys.exit(main())\n"
        command = self.program(self.path[0] / "mcp-sidecar", script)
        self.assertIn("is the command of this Python package", self.not_found().looked[-1].why)
        self.assertIn("is the command of this Python package", str(self.not_found(command)))


if __name__ == "__main__":
    unittest.main()
