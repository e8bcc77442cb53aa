"""The command `mcp-sidecar` of this package: it becomes the program that it finds."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

from . import ending
from .binary import VARIABLE, find_binary
from .errors import BinaryNotFoundError

_MARK: Final = f"{VARIABLE}_COMMAND"
"""Is set for the program. When this command finds it set, it has found itself, by way of some wrapper."""


def main() -> int:
    """Runs the program in place of this one."""
    try:
        program = str(find_binary())
    except BinaryNotFoundError as error:
        return _fail(str(error), 127)
    if _MARK in os.environ:
        return _fail(f"{os.environ[_MARK]} starts this command again, which would look for it for ever", 127)
    arguments = [program, *sys.argv[1:]]
    environ = {**os.environ, _MARK: program}
    try:
        if sys.platform == "win32":
            return subprocess.call(arguments, env=environ)
        os.execve(program, arguments, environ)
    except OSError as error:
        return _fail(str(ending.not_started(program, error)), 126)


def _fail(message: str, code: int) -> int:
    print(f"mcp-sidecar: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
