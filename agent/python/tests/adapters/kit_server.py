"""An MCP server on stdio for the tests of the adapters.

    python -m tests.adapters.kit_server [--wait-for FIFO] [--late]

It starts when somebody has opened FIFO for writing: that is what makes it late. With --late it has one tool,
`late`. Otherwise it has tools with every schema that providers refuse, `show`, which answers with a result of
results.py, and some that take their time.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .results import RESULTS

STRING = {"type": "string"}

LATE_TOOLS: list[dict[str, Any]] = [
    {"name": "late", "description": "Came late", "inputSchema": {"type": "object", "properties": {}}}
]

TOOLS: list[dict[str, Any]] = [
    {
        "name": "show",
        "description": "Answers with a result of the table",
        "inputSchema": {"type": "object", "properties": {"what": STRING}, "required": ["what"]},
    },
    {"name": "echo", "description": "x" * 3000, "inputSchema": {"type": "object"}},
    {"name": "titled", "title": "A title and nothing else"},
    {"name": "silent", "inputSchema": None, "description": None},
    {
        "name": "reserved",
        "description": "Arguments that frameworks use themselves",
        "inputSchema": {
            "type": "object",
            "properties": dict.fromkeys(("config", "run_manager", "callbacks", "self", "arguments"), STRING),
        },
    },
    {
        "name": "odd_names",
        "description": "Arguments with names that a provider refuses",
        "inputSchema": {
            "type": "object",
            "properties": {
                "filter[id]": STRING,
                "filter_id": STRING,
                "$top": {"type": "integer"},
                "ö" * 70: STRING,
            },
            "required": ["filter[id]", "$top"],
        },
    },
    {
        "name": "union",
        "description": "One of two",
        "inputSchema": {
            "type": "object",
            "oneOf": [
                {"properties": {"a": {"type": "array"}}, "required": ["a"]},
                {"properties": {"b": {"type": "string", "pattern": r"\p{L}"}}, "required": ["b"]},
            ],
        },
    },
    {
        "name": "careless",
        "description": "Half a character \ud83d",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": [{"type": "string"}, "null"], "default": "\ud83d"},
                "b": {"type": {}, "enum": [], "minLength": "1"},
            },
        },
    },
    {
        "name": "steps",
        "description": "Tells three steps of progress",
        "inputSchema": {"type": "object", "properties": {}},
    },
    {"name": "stuck", "description": "Never answers", "inputSchema": {"type": "object", "properties": {}}},
]


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def call(params: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a tool, or None for one that never answers."""
    name, arguments = params["name"], params.get("arguments", {})
    if name == "show":
        return RESULTS[arguments["what"]]
    if name == "stuck":
        return None
    if name == "steps":
        token = params["_meta"]["progressToken"]
        for step in (1, 2, 3):
            progress = {"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"}
            say({"method": "notifications/progress", "params": progress})
        return text("done")
    if name == "late":
        return text("better late than never")
    return text(json.dumps(arguments, sort_keys=True, ensure_ascii=False))


def answer(message: dict[str, Any], tools: list[dict[str, Any]]) -> None:
    method, params = message["method"], message.get("params", {})
    result: dict[str, Any] | None
    if method == "initialize":
        result = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "kit", "version": "1"},
        }
    elif method == "tools/list":
        result = {"tools": tools}
    elif method == "tools/call":
        result = call(params)
    elif method == "ping":
        result = {}
    else:
        say({"id": message["id"], "error": {"code": -32601, "message": f"no method {method}"}})
        return
    if result is not None:
        say({"id": message["id"], "result": result})


def main() -> None:
    arguments = sys.argv[1:]
    if "--wait-for" in arguments:
        Path(arguments[arguments.index("--wait-for") + 1]).read_bytes()
    tools = LATE_TOOLS if "--late" in arguments else TOOLS
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer(message, tools)


if __name__ == "__main__":
    main()
