"""Callbacks are called and not awaited, so that a coroutine function would do nothing."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable
from typing import Any

from .errors import InvalidArgumentError


def check_callback(name: str, callback: Callable[..., Any] | None) -> None:
    """Refuses what cannot be called, or would have to be awaited."""
    if callback is None:
        return
    if not callable(callback):
        raise InvalidArgumentError(f"{name} is a function, not {reprlib.repr(callback)}")
    for each in (callback, type(callback).__call__):
        if inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each):
            raise InvalidArgumentError(f"{name} is called and not awaited: take a function that is not async")
