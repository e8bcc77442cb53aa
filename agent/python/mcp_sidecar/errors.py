"""Everything that goes wrong here is a SidecarError, of a class that says whose affair it is.

The sidecar refused a request (ResponseError), it is gone (SidecarClosedError), it cannot be found
(BinaryNotFoundError) or understood (ProtocolVersionError), or what was asked makes no sense
(InvalidArgumentError).

Two things are not errors of this kind: a tool that fails (its result has ``isError``), and a request that its
caller abandons (that is asyncio's CancelledError, or TimeoutError where the caller set a deadline).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from .protocol_gen import PROTOCOL_VERSION

_Error = TypeVar("_Error", bound="SidecarError")


class SidecarError(Exception):
    """The base of all errors of this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructors of the classes below take other things than the text, which is what BaseException
        # would call them with in copies and pickles.
        return _restore, (type(self), self.args, self.__dict__.copy())


def _restore(kind: type[_Error], args: tuple[Any, ...], attributes: dict[str, Any]) -> _Error:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class InvalidArgumentError(SidecarError, ValueError):
    """What the caller gave cannot be used. Nothing was sent."""


class ResponseError(SidecarError):
    """The sidecar refused a request. The module ``protocol`` names the codes: CODE_UNKNOWN_TOOL and so on."""

    method: str
    code: int
    data: Any
    """What the protocol says about the code, for example ``{"suggestions": [...]}``. None: nothing."""

    def __init__(self, method: str, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{method}: {message}{_near_names(message, data)}")
        self.method = method
        self.code = code
        self.data = data


def _near_names(message: str, data: Any) -> str:
    """Gives the names in data that the text of the error does not have already."""
    if not isinstance(data, dict):
        return ""
    named: list[Any] = []
    for member in ("suggestions", "candidates"):
        value = data.get(member)
        named += value if isinstance(value, list) else []
    unsaid = [name for name in named if isinstance(name, str) and name not in message]
    return f" (did you mean {', '.join(unsaid)}?)" if unsaid else ""


class SidecarClosedError(SidecarError):
    """The sidecar is gone, or this program has closed it.

    There is one reason for each sidecar: every call that was waiting fails with it, and every later one.
    """

    exit_code: int | None
    """The exit code of the process, if it ended by itself."""
    signal: str | None
    """The name of the signal that ended the process, if one did."""
    stderr: tuple[str, ...]
    """What the process last wrote there, or how it began to tell of its crash."""

    def __init__(
        self,
        message: str,
        *,
        exit_code: int | None = None,
        signal: str | None = None,
        stderr: Iterable[str] = (),
    ) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.signal = signal
        self.stderr = tuple(stderr)


@dataclass(frozen=True)
class Place:
    """Where the program was looked for, and why it was not taken from there."""

    where: str
    why: str


class BinaryNotFoundError(SidecarError):
    """There is no program to start. ``looked`` has every place, in the order of looking."""

    looked: tuple[Place, ...]

    def __init__(self, message: str, looked: Iterable[Place]) -> None:
        super().__init__(message)
        self.looked = tuple(looked)


class ProtocolVersionError(SidecarError):
    """The sidecar and this package speak different versions of the protocol."""

    version: Final[int] = PROTOCOL_VERSION
    """The version that this package speaks."""
    supported: tuple[int, ...]
    """The versions that the sidecar speaks."""

    def __init__(self, named: Iterable[object], peer: str | None = None) -> None:
        # What is no version names none. (True is an int to Python alone.)
        self.supported = tuple(version for version in named if type(version) is int)
        if max(self.supported, default=0) > PROTOCOL_VERSION:
            remedy = 'install a newer Python package "mcp-sidecar", or an older mcp-sidecar'
        else:
            remedy = 'install a newer mcp-sidecar, or an older Python package "mcp-sidecar"'
        theirs = ", ".join(map(str, self.supported)) or "none that it names"
        super().__init__(
            f"this package speaks version {PROTOCOL_VERSION} of the protocol, but {peer or 'the sidecar'} "
            f"speaks {theirs}: {remedy}"
        )
