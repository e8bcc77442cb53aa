"""A call as a model makes it: what the model did wrong comes back as an answer that it can read.

A model calls tools that are gone and writes arguments that are no JSON. It does better when it is told, so
these are answers, and so is what the sidecar refuses about one call. What is not the model's affair is an
exception: the sidecar has ended, the call was cancelled, the program itself asked for something impossible.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from mcp_sidecar import wire_json
from mcp_sidecar.errors import InvalidArgumentError, ResponseError
from mcp_sidecar.mcp import CallOutcome
from mcp_sidecar.protocol_gen import (
    CODE_AMBIGUOUS_TOOL,
    CODE_AUTH_NEEDED,
    CODE_INTERNAL_ERROR,
    CODE_INVALID_REQUEST,
    CODE_OVERLOADED,
    CODE_SERVER_FAILED,
    CODE_UNKNOWN_SERVER,
    CODE_UNKNOWN_TOOL,
    CODE_UNTRUSTED,
)
from mcp_sidecar.tool_source import ToolSource

from .content import Part, Text, read_result
from .source import CallOptions, SyncToolSource, is_async
from .well_formed import well_formed

# Errors about this one call, which a model can do something about. All others are the program's affair.
_REFUSALS: Final = frozenset(
    (
        CODE_AMBIGUOUS_TOOL,
        CODE_AUTH_NEEDED,
        CODE_INTERNAL_ERROR,
        CODE_INVALID_REQUEST,  # the arguments are too large
        CODE_OVERLOADED,
        CODE_SERVER_FAILED,
        CODE_UNKNOWN_SERVER,
        CODE_UNKNOWN_TOOL,
        CODE_UNTRUSTED,
    )
)

_T = TypeVar("_T")


@dataclass(frozen=True)
class Answer:
    """What the model is told about its call."""

    # Never empty.
    parts: list[Part]
    failed: bool
    # What the sidecar answered; None if it was not asked, or refused.
    outcome: CallOutcome | None = None


@dataclass(frozen=True)
class ModelCall:
    """What a model wants to be called: any name, and whatever it gave as the arguments."""

    name: str
    arguments: object


def answered(
    source: ToolSource | SyncToolSource,
    calls: Sequence[ModelCall | Answer],
    options: CallOptions,
    then: Callable[[list[Answer]], _T],
) -> _T | Coroutine[Any, Any, _T]:
    """What `then` makes of the answers to all calls: at once if the source blocks, else to be awaited.

    An answer among the calls stands for itself. Calls that are awaited run at the same time; if one raises,
    or the whole is cancelled, none goes on.
    """

    def all_started() -> list[Answer | Coroutine[Any, Any, Answer]]:
        return [call if isinstance(call, Answer) else started(source, call, options) for call in calls]

    async def later(of: list[Answer | Coroutine[Any, Any, Answer]] | None = None) -> _T:
        return then(await _together(all_started() if of is None else of))

    if is_async(source):
        return later()
    of = all_started()
    answers = [each for each in of if isinstance(each, Answer)]
    if len(answers) < len(of):
        return later(of)
    told = then(answers)
    return told if any(each.outcome for each in answers) else _awaitable_too(told)


def started(
    source: ToolSource | SyncToolSource, call: ModelCall, options: CallOptions
) -> Answer | Coroutine[Any, Any, Answer]:
    """The answer to one call, if there is one already, or else what to await for it."""
    if not call.name:
        return refusal(_unknown_tool(call.name, None))
    try:
        arguments = read_arguments(call)
    except InvalidArgumentError as error:
        return refusal(str(error))
    try:
        outcome: object = source.call(
            call.name,
            arguments,
            timeout=options.timeout,
            on_progress=options.on_progress,
            max_bytes=options.max_bytes,
        )
    except ResponseError as error:
        return _explained(call.name, error)
    return _awaited(call.name, outcome) if inspect.isawaitable(outcome) else _told(outcome)


def refusal(text: str) -> Answer:
    """The answer to a call that was not made."""
    return Answer([Text(well_formed(text))], failed=True)


def read_arguments(call: ModelCall) -> Mapping[str, Any] | str:
    """The arguments as a model gave them: an object, or the JSON text of one, to be sent byte for byte.

    No text at all is what models write for a tool without arguments.
    """
    arguments = call.arguments
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return {}
    why = f"the arguments are an object, and no {type(arguments).__name__}"
    if isinstance(arguments, str | Mapping):
        try:
            wire_json.arguments(arguments)
        except InvalidArgumentError as error:
            why = str(error)
        else:
            return arguments
    raise InvalidArgumentError(
        f"{call.name} was not called: {why}. Call it again with an object that fits its schema."
    )


def member(value: object, name: str) -> Any:
    """A member of an object of a provider's SDK, or of the same as a dict."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def call_id(value: object, name: str) -> str:
    """The id that an answer has to carry."""
    found = member(value, name)
    if not isinstance(found, str):
        raise TypeError(f"{type(value).__name__} is no tool call of this API: its {name!r} is {found!r}")
    return found


async def _awaited(name: str, outcome: Awaitable[object]) -> Answer:
    try:
        return _told(await outcome)
    except ResponseError as error:
        return _explained(name, error)


async def _together(of: list[Answer | Coroutine[Any, Any, Answer]]) -> list[Answer]:
    """All answers, in their order. If one raises, or this is cancelled, none goes on."""
    tasks = {
        place: asyncio.ensure_future(each) for place, each in enumerate(of) if not isinstance(each, Answer)
    }
    try:
        await asyncio.gather(*tasks.values())
    except BaseException:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        raise
    return [each if isinstance(each, Answer) else tasks[place].result() for place, each in enumerate(of)]


def _awaitable_too(value: _T) -> _T:
    """The value, to be awaited or not: a source that was not called has not said which.

    A `call` that is no `async def` may still return what is to be awaited.
    """

    def at_once(itself: _T) -> Generator[None, None, _T]:
        yield from ()
        return itself

    kind: Any = type(value)
    return cast("_T", type(kind.__name__, (kind,), {"__await__": at_once})(value))


def _told(outcome: object) -> Answer:
    answer = cast("CallOutcome", outcome)
    parts, failed = read_result(answer["result"])
    return Answer(parts, failed, answer)


def _explained(name: str, error: ResponseError) -> Answer:
    if error.code not in _REFUSALS:
        raise error
    return refusal(_unknown_tool(name, error.data) if error.code == CODE_UNKNOWN_TOOL else str(error))


def _unknown_tool(name: str, data: Any) -> str:
    given = data if isinstance(data, dict) else {}
    suggestions, reason = given.get("suggestions"), given.get("reason")
    why = f" now: {reason}" if reason else ", or not any more"
    near = f" Near names are {', '.join(map(str, suggestions))}." if suggestions else ""
    return f"There is no tool {name}{why}.{near} Use the tools that are offered now."
