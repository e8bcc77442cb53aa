"""How messages are told apart on a stream of bytes: by Content-Length headers, as in LSP.

Nothing here reads or writes anything: bytes in, texts out, split anywhere. A message may be of any size; work
and memory grow with its size alone, however small the pieces are that it comes in.
"""

from __future__ import annotations

from typing import Final

MAX_HEADER_BYTES: Final = 8 * 1024
"""How many bytes a header block may have, its empty line included."""

_SHOWN_BYTES: Final = 200
_BEGINNING: Final = b"content-"
"""How every header block begins, in any case. What begins otherwise need not end to be seen."""
_HEADERS: Final = (b"content-length:", b"content-type:")
"""The headers that LSP knows. A sidecar writes the first alone."""


class FramingError(Exception):
    """The bytes are not frames. There is no way to find the next one."""

    received: bytes
    """What came instead: its first few bytes."""

    def __init__(self, problem: str, received: bytes) -> None:
        super().__init__(problem)
        self.received = received[:_SHOWN_BYTES]


def encode(text: str) -> bytes:
    """Gives the frame of one JSON text, which has no lone surrogates."""
    body = text.encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Decoder:
    """Takes frames apart. It is of no use after a FramingError."""

    # What has come and is not taken: it begins with a header block, or with a body if _in_body.
    _buffer: bytearray
    _in_body: bool
    # Where in _buffer the first header line begins that was not looked at, and how far its end was searched.
    _line: int
    _searched: int
    # What is wrong with the stream, once that is known. The texts before it are good.
    fault: FramingError | None
    # The value of Content-Length, once its line has come.
    _length: int | None

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.fault = None
        self._start_block()

    def _start_block(self) -> None:
        self._in_body = False
        self._line = self._searched = 0
        self._length = None

    def feed(self, data: bytes) -> list[str]:
        """Gives the texts that data completes, in order. A `fault` after them is raised by the next call."""
        if self.fault is not None:
            raise self.fault
        self._buffer += data
        texts: list[str] = []
        try:
            while self._in_body or self._take_headers():
                body = self._take_body()
                if body is None:
                    break
                texts.append(body)
        except FramingError as error:
            self.fault = error
            if not texts:
                raise
        return texts

    def finish(self) -> None:
        """Tells that nothing more comes: an error in a header block, but not in a body, which is cut off."""
        if self.fault is not None:
            raise self.fault
        if not self._in_body and self._buffer:
            raise self._error("it ends in the middle of a header block")

    def _take_headers(self) -> bool:
        """Looks at header lines, takes them out when the block is whole, and says whether it is."""
        beginning = bytes(self._buffer[: len(_BEGINNING)]).lower()
        if not _BEGINNING.startswith(beginning):
            raise self._error("it does not begin with Content-Length")
        while not self._in_body:
            end = self._buffer.find(b"\n", self._searched)
            if (len(self._buffer) if end < 0 else end + 1) > MAX_HEADER_BYTES:
                raise self._error(f"a header block has more than {MAX_HEADER_BYTES} bytes")
            if end < 0:
                self._searched = len(self._buffer)
                self._check(bytes(self._buffer[self._line : self._line + _SHOWN_BYTES]))
                return False
            self._look_at(bytes(self._buffer[self._line : end]).rstrip(b"\r"))
            self._line = self._searched = end + 1
        del self._buffer[: self._line]
        return True

    def _look_at(self, line: bytes) -> None:
        if not line:
            if self._length is None:
                raise self._error("a header block has no Content-Length")
            self._in_body = True
            return
        self._check(line)
        name, colon, value = line.partition(b":")
        if not colon:
            raise self._error("a line is no header")
        if name.lower() == b"content-length":
            digits = value.strip()
            if not digits.isdigit() or len(digits) > 18:
                raise self._error("Content-Length is no number of bytes")
            self._length = int(digits)

    def _check(self, line: bytes) -> None:
        """Looks at a header line, or the beginning of one."""
        line = line.rstrip(b"\r").lower()
        if not any(header.startswith(line[: len(header)]) for header in _HEADERS):
            raise self._error("a line is no header")

    def _take_body(self) -> str | None:
        assert self._length is not None
        if len(self._buffer) < self._length:
            return None
        with memoryview(self._buffer) as view:
            # The sidecar repairs what is not UTF-8 in what servers say, so "replace" is only a precaution.
            text = str(view[: self._length], "utf-8", "replace")
        del self._buffer[: self._length]
        self._start_block()
        return text

    def _error(self, problem: str) -> FramingError:
        return FramingError(problem, bytes(self._buffer[:_SHOWN_BYTES]))
