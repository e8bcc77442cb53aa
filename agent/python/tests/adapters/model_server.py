"""The APIs of OpenAI and Anthropic on a loopback port, for their real SDKs to talk to.

The server refuses what the providers refuse (provider_rules.py), with a 400 that the SDK raises, remembers
what it was sent, and lets a script answer: a function that is told which tools the model has and what the
tools have said so far, the same for all three APIs.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from typing_extensions import Self

from .provider_rules import (
    DESCRIPTION_LIMIT,
    IMAGE_LIMIT,
    TOOL_NAME,
    Provider,
    data_problem,
    schema_problems,
    text_problems,
)


@dataclass(frozen=True)
class Turn:
    """What the model is given: its tools, by name, and the results so far, in the API's own form."""

    tools: list[str]
    results: list[Any]


@dataclass(frozen=True)
class Call:
    """A tool call of the model, with its arguments as it writes them."""

    name: str
    arguments: str = "{}"


# Calls of tools, or the last word.
Script = Callable[[Turn], list[Call] | str]


class ModelServer:
    """A model with a script. Use it with `with`; it serves until the block ends."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, reply = outer._answered(self.path, body)
                payload = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *args: object) -> None:
                """Says nothing: the SDK reports what is refused."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The base URL of OpenAI's SDK. That of Anthropic's is the part before /v1."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def root(self) -> str:
        """The base URL of Anthropic's SDK."""
        return self.url.removesuffix("/v1")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answered(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.requests.append(body)
        check, read, write = {
            "/v1/chat/completions": (chat_problems, chat_turn, chat_reply),
            "/v1/responses": (responses_problems, responses_turn, responses_reply),
            "/v1/messages": (messages_problems, messages_turn, messages_reply),
        }[path]
        problems = check(body) + text_problems(body)
        if problems:
            error = {"type": "invalid_request_error", "message": "; ".join(problems)}
            return 400, {"type": "error", "error": error}
        return 200, write(self.script(read(body)), len(self.requests))


# Chat Completions


def chat_problems(body: dict[str, Any]) -> list[str]:
    functions = [tool["function"] for tool in body.get("tools", [])]
    problems = function_problems(functions, "openai")
    if body.get("tools") == []:
        problems.append("empty array. Expected an array with minimum length 1")
    open_calls: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            content = message["content"]
            if not isinstance(content, str) and any(part["type"] != "text" for part in content):
                problems.append("image URLs are only allowed for messages with role 'user'")
            if message["tool_call_id"] not in open_calls:
                problems.append(f"tool_call_id {message['tool_call_id']} answers no call")
            else:
                open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            problems.append(f"tool calls without tool messages: {open_calls}")
        open_calls = [call["id"] for call in message.get("tool_calls") or []]
    if open_calls:
        problems.append(f"tool calls without tool messages: {open_calls}")
    return problems


def chat_turn(body: dict[str, Any]) -> Turn:
    tools = [tool["function"]["name"] for tool in body.get("tools", [])]
    return Turn(tools, [message["content"] for message in body["messages"] if message["role"] == "tool"])


def chat_reply(said: list[Call] | str, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said if isinstance(said, str) else None}
    if not isinstance(said, str):
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(said)
        ]
    reason = "stop" if isinstance(said, str) else "tool_calls"
    choice = {"index": 0, "finish_reason": reason, "message": message, "logprobs": None}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
    }


# Responses


def responses_problems(body: dict[str, Any]) -> list[str]:
    problems = function_problems(body.get("tools", []), "openai")
    problems += [f"tool {tool['name']}: strict" for tool in body["tools"] if tool.get("strict") is not False]
    calls = [item["call_id"] for item in body["input"] if item.get("type") == "function_call"]
    outputs = [item for item in body["input"] if item.get("type") == "function_call_output"]
    if sorted(calls) != sorted(item["call_id"] for item in outputs):
        problems.append("no tool output found for a function call, or the other way round")
    for item in outputs:
        for part in item["output"] if isinstance(item["output"], list) else []:
            if part["type"] == "input_image":
                kind, _, data = part["image_url"].removeprefix("data:").partition(";base64,")
                problems += filter(None, [data_problem(data, kind)])
            elif part["type"] == "input_file":
                kind, _, data = part["file_data"].removeprefix("data:").partition(";base64,")
                problems += filter(None, [data_problem(data, kind)])
            elif part["type"] != "input_text":
                problems.append(f"output of type {part['type']}")
    return problems


