"""A program that is not quite a sidecar: its argument says in which way.

It speaks the protocol as far as it must, and reads one frame at a time.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

SNAPSHOT = {"revision": 1, "hash": "h", "tools": [], "servers": [], "errors": []}
OPENED = {
    "protocolVersion": 1,
    "sidecar": {"name": "scripted", "version": "1"},
    "methods": [],
    "snapshot": SNAPSHOT,
}


def read() -> dict[str, Any] | None:
    """The next message, or None at the end."""
    length = None
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name == b"Content-Length":
            length = int(value)
    if length is None:
        return None
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def answer(request: dict[str, Any], result: Any) -> None:
    write(frame({"id": request["id"], "result": result}))


def complain(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def serve(**results: Any) -> None:
    """Answers by the part of the method after the slash. What is not named is not answered."""
    known = {"initialize": OPENED, "shutdown": {}, **results}
    while (message := read()) is not None:
        name = message["method"].rpartition("/")[2]
        if name == "exit":
            sys.exit(0)
        if "id" in message and name in known:
            answer(message, known[name])


def good() -> None:
    serve(call={"result": {}, "details": {}})


def tells_opening() -> None:
    request = read()
    assert request is not None
    answer(request, OPENED)
    serve(opening=request["params"])


def tells_environment() -> None:
    serve(environment=dict(os.environ))


def asks() -> None:
    """Asks for approval, and answers x/answer with the answer."""
    waiting: dict[str, Any] | None = None
    answered: dict[str, Any] | None = None
    while (message := read()) is not None:
        method = message.get("method")
        if method == "runtime/initialize":
            answer(message, OPENED)
            write(frame({"id": 1, "method": "trust/approve", "params": {"servers": []}}))
        elif method == "tools/call":
            answer(message, {"result": {}, "details": {}})
        elif method == "runtime/shutdown":
            answer(message, {})
        elif method == "runtime/exit":
            sys.exit(0)
        elif method is None:
            answered = message
        else:
            waiting = message
        if waiting and answered:
            answer(waiting, answered)
            waiting = None


def complains() -> None:
    complain("one\r\n\ntwo ä\nthr")
    complain("ee\n" + "x" * 40_000 + "\nno end of line")
    serve()


def other_version() -> None:
    serve(initialize={**OPENED, "protocolVersion": 7})


def refuses_version() -> None:
    request = read()
    assert request is not None
    error = {"code": -32602, "message": "protocolVersion 1", "data": {"supported": [2, 3]}}
    write(frame({"id": request["id"], "error": error}))
    serve()


def prints_and_stays() -> None:
    write(b"Starting the sidecar")
    while read() is not None:  # an answer may be in the same chunk of bytes
        pass


def prints_later() -> None:
    request = read()
    assert request is not None
    answer(request, OPENED)
    read()
    write(b"debug: called\n")
    serve()


def answers_and_dies() -> None:
    """Says everything that it has to say, and is gone at once."""
    request = read()
    assert request is not None
    answer(request, OPENED)
    calls = [read() for _ in range(3)]
    complain("this is the end\n")
    results = [
        frame({"id": call["id"], "result": {"result": {"text": "x" * 300_000}}}) for call in calls if call
    ]
    write(b"".join(results))
    os._exit(3)


def leaves_stdout_open() -> None:
    """Starts a process that has its stdout and stderr, and tells its id."""
    request = read()
    assert request is not None
    heir = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"], stdin=subprocess.DEVNULL)
    answer(request, {**OPENED, "sidecar": {"name": "scripted", "version": str(heir.pid)}})
    while read() is not None:
        pass


def another_language_server() -> None:
    while (message := read()) is not None:
        error = {"code": -32601, "message": f"Unhandled method {message['method']}"}
        write(frame({"id": message.get("id"), "error": error}))


def sends_nonsense() -> None:
    request = read()
    assert request is not None
    answer(request, OPENED)
    read()
    write(frame({"method": "tools/changed", "params": {"revision": "two"}}))
    serve()


def closes_stdout() -> None:
    request = read()
    assert request is not None
    answer(request, OPENED)
    os.close(1)
    while True:
        signal.pause()


def closes_stdout_at_once() -> None:
    os.close(1)
    while True:
        signal.pause()


def deaf_babbler() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    request = read()
    assert request is not None
    answer(request, OPENED)
    read()
    write(b"debug: called\n")
    while True:
        signal.pause()


def closes_stdin() -> None:
    request = read()
    assert request is not None
    os.close(0)
    answer(request, OPENED)
    while True:
        signal.pause()


def answers_at_length_and_dies() -> None:
    """What it says last is read while the host is busy with what it said first."""
    request = read()
    assert request is not None
    answer(request, OPENED)
    ids = [call["id"] for call in (read() for _ in range(4)) if call]
    long = f'{{"jsonrpc":"2.0","id":{ids[0]},"result":[{"[]," * 1_000_000}[]]}}'
    results = [frame({"id": each, "result": "x" * 20_000}) for each in ids[1:]]
    write(b"Content-Length: %d\r\n\r\n%b%b" % (len(long), long.encode(), b"".join(results)))
    os._exit(3)


def deaf() -> None:
    """Answers initialize, and then nothing; ends neither when told nor when asked."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    request = read()
    assert request is not None
    answer(request, OPENED)
    while True:
        signal.pause()


def reads_nothing() -> None:
    request = read()
    assert request is not None
    answer(request, OPENED)
    signal.pause()


if __name__ == "__main__":
    {
        way.__name__: way
        for way in (
            good,
            tells_opening,
            tells_environment,
            asks,
            complains,
            other_version,
            refuses_version,
            prints_and_stays,
            prints_later,
            answers_and_dies,
            answers_at_length_and_dies,
            closes_stdin,
            closes_stdout,
            another_language_server,
            sends_nonsense,
            closes_stdout_at_once,
            deaf_babbler,
            leaves_stdout_open,
            deaf,
            reads_nothing,
        )
    }[sys.argv[1]]()
