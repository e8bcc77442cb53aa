"""Sidecar is a SidecarClient that has its own process: it finds the program, starts it, and ends it."""

from __future__ import annotations

import copy
import os
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from .binary import find_binary
from .client import SLACK_SECONDS, SidecarClient
from .endpoint import ENDPOINT, find_endpoint
from .errors import InvalidArgumentError, ResponseError, SidecarError
from .handlers import Handlers
from .process import OnStderr, ProcessTransport
from .protocol_gen import CODE_METHOD_NOT_FOUND, METHOD_INITIALIZE, Capabilities, ClientInfo, Settings
from .workspace import Folder

if TYPE_CHECKING:
    from typing_extensions import Self


class Sidecar(SidecarClient):
    """A sidecar of this program, or by `join` a guest of another program's.

    >>> async with Sidecar(cwd=project) as sidecar:
    ...     outcome = await sidecar.call("mcp_files_read_text_file", {"path": "notes.txt"})

    ``cwd`` is the project (default: the working directory); ``binary`` the program, if it is not to be looked
    for, and ``args`` its flags; ``env`` what is added to its environment, None taking a variable out.
    ``stderr`` is called with each line that it writes there. The others are as in SidecarClient and its
    ``initialize``.

    It is never restarted silently: when the process dies, whatever is awaited fails, and a new Sidecar is
    needed. It keeps no program alive, and ends when the last reference to it goes.
    """

    def __init__(
        self,
        *,
        cwd: str | os.PathLike[str] | None = None,
        binary: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str | None] | None = None,
        client: ClientInfo | None = None,
        workspace_folders: Sequence[Folder] | None = None,
        settings: Settings | None = None,
        handlers: Handlers | None = None,
        capabilities: Capabilities | None = None,
        stderr: OnStderr | None = None,
    ) -> None:
        self._process = ProcessTransport(stderr)
        super().__init__(self._process, client=client, handlers=handlers, capabilities=capabilities)
        self._cwd = cwd
        self._wanted = binary
        self._args = _flags(args)
        self._env = _variables(env)
        self._workspace_folders = workspace_folders
        self._settings = settings
        # None: the session is this program's own.
        self._endpoint: str | None = None
        self._begun = False
        self._let_go = finalize(self, self._process.let_go)
        # At the end of the program its end is seen anyway, and there may be others who need it until then.
        self._let_go.atexit = False

    @classmethod
    def join(
        cls,
        endpoint: str | None = None,
        *,
        binary: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str | None] | None = None,
        client: ClientInfo | None = None,
        stderr: OnStderr | None = None,
    ) -> Self:
        """A guest of the session that another program shares: the same tools, over the same connections.

        >>> async with Sidecar.join() as sidecar:
        ...     outcome = await sidecar.call("mcp_files_read_text_file", {"path": "notes.txt"})

        ``endpoint`` is what the other's `share` gives (default: that of the environment, where it belongs:
        MCP_SIDECAR_ENDPOINT). The others are as in Sidecar. A guest decides nothing: it has no settings and
        no handlers, and what is the owner's alone is refused with CODE_NOT_PERMITTED. Closing it ends
        nothing but itself.
        """
        guest = cls(binary=binary, args=args, env=env, client=client, stderr=stderr)
        guest._endpoint = find_endpoint(endpoint, env)
        guest._process.joins = True
        return guest

    @property
    def pid(self) -> int | None:
        """The process, once it was started."""
        return self._process.pid

    @property
    def binary(self) -> Path | None:
        """The program, once it was found."""
        return None if self._process.peer is None else Path(self._process.peer)

    async def start(self) -> Self:
        """Starts the process, and returns when it has opened the session. `async with` does it.

        If it fails or is cancelled, no process is left.
        """
        if self._begun:
            raise SidecarError("this Sidecar was started before: make a new one")
        self._begun = True
        if self.closed is not None:
            raise copy.copy(self.closed)
        try:
            program = find_binary(self._wanted)
            command = [str(program), *self._args, *([] if self._endpoint is None else ["attach"])]
            await self._process.start(command, _environment(self._env, self._endpoint))
            await self.initialize(
                cwd=Path.cwd() if self._cwd is None else self._cwd,
                workspace_folders=self._workspace_folders,
                process_id=os.getpid(),
                settings=self._settings,
            )
        except BaseException as error:
            await self.close()
            if isinstance(error, ResponseError) and error.code == CODE_METHOD_NOT_FOUND:
                # Another language server, say.
                raise SidecarError(
                    f"{self._process.peer} is not mcp-sidecar: it does not know {METHOD_INITIALIZE}"
                ) from error
            raise
        return self

    async def __aenter__(self) -> Self:
        return await self.start()

    async def _send(
        self, method: str, params: Mapping[str, Any], args: Mapping[str, Any] | str | None = None
    ) -> Any:
        if not self._begun:
            raise SidecarError("this Sidecar was not started: use it in `async with`, or call start()")
        return await super()._send(method, params, args)

    def _note_bounds(self, settings: Settings | None) -> None:
        super()._note_bounds(settings)
        self._process.grace = self._shutdown_seconds + SLACK_SECONDS


def _flags(args: Sequence[str]) -> tuple[str, ...]:
    flags = None if isinstance(args, str) or not isinstance(args, Iterable) else tuple(args)
    if flags is None or not all(isinstance(flag, (str, os.PathLike)) for flag in flags):
        raise InvalidArgumentError(f"args is a list of flags, each a str, not {reprlib.repr(args)}")
    return flags


def _variables(env: Mapping[str, str | None] | None) -> Mapping[str, str | None] | None:
    if env is not None and not isinstance(env, Mapping):
        raise InvalidArgumentError(f"env is a dict, not a {type(env).__name__}")
    for name, value in (env or {}).items():
        if not isinstance(name, str):
            raise InvalidArgumentError(f"env: a name is a str, not {name!r}")
        if value is not None and not isinstance(value, str):  # its text is nobody's to print
            raise InvalidArgumentError(
                f"env: {name} is a str, or None to take it out, not a {type(value).__name__}"
            )
    return env


def _environment(added: Mapping[str, str | None] | None, endpoint: str | None) -> dict[str, str]:
    """Gives this program's environment with what is added, and without what is None.

    The endpoint that this program was let in with is nobody's who does not join.
    """
    merged = {**os.environ, ENDPOINT: None, **(added or {})}
    if endpoint is not None:
        merged[ENDPOINT] = endpoint
    return {name: value for name, value in merged.items() if value is not None}
