"""Why a process could not be started, or is gone, in words that say what to do.

Pure.
"""

from __future__ import annotations

import errno
import platform
import signal
import sys
from collections.abc import Sequence

from .errors import SidecarClosedError
from .framing import FramingError
from .stderr_tail import telling


def not_started(program: str, error: Exception) -> SidecarClosedError:
    """Says why a program that is there cannot be started."""
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENOENT:
        why = (
            "it is there, but what it needs to run is not: the interpreter of a script, or the C library "
            "that a program was built for"
        )
    elif number in (errno.EACCES, errno.EPERM):
        why = "this user may not execute it (chmod +x, or a file system that is mounted noexec)"
    elif number == errno.ENOEXEC or getattr(error, "winerror", None) == 193:
        why = f"it is no program for this machine ({sys.platform} on {platform.machine()})"
    else:
        why = "the system refused"
    return SidecarClosedError(f"{program} cannot be started: {why}. ({error})")


def died(program: str, pid: int, code: int, stderr: Sequence[str], *, spoke: bool) -> SidecarClosedError:
    """Says how a process ended that was not told to. `code` is as in subprocess: -N is signal N."""
    how = _how(code)
    if spoke:
        what = f"mcp-sidecar is gone: {program} (process {pid}) {how}. A new one has to be started."
    else:
        what = f"{program} {how} and said nothing. Is it mcp-sidecar?"
    return _ended(what + _said(stderr), code, stderr)


def parted(program: str, pid: int, code: int, stderr: Sequence[str], *, spoke: bool) -> SidecarClosedError:
    """Says how the process of a guest ended that was not told to. `code` is as in `died`."""
    if code == 0:
        if spoke:
            what = "the session that was joined has ended: its owner has closed it, or is gone"
        else:
            what = "cannot join the session: it ended before it said anything"
    elif spoke:
        what = (
            f"the way to the session is gone: {program} (process {pid}) {_how(code)}. It may be joined again."
            f"{_said(stderr)}"
        )
    elif code == 1 and stderr:
        # It was not let in, and has said why.
        what = f"cannot join the session: {stderr[-1].removeprefix('mcp-sidecar: ')}"
    else:
        return died(program, pid, code, stderr, spoke=False)
    return _ended(what, code, stderr)


def babbled(program: str, error: FramingError, stderr: Sequence[str], *, spoke: bool) -> SidecarClosedError:
    """Says that what a process writes is not the protocol."""
    shown = error.received.decode("utf-8", "backslashreplace")
    when = "then printed" if spoke else "printed"
    why = (
        "Something else writes to its stdout."
        if spoke
        else "Is it mcp-sidecar, and is it started without a wrapper that prints?"
    )
    return SidecarClosedError(
        f"{program} {when} {shown!r}, which is not the protocol ({error}). {why}{_said(stderr)}",
        stderr=stderr,
    )


def deserted(program: str, pid: int, how: str, stderr: Sequence[str], *, spoke: bool) -> SidecarClosedError:
    """Says that a process runs, and cannot be talked to any more."""
    what = f"{program} (process {pid}) {how} and did not end, so it was killed."
    remedy = "A new one has to be started." if spoke else "Is it mcp-sidecar?"
    return SidecarClosedError(f"{what} {remedy}{_said(stderr)}", stderr=stderr)


def silent(program: str, seconds: float, stderr: Sequence[str]) -> SidecarClosedError:
    """Says that a process runs, and has never sent a message."""
    return SidecarClosedError(
        f"{program} said nothing for {seconds:g} s. Is it mcp-sidecar?{_said(stderr)}", stderr=stderr
    )


def _ended(what: str, code: int, stderr: Sequence[str]) -> SidecarClosedError:
    return SidecarClosedError(
        what,
        exit_code=code if code >= 0 else None,
        signal=_signal_name(-code) if code < 0 else None,
        stderr=stderr,
    )


def _how(code: int) -> str:
    return f"was killed by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"


def _said(stderr: Sequence[str]) -> str:
    if not stderr:
        return ""
    return "\nIt said on stderr:" + "".join(f"\n  {line}" for line in telling(stderr))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
