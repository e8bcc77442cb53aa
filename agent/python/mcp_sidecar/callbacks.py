"""Callbacks are called as they are, and are not waited for: a coroutine function would do nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .errors import InvalidArgumentError


def check_callback(name: str, callback: Callable[..., Any] | None) -> None:
    """Refuses a coroutine function, in the place of a callback."""
    if callback is None:
        return
    if inspect.iscoroutinefunction(callback) or inspect.iscoroutinefunction(type(callback).__call__):
        raise InvalidArgumentError(
            f"{name} is called and not awaited, so it cannot be a coroutine function: take a function, which "
            "may start a task (asyncio.create_task)"
        )
