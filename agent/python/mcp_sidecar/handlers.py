"""What a sidecar may ask of its host.

A handler that is there declares the capability, and is called with the question; what it returns is the
answer in its natural form, without the wire's wrapping. It may be a function or a coroutine function. When
the sidecar withdraws the question, or is gone, a coroutine is cancelled: take the question off the screen.
"""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar, Union, cast

from .connection import Question, Refusal
from .errors import InvalidArgumentError
from .mcp import CreateMessageResult, ElicitRequest, ElicitResult, SampleRequest
from .protocol_gen import (
    CODE_CANCELLED,
    METHOD_APPROVE,
    METHOD_ELICIT,
    METHOD_INPUT,
    METHOD_OPEN_URL,
    METHOD_SAMPLE,
    ApproveParams,
    Capabilities,
    Decision,
    InputParams,
    OpenURLParams,
)

_T = TypeVar("_T")

Answer = Union[_T, Awaitable[_T]]  # noqa: UP007  (`|` is no generic alias in Python 3.10)
"""An answer may take its time."""


@dataclass(frozen=True)
class Handlers:
    """Handlers answer what the sidecar asks.

    One that returns None cannot ask its user just now, which is the same as a user who closes the question:
    nothing is decided. (From ``input`` it means that the user gave no value.) One that raises is answered for
    with the text of what it raised.
    """

    approve: Callable[[ApproveParams], Answer[Mapping[str, Decision] | None]] | None = None
    """May these servers of the project's files run? Decisions by server name; who is left out waits.

    "allow" and "deny" are remembered for the entry as it was shown. "later", like no word about a server,
    holds for the session, or until a full reload.
    """
    input: Callable[[InputParams], Answer[str | None]] | None = None
    """The value of an ``${input:id}`` in a configuration file, for this session."""
    elicit: Callable[[ElicitRequest], Answer[ElicitResult | None]] | None = None
    """A server asks the user something."""
    sample: Callable[[SampleRequest], Answer[CreateMessageResult | None]] | None = None
    """A server asks for a model's answer."""
    open_url: Callable[[OpenURLParams], Answer[bool | None]] | None = None
    """Open a page in the user's browser. Was it opened?"""

    def __post_init__(self) -> None:
        """Refuses what cannot be called."""
        for name in (field.name for field in fields(self)):
            handler = getattr(self, name)
            if handler is not None and not callable(handler):
                raise InvalidArgumentError(f"the handler {name} is a function, not {reprlib.repr(handler)}")


def checked(handlers: Handlers | None) -> Handlers:
    """Gives the handlers, if they are any."""
    if handlers is None:
        return Handlers()
    if not isinstance(handlers, Handlers):
        raise InvalidArgumentError(
            f"handlers are given as Handlers(approve=...), not {reprlib.repr(handlers)}"
        )
    return handlers


@dataclass(frozen=True)
class _Kind:
    """One kind of question."""

    # The name of the handler, in Handlers.
    handler: str
    # What its presence declares, and by which name.
    capability: str
    declares: object
    # What it must return.
    returns: type
    # The answer as it goes over the wire. Refused without being called for None, if the answer must be
    # something.
    wire: Callable[[Any], object]
    may_be_none: bool = False


_KINDS: Final[Mapping[str, _Kind]] = {
    METHOD_APPROVE: _Kind(
        "approve", "approve", True, Mapping, lambda decisions: {"decisions": dict(decisions)}
    ),
    METHOD_INPUT: _Kind(
        "input", "input", True, str, lambda value: {} if value is None else {"value": value}, may_be_none=True
    ),
    METHOD_ELICIT: _Kind(
        "elicit", "elicitation", {"form": True}, Mapping, lambda result: {"result": dict(result)}
    ),
    METHOD_SAMPLE: _Kind("sample", "sampling", {}, Mapping, lambda result: {"result": dict(result)}),
    METHOD_OPEN_URL: _Kind("open_url", "openUrl", True, bool, lambda opened: {"opened": opened}),
}


def declared(handlers: Handlers, refined: Capabilities | None) -> Capabilities:
    """Gives the capabilities that the handlers mean, refined: what is given replaces, False takes out."""
    capabilities: dict[str, object] = {
        kind.capability: kind.declares
        for kind in _KINDS.values()
        if getattr(handlers, kind.handler) is not None
    }
    needs = {kind.capability: kind.handler for kind in _KINDS.values()}
    for name, value in (refined or {}).items():
        if value is False:
            capabilities.pop(name, None)
        elif name in needs and name not in capabilities:
            raise InvalidArgumentError(
                f'the capability "{name}" is declared, but nothing answers for it: '
                f"give Handlers({needs[name]}=...)"
            )
        else:
            capabilities[name] = value
    return cast("Capabilities", capabilities)


def question(handlers: Handlers, method: str, params: Any) -> Question | None:
    """Gives what answers a request of the sidecar, or None if there is no handler for it."""
    kind = _KINDS.get(method)
    handler = None if kind is None else getattr(handlers, kind.handler)
    if kind is None or handler is None:
        return None

    async def ask() -> object:
        answer = handler(params)
        if inspect.isawaitable(answer):
            answer = await answer
        if answer is None and not kind.may_be_none:
            raise Refusal(CODE_CANCELLED, "this host cannot ask its user now")
        if answer is not None and not isinstance(answer, kind.returns):
            wanted = "mapping" if kind.returns is Mapping else kind.returns.__name__
            raise TypeError(f"the handler {kind.handler} returned {type(answer).__name__}, not {wanted}")
        return kind.wire(answer)

    return ask