def responses_turn(body: dict[str, Any]) -> Turn:
    outputs = [item["output"] for item in body["input"] if item.get("type") == "function_call_output"]
    return Turn([tool["name"] for tool in body["tools"]], outputs)


def responses_reply(said: list[Call] | str, number: int) -> dict[str, Any]:
    output: list[dict[str, Any]]
    if isinstance(said, str):
        content = [{"type": "output_text", "text": said, "annotations": []}]
        output = [
            {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        ]
    else:
        output = [
            {
                "type": "function_call",
                "id": f"fc_{number}_{index}",
                "call_id": f"call_{number}_{index}",
                "name": call.name,
                "arguments": call.arguments,
                "status": "completed",
            }
            for index, call in enumerate(said)
        ]
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": "scripted",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


# Anthropic's Messages


def messages_problems(body: dict[str, Any]) -> list[str]:
    tools = body.get("tools", [])
    problems = function_problems(tools, "anthropic")
    open_uses: list[str] = []
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block for block in blocks if block["type"] == "tool_result"]
        if sorted(open_uses) != sorted(block["tool_use_id"] for block in results):
            problems.append("tool_use ids were found without tool_result blocks, or the other way round")
        for result in results:
            problems += result_problems(result)
        open_uses = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return problems


def result_problems(result: dict[str, Any]) -> list[str]:
    problems = []
    for block in result["content"] if isinstance(result["content"], list) else []:
        if block["type"] == "text" and not block["text"].strip():
            problems.append("text content blocks must be non-empty")
        if block["type"] in ("image", "document"):
            problems += filter(None, [data_problem(block["source"]["data"], block["source"]["media_type"])])
        if block["type"] == "image" and len(block["source"]["data"]) > IMAGE_LIMIT:
            problems.append("image exceeds 5 MB maximum")
        if block["type"] != "text" and result.get("is_error"):
            problems.append("all content must be type text if is_error is true")
        if block["type"] not in ("text", "image", "document"):
            problems.append(f"content of type {block['type']}")
    return problems


def messages_turn(body: dict[str, Any]) -> Turn:
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    results = [block for content in contents for block in content if block["type"] == "tool_result"]
    return Turn([tool["name"] for tool in body.get("tools", [])], results)


def messages_reply(said: list[Call] | str, number: int) -> dict[str, Any]:
    content: list[dict[str, Any]]
    if isinstance(said, str):
        content = [{"type": "text", "text": said}]
    else:
        content = [
            {
                "type": "tool_use",
                "id": f"toolu_{number}_{index}",
                "name": call.name,
                "input": json.loads(call.arguments),
            }
            for index, call in enumerate(said)
        ]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def function_problems(tools: list[dict[str, Any]], provider: Provider) -> list[str]:
    """What is wrong with the definitions of tools."""
    schema = "input_schema" if provider == "anthropic" else "parameters"
    problems = [
        f"{tool['name']}: {problem}" for tool in tools for problem in schema_problems(tool[schema], provider)
    ]
    problems += [f"name {tool['name']!r}" for tool in tools if not TOOL_NAME.fullmatch(tool["name"])]
    if provider != "anthropic":
        problems += [
            f"{tool['name']}: description too long"
            for tool in tools
            if len(tool.get("description", "")) > DESCRIPTION_LIMIT
        ]
        if len(tools) > 128:
            problems.append("array too long")
    if len({tool["name"] for tool in tools}) != len(tools):
        problems.append("tool names must be unique")
    return problems
