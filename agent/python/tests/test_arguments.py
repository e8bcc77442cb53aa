"""What a program gives that makes no sense is refused at once, in words that say what would."""

from __future__ import annotations

import copy
import pickle
import unittest
from pathlib import Path
from typing import Any

from mcp_sidecar import Handlers, InvalidArgumentError, Sidecar, SyncSidecar
from mcp_sidecar.workspace import folders_on_the_wire


async def told(*_: object) -> None:
    raise AssertionError


REFUSED: dict[str, dict[str, Any]] = {
    "args is a list of flags, each a str, not '--verbose'": {"args": "--verbose"},
    "args is a list of flags, each a str, not [1]": {"args": [1]},
    "env: A is a str, or None to take it out, not 1": {"env": {"A": 1}},
    "stderr is a function, not 'x'": {"stderr": "x"},
    "stderr is called and not awaited, so it is no coroutine function: take a function, which may start a "
    "task (asyncio.create_task)": {"stderr": told},
    "handlers are given as Handlers(approve=...), not {'approve': 1}": {"handlers": {"approve": 1}},
}


class Options(unittest.TestCase):
    def test_of_the_wrong_type_are_refused_before_anything_is_started(self) -> None:
        for make in (Sidecar, SyncSidecar):
            for text, options in REFUSED.items():
                with self.subTest(text, make=make), self.assertRaises(InvalidArgumentError) as raised:
                    make(**options)
                self.assertEqual(str(raised.exception), text)

    def test_a_handler_is_a_function(self) -> None:
        options: dict[str, Any] = {"approve": 1}
        with self.assertRaisesRegex(InvalidArgumentError, "^the handler approve is a function, not 1$"):
            Handlers(**options)


class Copies(unittest.TestCase):
    def test_are_refused_for_another_process_too(self) -> None:
        for sidecar in (Sidecar(), SyncSidecar()):
            for take in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "start one of its own in each process"):
                    take(sidecar)


class WorkspaceFolders(unittest.TestCase):
    def test_may_be_one_path(self) -> None:
        folder = {"uri": "file:///home/ada/app", "name": "app"}
        for given in ("/home/ada/app", Path("/home/ada/app"), ["/home/ada/app"]):
            with self.subTest(given):
                self.assertEqual(folders_on_the_wire(given), [folder])  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
