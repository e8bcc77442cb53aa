"""JSON as it goes over the wire: what Python's json module does beyond JSON is undone here, both ways."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, NoReturn

from .errors import InvalidArgumentError

_BEGINNING: Final = re.compile(
    r'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*'
    r'(?:,\s*"id"\s*:\s*(?P<id>\d{1,16}|"[^"\\]{1,200}")\s*)?'
    r'(?:,\s*"method"\s*:\s*"(?P<method>[^"\\]{1,200})"\s*)?'
    r',\s*"(?:result|error|params)"\s*:'
)


def read(text: str) -> Any:
    """Gives the value of a JSON text.

    Integers keep all their digits. Those that have more than Python converts (4300) become a Decimal.
    Raises ValueError if the text is not JSON, and RecursionError if it is nested too deeply for Python.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.loads(text, parse_int=_long_integer)


def _long_integer(digits: str) -> int | Decimal:
    try:
        return int(digits)
    except ValueError:
        return Decimal(digits)


def beginning(text: str) -> tuple[int | str | None, str | None]:
    """Finds what id and what method a message has that is nested too deeply for `read`."""
    match = _BEGINNING.match(text)
    if match is None:
        return None, None
    request_id: int | str | None = None if match["id"] is None else json.loads(match["id"])
    return request_id, match["method"]


def write(value: Any) -> str:
    """Gives the JSON text of a value. Raises TypeError or ValueError for what JSON has no form for."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        # A lone surrogate. JSON can say it, UTF-8 cannot.
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text


def arguments(args: Mapping[str, Any] | str) -> str:
    """Gives the JSON text of a tool's arguments: a text as it is, once it is known to be a JSON object."""
    try:
        if isinstance(args, Mapping):
            return write(dict(args))
        if not isinstance(args, str):
            raise InvalidArgumentError(f"the arguments are an object or its JSON text, not {args!r}")
        args.encode()
        value = json.loads(args, parse_int=str, parse_float=str, parse_constant=_refuse)
    except RecursionError:
        raise InvalidArgumentError("the arguments are nested too deeply") from None
    except InvalidArgumentError:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"the arguments are not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidArgumentError(f"the arguments are not a JSON object: {_shortened(args)}")
    return args


def _refuse(constant: str) -> NoReturn:
    # Python reads NaN and Infinity, JSON does not have them.
    raise ValueError(f"{constant} is not JSON")


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
