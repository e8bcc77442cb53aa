"""What model providers refuse of a request, as far as tools are concerned: the rules of the loopback servers.

Each rule is an answer "400" that a provider really gives. They are written here apart from the adapters,
from the providers' side: an adapter that forgets one fails.
"""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal

# "any" has the rules of both.
Provider = Literal["anthropic", "any", "openai"]

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ARGUMENT_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
DESCRIPTION_LIMIT = 1024
IMAGE_LIMIT = 5 * 1024 * 1024
SIGNATURES = {
    "image/png": b"\x89PNG",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
    "application/pdf": b"%PDF",
}

SCHEMA = ("additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "then")
SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
NAMED_SCHEMAS = ("$defs", "definitions", "patternProperties", "properties")

NUMBERS = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf")
COUNTS = tuple(f"{end}{of}" for end in ("min", "max") for of in ("Contains", "Items", "Length", "Properties"))
STRINGS = ("$comment", "$id", "$ref", "$schema", "description", "format", "pattern", "title")
FLAGS = ("deprecated", "readOnly", "uniqueItems", "writeOnly")


def schema_problems(schema: Any, provider: Provider) -> list[str]:
    """What is wrong with the schema of a tool's arguments."""
    if not isinstance(schema, dict):
        return ["the schema is not an object"]
    problems = text_problems(schema)
    if schema.get("type") != "object":
        problems.append(f"schema must be of type object, got {schema.get('type')!r}")
    if not isinstance(schema.get("properties"), dict):
        return [*problems, "object schema missing properties"]
    refused = (
        ("oneOf", "anyOf", "allOf") if provider == "anthropic" else ("oneOf", "anyOf", "allOf", "enum", "not")
    )
    problems += [f"{keyword} at the top level" for keyword in refused if keyword in schema]
    if provider != "openai":
        names = schema["properties"]
        problems += [f"property key {name!r}" for name in names if not ARGUMENT_NAME.fullmatch(name)]
    return problems + list(_invalid(schema, schema, provider, "#"))


def _invalid(schema: Any, document: dict[str, Any], provider: Provider, at: str) -> Iterator[str]:
    """What the metaschema of draft 2020-12 refuses, what OpenAI does, and references that lead nowhere."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{at}: not a schema"
        return
    yield from (f"{at}: {problem}" for problem in _invalid_values(schema))
    if "$ref" in schema and not _leads_somewhere(schema["$ref"], document):
        yield f"{at}: $ref {schema['$ref']!r} leads nowhere"
    if provider != "anthropic":
        yield from (f"{at}: {problem}" for problem in _openai_problems(schema))
    for keyword, value in schema.items():
        inner: list[tuple[str, Any]] = []
        if keyword in SCHEMA:
            inner = [("", value)]
        elif keyword in SCHEMAS:
            items = value if isinstance(value, list) and value else [None]
            inner = [(str(index), item) for index, item in enumerate(items)]
        elif keyword in NAMED_SCHEMAS:
            inner = list(value.items()) if isinstance(value, dict) else [("", None)]
        for name, each in inner:
            yield from _invalid(each, document, provider, f"{at}/{keyword}/{name}")


def _invalid_values(schema: dict[str, Any]) -> Iterator[str]:
    def is_number(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool)

    def is_names(value: Any) -> bool:
        return (
            isinstance(value, list) and all(isinstance(name, str) for name in value) and not is_doubled(value)
        )

    def is_doubled(values: list[Any]) -> bool:
        return len(set(map(repr, values))) < len(values)

    def is_type(value: Any) -> bool:
        return (
            value in TYPES
            if not isinstance(value, list)
            else is_names(value) and bool(value) and set(value) <= set(TYPES)
        )

    checks: dict[str, Callable[[Any], bool]] = {
        "type": is_type,
        "required": is_names,
        "enum": lambda value: isinstance(value, list) and bool(value),
        "examples": lambda value: isinstance(value, list),
        **dict.fromkeys(NUMBERS, is_number),
        **dict.fromkeys(COUNTS, lambda value: is_number(value) and value >= 0 and value == int(value)),
        **dict.fromkeys(STRINGS, lambda value: isinstance(value, str)),
        **dict.fromkeys(FLAGS, lambda value: isinstance(value, bool)),
    }
    for keyword, check in checks.items():
        if keyword in schema and not check(schema[keyword]):
            yield f"{keyword} {schema[keyword]!r}"
    if schema.get("multipleOf") == 0:
        yield "multipleOf 0"


def _openai_problems(schema: dict[str, Any]) -> Iterator[str]:
    types = schema.get("type")
    if "array" in (types if isinstance(types, list) else [types]) and "items" not in schema:
        yield "array schema missing items"
    named = schema.get("patternProperties")
    for pattern in [schema.get("pattern", ""), *(named if isinstance(named, dict) else [])]:
        if not _is_regex(pattern):
            yield f"{pattern!r} is not a regex"


def _is_regex(pattern: Any) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, TypeError):
        return False
    # Some models: "regex lookaround is not supported". Their engines have no references to groups either.
    return not re.search(r"\(\?[=!<P]|\\[1-9]", pattern)


def _leads_somewhere(reference: Any, document: dict[str, Any]) -> bool:
    if reference == "#":
        return True
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return False
    found: Any = document
    for token in reference[2:].split("/"):
        name = token
        for code, character in (("%20", " "), ("%5B", "["), ("%5D", "]"), ("~1", "/"), ("~0", "~")):
            name = name.replace(code, character)
        found = (
            found[int(name)]
            if isinstance(found, list) and name.isdigit() and int(name) < len(found)
            else (found.get(name) if isinstance(found, dict) else None)
        )
    return isinstance(found, dict | bool)


def text_problems(value: Any) -> list[str]:
    """Texts anywhere in a value that no request can hold, since it has to be UTF-8."""
    if isinstance(value, dict):
        return [problem for item in value.items() for problem in text_problems(list(item))]
    if isinstance(value, list):
        return [problem for item in value for problem in text_problems(item)]
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return [f"the request body is not valid JSON: no low surrogate in string: {value!r}"]
    return []


def data_problem(data: str, mime_type: str) -> str | None:
    """What is wrong with an image or a PDF in base64."""
    if mime_type not in SIGNATURES:
        return f"images of type {mime_type} are not supported"
    try:
        start = base64.b64decode(data, validate=True)[:4]
    except ValueError:
        return "the data is not base64"
    if not start.startswith(SIGNATURES[mime_type]):
        return f"the data was specified as {mime_type} but appears to be another"
    return None
