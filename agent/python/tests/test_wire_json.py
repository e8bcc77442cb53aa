"""JSON is read and written as JSON, where Python's json module would do something else."""

from __future__ import annotations

import unittest
from decimal import Decimal
from typing import Any

from mcp_sidecar import InvalidArgumentError
from mcp_sidecar.wire_json import arguments, beginning, read, write


class Reading(unittest.TestCase):
    def test_integers_keep_all_their_digits(self) -> None:
        self.assertEqual(read("[9007199254740993, -123456789012345678901234567890]")[0], 9007199254740993)
        self.assertEqual(read("-123456789012345678901234567890"), -123456789012345678901234567890)

    def test_an_integer_too_long_for_python_is_a_decimal(self) -> None:
        digits = "7" * 5000
        self.assertEqual(read(f'{{"n":{digits},"m":1}}'), {"n": Decimal(digits), "m": 1})

    def test_what_is_no_json_is_an_error(self) -> None:
        for text in ("", "{", "{'a':1}", "[1,]"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                read(text)

    def test_the_id_of_an_answer_that_cannot_be_read(self) -> None:
        deep = "[" * 200_000
        with self.assertRaises(RecursionError):
            read(deep)
        head = '{"jsonrpc":"2.0",'
        self.assertEqual(beginning(f'{head}"id":12,"result":{deep}'), (12, None))
        self.assertEqual(beginning(f'{head}"method":"x/y","params":{deep}'), (None, "x/y"))
        self.assertEqual(beginning(f'{head}"id":"a","method":"x","params":{deep}'), ("a", "x"))
        self.assertEqual(beginning(f'{{"id":12,"result":{deep}'), (None, None))


class Writing(unittest.TestCase):
    def test_it_is_short_and_unicode(self) -> None:
        self.assertEqual(write({"a": [1, "ä𝄞"], "b": None}), '{"a":[1,"ä𝄞"],"b":null}')

    def test_a_lone_surrogate_is_escaped_since_utf8_cannot_say_it(self) -> None:
        text = write({"a": "\ud800ä"})
        self.assertEqual(text, '{"a":"\\ud800\\u00e4"}')
        self.assertEqual(read(text), {"a": "\ud800ä"})

    def test_what_json_has_no_form_for_is_an_error(self) -> None:
        for value in (float("nan"), float("inf"), {1, 2}, b"x", {(1, 2): 3}):
            with self.subTest(value=value), self.assertRaises((TypeError, ValueError)):
                write(value)


class Arguments(unittest.TestCase):
    def test_a_text_stays_as_it_is(self) -> None:
        for text in (
            '{"b":1.0,"a":1e400,"big":123456789012345678901}',
            " {\n}\t",
            '{"a":1,"a":2}',
            '{"é":"\\u00e9"}',
        ):
            with self.subTest(text=text):
                self.assertEqual(arguments(text), text)
        long = f'{{"n":{"7" * 5000}}}'
        self.assertEqual(arguments(long), long)

    def test_an_object_is_written(self) -> None:
        self.assertEqual(arguments({"a": {"b": [True, None]}}), '{"a":{"b":[true,null]}}')

    def test_what_is_no_object_is_refused(self) -> None:
        cases: list[tuple[Any, str]] = [
            ("", "the arguments are not JSON"),
            ('{"a":1', "the arguments are not JSON"),
            ("null", "not a JSON object: null"),
            ('"text"', 'not a JSON object: "text"'),
            ('[{"a":1}]', "not a JSON object"),
            ('{"a":NaN}', "NaN is not JSON"),
            ('{"a":-Infinity}', "-Infinity is not JSON"),
            ('{"a":"\ud800"}', "the arguments are not JSON"),
            ('{"a":' + "[" * 200_000, "nested too deeply"),
            ({"a": object()}, "not JSON serializable"),
            ({"a": float("nan")}, "the arguments are not JSON"),
            (["a"], "an object or its JSON text, not ['a']"),
            (7, "an object or its JSON text, not 7"),
        ]
        for args, problem in cases:
            with self.subTest(args=str(args)[:40]), self.assertRaises(InvalidArgumentError) as raised:
                arguments(args)
            self.assertIn(problem, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
