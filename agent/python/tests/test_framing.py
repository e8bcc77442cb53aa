"""Frames are found in bytes however they are cut, and what is no frame is said so."""

from __future__ import annotations

import unittest

from mcp_sidecar.framing import MAX_HEADER_BYTES, Decoder, FramingError, encode


def decoded(*pieces: bytes) -> list[str]:
    decoder = Decoder()
    texts = [text for piece in pieces for text in decoder.feed(piece)]
    decoder.finish()
    return texts


class FramesAreFound(unittest.TestCase):
    TEXTS = ("{}", '{"a":"ä€𝄞"}', "", '{"b":"\\n"}\n')

    def test_in_one_piece(self) -> None:
        self.assertEqual(decoded(b"".join(map(encode, self.TEXTS))), list(self.TEXTS))

    def test_in_two_pieces_cut_anywhere(self) -> None:
        stream = b"".join(map(encode, self.TEXTS))
        for cut in range(len(stream) + 1):
            with self.subTest(cut=cut):
                self.assertEqual(decoded(stream[:cut], stream[cut:]), list(self.TEXTS))

    def test_byte_by_byte(self) -> None:
        stream = b"".join(map(encode, self.TEXTS))
        self.assertEqual(decoded(*(stream[at : at + 1] for at in range(len(stream)))), list(self.TEXTS))

    def test_as_soon_as_they_are_whole(self) -> None:
        decoder = Decoder()
        first, second = encode("{}"), encode("[]")
        self.assertEqual(decoder.feed(first + second[:-1]), ["{}"])
        self.assertEqual(decoder.feed(second[-1:]), ["[]"])

    def test_with_headers_of_any_kind(self) -> None:
        for block in (
            b"content-length:2\r\n\r\n",
            b"CONTENT-LENGTH:   2  \n\n",
            b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
            b"Content-Length: 2\r\ncontent-type:\r\n\r\n",
        ):
            with self.subTest(block=block):
                self.assertEqual(decoded(block + b"{}"), ["{}"])

    def test_the_length_counts_bytes(self) -> None:
        text = '"ä€𝄞"'
        self.assertEqual(encode(text), b"Content-Length: 11\r\n\r\n" + text.encode())

    def test_what_is_not_utf8_is_replaced_and_the_next_is_read(self) -> None:
        self.assertEqual(decoded(b'Content-Length: 3\r\n\r\n"\xff"' + encode("{}")), ['"\ufffd"', "{}"])

    def test_64_mib_in_small_pieces(self) -> None:
        text = '"' + "x" * (64 * 1024 * 1024) + '"'
        stream = encode(text)
        step = 64 * 1024
        self.assertEqual(decoded(*(stream[at : at + step] for at in range(0, len(stream), step))), [text])

    def test_a_body_that_is_cut_off_is_no_error_of_framing(self) -> None:
        self.assertEqual(decoded(encode("{}") + encode("{}")[:-1]), ["{}"])


class NoFrames(unittest.TestCase):
    def test_the_frames_before_it_are_found(self) -> None:
        decoder = Decoder()
        self.assertEqual(decoder.feed(encode("{}") + b"panic: at the disco\n"), ["{}"])
        self.assertIsNotNone(decoder.fault)
        for again in (decoder.finish, lambda: decoder.feed(encode("{}"))):
            with self.assertRaises(FramingError) as raised:
                again()
            self.assertTrue(raised.exception.received.startswith(b"panic"))

    def check(self, stream: bytes, problem: str, received: bytes | None = None) -> None:
        for pieces in ([stream], [stream[at : at + 1] for at in range(len(stream))]):
            with self.assertRaises(FramingError) as raised:
                decoded(*pieces)
            self.assertIn(problem, str(raised.exception))
            self.assertTrue(stream.startswith(raised.exception.received), raised.exception.received)
            if received is not None and len(pieces) == 1:
                self.assertEqual(raised.exception.received, received)

    def test_a_line_without_a_colon(self) -> None:
        self.check(b"Content-Length: 2\r\nhello\n", "a line is no header", b"Content-Length: 2\r\nhello\n")

    def test_a_header_that_is_none_of_the_protocol_is_seen_before_its_line_ends(self) -> None:
        for line in (
            b"X-Other: 1",
            b"Content-Encoding",
            b"Content-Length : 2",
            b"2026-01-01 12:00:00 connected",
        ):
            with self.subTest(line=line):
                self.check(b"Content-Length: 2\r\n" + line, "a line is no header")

    def test_another_beginning_is_seen_at_its_first_byte(self) -> None:
        for stream in (
            b"hello",
            b"{}",
            b"\r\n",
            b"Cat",
            b"Content_Length: 2",
            b"\xef\xbb\xbfContent-Length: 2",
        ):
            with self.subTest(stream=stream):
                self.check(stream, "does not begin with Content-Length")

    def test_a_block_without_a_length(self) -> None:
        self.check(b"Content-Type: text/plain\n\n", "no Content-Length")

    def test_a_length_that_is_no_number(self) -> None:
        for value in (b"two", b"-2", b"2.0", b"", b"9" * 19):
            with self.subTest(value=value):
                self.check(b"Content-Length: " + value + b"\r\n\r\n", "Content-Length is no number")

    def test_a_header_without_end(self) -> None:
        stream = b"Content-Type: " + b"x" * MAX_HEADER_BYTES
        self.check(stream, "more than 8192 bytes", stream[:200])

    def test_headers_without_end(self) -> None:
        self.check(b"content-type: b\r\n" * MAX_HEADER_BYTES, "more than 8192 bytes")

    def test_an_end_in_the_headers(self) -> None:
        self.check(b"Conte", "ends in the middle of a header block", b"Conte")
        self.check(b"Content-Length: 2\r\n", "ends in the middle of a header block")


if __name__ == "__main__":
    unittest.main()
