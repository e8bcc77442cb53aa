"""Whatever a server sends as a result becomes parts that a model can be given.

The cases are those of ../../../cases/results.json, which the client for Node keeps too.
"""

from __future__ import annotations

import json
import unittest
from decimal import Decimal
from typing import Any

from mcp_sidecar.adapters.content import Image, Part, Pdf, Text, as_text, read_result

from .provider_rules import data_problem, text_problems
from .results import FLAGGED, RESULTS
from .sessions import PACKAGE

CASES: list[dict[str, Any]] = json.loads((PACKAGE.parent / "cases" / "results.json").read_text())


def part(case: Any) -> Part:
    """A part as a case writes it."""
    if isinstance(case, str):
        return Text(case)
    return Image(case["data"], case["image"]) if "image" in case else Pdf(case["data"], case["pdf"])


class Content(unittest.TestCase):
    def test_every_case_has_the_parts_that_it_says(self) -> None:
        for case in CASES:
            with self.subTest(case["name"]):
                expected = [part(each) for each in case["parts"]], case.get("failed", False)
                self.assertEqual(read_result(case["given"]), expected)

    def test_what_is_shown_keeps_the_rules_of_the_providers(self) -> None:
        for case in CASES:
            for each in read_result(case["given"])[0]:
                with self.subTest(case["name"]):
                    if isinstance(each, Text):
                        self.assertEqual((text_problems(each.text), each.text.strip() == ""), ([], False))
                    else:
                        kind = each.mime_type if isinstance(each, Image) else "application/pdf"
                        self.assertIsNone(data_problem(each.data, kind))

    def test_a_failure_is_called_one_in_words(self) -> None:
        self.assertEqual(FLAGGED.keys(), RESULTS.keys())
        for name, result in RESULTS.items():
            with self.subTest(name):
                self.assertEqual(as_text(*read_result(result)), FLAGGED[name])

    def test_what_only_python_can_be_given_is_shown(self) -> None:
        for result, text in ((None, "null"), ("words", '"words"')):
            with self.subTest(result):
                self.assertEqual(read_result(result), ([Text(text)], False))
        # The client's form of an integer that is too long for Python.
        self.assertEqual(read_result({"structuredContent": [Decimal(5)]}), ([Text('["5"]')], False))

    def test_structured_content_that_is_too_deep_for_the_stack_is_cut(self) -> None:
        content: Any = "a"
        for _ in range(5000):
            content = [content]
        parts, _ = read_result({"structuredContent": content})
        self.assertEqual(parts, [Text("[" * 128 + '"…"' + "]" * 128)])

    def test_a_block_that_is_too_deep_for_the_stack_is_cut(self) -> None:
        block: Any = "a"
        for _ in range(5000):
            block = [block]
        parts, _ = read_result({"content": [{"type": "deep", "of": block}]})
        self.assertEqual(parts, [Text('{"type":"deep","of":' + "[" * 31 + '"…"' + "]" * 31 + "}")])

    def test_sizes_are_told_in_units_that_are_read_easily(self) -> None:
        for length, size in ((4, "3 bytes"), (1332, "999 bytes"), (2000, "2 kB"), (4_000_000, "3.0 MB")):
            with self.subTest(length):
                self.assertIn(f", {size}, ", Image("A" * length, "image/png").described())


if __name__ == "__main__":
    unittest.main()
