"""A tool as it is offered to a model: a name, a description, a schema of its arguments.

The names are the sidecar's, and every provider takes them: letters, digits, `_` and `-`, at most 64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp_sidecar.mcp import Tool

from .input_schema import Provider, input_schema
from .source import HasTools
from .well_formed import well_formed

# The longest description that every model and every server of OpenAI's API takes, in characters.
DESCRIPTION_LIMIT: Final = 1024


@dataclass(frozen=True)
class Offer:
    """What a model is told about a tool."""

    name: str
    # Empty if the server says nothing about the tool.
    description: str
    schema: dict[str, Any]
    # Names of arguments in the schema that are not the server's own, and what those are.
    renamed: Mapping[str, str]


def offer(tool: Tool, provider: Provider, description_limit: int | None) -> Offer:
    """One tool as an offer, with a description of at most so many characters."""
    definition = definition_of(tool)
    shown = input_schema(definition.get("inputSchema"), provider)
    description = _shortened(_description(definition), description_limit)
    return Offer(tool["name"], description, shown.schema, shown.renamed)


def is_exposed(name: str) -> bool:
    """Whether it is the name of a tool of some sidecar, now or at some time (the setting toolNames)."""
    return name.startswith("mcp_")


def tool_named(source: HasTools, name: str) -> Tool | None:
    """The tool of that name, if there is one now."""
    return next((tool for tool in source.tools if tool["name"] == name), None)


def definition_of(tool: Tool) -> dict[str, Any]:
    """What the server says about a tool: its own object, so nothing in it is taken for granted."""
    definition: object = tool["definition"]
    return definition if isinstance(definition, dict) else {}


def _shortened(text: str, limit: int | None) -> str:
    """The text, or as much of it as fits, with an ellipsis for the rest."""
    if limit is None or len(text) <= limit:
        return text
    return text[: max(limit - 1, 0)] + "…"


def _description(definition: dict[str, Any]) -> str:
    annotations = definition.get("annotations")
    candidates = (
        definition.get("description"),
        definition.get("title"),
        annotations.get("title") if isinstance(annotations, dict) else None,
    )
    return next((well_formed(text) for text in candidates if isinstance(text, str) and text.strip()), "")
