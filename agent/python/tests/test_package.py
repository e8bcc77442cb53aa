"""The package says of itself what is so, and has the whole protocol."""

from __future__ import annotations

import ast
import json
import re
import sys
import unittest
from pathlib import Path
from typing import Any

import mcp_sidecar
from mcp_sidecar import protocol, protocol_gen

HERE = Path(__file__).parent
SCHEMA = HERE.parent.parent.parent / "rpc" / "schema.json"


class ThePackage(unittest.TestCase):
    def test_has_the_version_of_its_project_file(self) -> None:
        project = (HERE.parent / "pyproject.toml").read_text()
        version = re.search(r'^version = "(.*)"$', project, re.MULTILINE)
        assert version is not None
        self.assertEqual(mcp_sidecar.__version__, version[1])

    def test_has_what_it_says_it_has(self) -> None:
        for name in mcp_sidecar.__all__:
            self.assertTrue(hasattr(mcp_sidecar, name), name)
        self.assertEqual(len(set(mcp_sidecar.__all__)), len(mcp_sidecar.__all__))

    def test_needs_nothing_but_the_standard_library(self) -> None:
        files = list((HERE.parent / "mcp_sidecar").glob("*.py"))
        self.assertIn("client.py", [file.name for file in files])
        for file in files:
            tree = ast.parse(file.read_text())
            checked_only = {
                id(node)
                for branch in ast.walk(tree)
                if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
                for node in ast.walk(branch)
            }
            for node in ast.walk(tree):
                if id(node) in checked_only or not isinstance(node, (ast.Import, ast.ImportFrom)):
                    continue
                names = (
                    [alias.name for alias in node.names]
                    if isinstance(node, ast.Import)
                    else [node.module or ""]
                )
                for name in names:
                    own = isinstance(node, ast.ImportFrom) and node.level > 0
                    self.assertTrue(own or _is_standard(name), f"{file.name} imports {name}")


class TheProtocol(unittest.TestCase):
    schema: dict[str, Any] = json.loads(SCHEMA.read_text())

    def test_is_there_with_every_type(self) -> None:
        for name in self.schema["$defs"]:
            self.assertTrue(hasattr(protocol, name), name)

    def test_is_what_is_generated(self) -> None:
        for name in vars(protocol_gen):
            if not name.startswith("_"):
                self.assertIs(getattr(protocol, name), getattr(protocol_gen, name))


def _is_standard(name: str) -> bool:
    return name.split(".")[0] in sys.stdlib_module_names


if __name__ == "__main__":
    unittest.main()
