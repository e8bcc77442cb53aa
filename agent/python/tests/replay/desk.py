"""The host's user, as far as the sidecar asks: handlers that wait until a line says what they answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_sidecar.handlers import Handlers

from .raw_json import Json

CANCELLED = -32800


@dataclass
class _Question:
    """A handler that was called."""

    method: str
    params: Any
    # Done when a line says the answer, or when the client withdraws the question: then it is cancelled.
    answer: asyncio.Future[Any]


@dataclass
class _Asked:
    """A request of the sidecar's."""

    method: str
    params: Any
    question: _Question | None = None
    answered: bool = False


# The member of a result that the handler gives.
_NATURAL = {
    "trust/approve": "decisions",
    "input/request": "value",
    "elicitation/create": "result",
    "sampling/createMessage": "result",
    "auth/openUrl": "opened",
}


class Desk:
    """A handler for each capability that the dialogue's host declares."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        # The methods that have a handler.
        self._served: set[str] = set()
        self._questions: deque[_Question] = deque()
        # By id, as JSON text.
        self._requests: dict[str, _Asked] = {}
        self.handlers = Handlers(
            approve=self._handler("trust/approve", declared.get("approve")),
            input=self._handler("input/request", declared.get("input")),
            elicit=self._handler("elicitation/create", declared.get("elicitation")),
            sample=self._handler("sampling/createMessage", declared.get("sampling")),
            open_url=self._handler("auth/openUrl", declared.get("openUrl")),
        )

    def _handler(self, method: str, declared: Any) -> Callable[[Any], Coroutine[Any, Any, Any]] | None:
        if declared is None or declared is False:
            return None
        self._served.add(method)

        async def handle(params: Any) -> Any:
            question = _Question(method, params, asyncio.get_running_loop().create_future())
            self._questions.append(question)
            return await question.answer

        return handle

    def asked(self, request_id: str, method: str, params: Any) -> None:
        """Notes a request that is being sent."""
        known = self._requests.get(request_id)
        if known is not None and not known.answered:
            raise AssertionError(f"request {request_id} of the sidecar is not answered yet")
        self._requests[request_id] = _Asked(method, params)

    def heard(self, request_id: str) -> bool:
        """Whether the request has reached its handler, if it has one."""
        return self._request(request_id).method not in self._served or bool(self._questions)

    def check(self, request_id: str) -> None:
        """Looks at what has reached a handler."""
        request = self._request(request_id)
        if request.method not in self._served:
            return
        request.question = self._questions.popleft()
        got = (request.question.method, request.question.params)
        if got != (request.method, request.params):
            raise AssertionError(f"want {(request.method, request.params)}, the handler got {got}")
        if request.question.answer.done():
            raise AssertionError("a question is withdrawn from the beginning")

    def nothing_unasked(self) -> None:
        """Every call of a handler must be about a request of the sidecar's."""
        if self._questions:
            raise AssertionError(f"a handler was called without need: {self._questions[0].method}")

    def withdrawn(self, request_id: str) -> bool:
        """Whether a handler has learnt that its question was withdrawn, if there is one to learn it."""
        request = self._requests.get(request_id)
        if request is None or request.answered or request.question is None:
            return True
        return request.question.answer.cancelled()

    def answer(self, request_id: str, message: Mapping[str, Any]) -> None:
        """Makes the handler answer what the line says."""
        request = self._request(request_id)
        if request.answered:
            raise AssertionError(f"request {request_id} of the sidecar is answered twice")
        request.answered = True
        if request.question is None or request.question.answer.done():
            return
        error = message.get("error")
        if error is None:
            request.question.answer.set_result(message["result"].get(_NATURAL[request.method]))
        elif error["code"] == CANCELLED:
            request.question.answer.set_result(None)
        else:
            request.question.answer.set_exception(RuntimeError(error["message"]))

    def left_open(self, message: Json) -> bool:
        """Whether a message answers an open question, as a client may do with those that it leaves behind."""
        answered = message.members.get("id")
        request = self._requests.get(answered.text) if answered and "method" not in message.members else None
        if request is None or request.answered or request.question is None:
            return False
        return request.question.answer.cancelled()

    def over(self) -> bool:
        """Whether all questions that are open have gone with the sidecar."""
        return all(
            request.answered or request.question is None or request.question.answer.cancelled()
            for request in self._requests.values()
        )

    def _request(self, request_id: str) -> _Asked:
        request = self._requests.get(request_id)
        if request is None:
            raise AssertionError(f"the sidecar has not made a request {request_id}")
        return request
