"""An MCP server on stdio that tells what it got.

Its tool `wait` is never answered, but tells the named pipe that is its argument, if there is one, that it was
called. Its tool `report` is answered when a call was cancelled, with all that came.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    got: list[dict[str, Any]] = []
    reports: list[int | str] = []
    for line in sys.stdin:
        message = json.loads(line)
        got.append(message)
        method, request_id = message.get("method"), message.get("id")
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "recording", "version": "1"}
            answer(
                request_id, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            )
        elif method == "tools/list":
            schema = {"type": "object"}
            answer(
                request_id, {"tools": [{"name": name, "inputSchema": schema} for name in ("report", "wait")]}
            )
        elif method == "tools/call" and message["params"]["name"] == "report":
            reports.append(request_id)
        elif method == "tools/call" and sys.argv[1:]:
            Path(sys.argv[1]).write_text("called")
        elif request_id is not None and method != "tools/call":
            say({"id": request_id, "error": {"code": -32601, "message": f"no {method}"}})
        if any(message.get("method") == "notifications/cancelled" for message in got):
            for report in reports:
                answer(report, {"content": [{"type": "text", "text": json.dumps(got)}]})
            reports.clear()


def answer(request_id: int | str, result: Any) -> None:
    say({"id": request_id, "result": result})


def say(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if __name__ == "__main__":
    main()
