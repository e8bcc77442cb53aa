"""What a program gives that makes no sense is refused at once, in words that say what would."""

from __future__ import annotations

import copy
import pickle
import unittest
from pathlib import Path
from typing import Any

from mcp_sidecar import Handlers, InvalidArgumentError, Sidecar, SyncSidecar
from mcp_sidecar.protocol import WorkspaceFolder
from mcp_sidecar.workspace import folders_on_the_wire


async def told(*_: object) -> None:
    raise AssertionError


REFUSED: dict[str, dict[str, Any]] = {
    "args is a list of flags, each a str, not '--verbose'": {"args": "--verbose"},
    "args is a list of flags, each a str, not 5": {"args": 5},
    "args is a list of flags, each a str, not [1]": {"args": [1]},
    "env is a dict, not a list": {"env": ["A=1"]},
    "env: A is a str, or None to take it out, not a bytes": {"env": {"A": b"secret"}},
    "env: a name is a str, not 1": {"env": {1: "x"}},
    "stderr is a function, not 'x'": {"stderr": "x"},
    "stderr is called and not awaited: take a function that is not async": {"stderr": told},
    "handlers are given as Handlers(approve=...), not {'approve': 1}": {"handlers": {"approve": 1}},
}


class Options(unittest.TestCase):
    def test_of_the_wrong_type_are_refused_before_anything_is_started(self) -> None:
        for make in (Sidecar, SyncSidecar):
            for text, options in REFUSED.items():
                with self.subTest(text, make=make), self.assertRaises(InvalidArgumentError) as raised:
                    make(**options)
                self.assertEqual(str(raised.exception), text)

    def test_flags_may_come_from_anything(self) -> None:
        sidecar = Sidecar(args=(flag for flag in ("--log-level", "debug")))  # type: ignore[arg-type]
        self.assertEqual(sidecar._args, ("--log-level", "debug"))

    def test_a_handler_is_a_function(self) -> None:
        options: dict[str, Any] = {"approve": 1}
        with self.assertRaisesRegex(InvalidArgumentError, "^the handler approve is a function, not 1$"):
            Handlers(**options)


class Copies(unittest.TestCase):
    def test_are_refused_for_another_process_too(self) -> None:
        for sidecar in (Sidecar(), SyncSidecar()):
            for take in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "neither copied nor sent to another process"):
                    take(sidecar)


class WorkspaceFolders(unittest.TestCase):
    def test_are_paths_and_folders(self) -> None:
        folder: WorkspaceFolder = {"uri": "file:///home/ada/app", "name": "app"}
        given = ("/home/ada/app", Path("/home/ada/app"), folder)
        self.assertEqual(folders_on_the_wire(given), [folder] * 3)

    def test_one_alone_is_no_list(self) -> None:
        alone: Any
        for alone in ("/home/ada/app", Path("/home/ada/app"), {"uri": "file:///home/ada/app", "name": "app"}):
            with self.assertRaisesRegex(
                InvalidArgumentError, "^workspace_folders is a list of folders, not "
            ):
                folders_on_the_wire(alone)


if __name__ == "__main__":
    unittest.main()
