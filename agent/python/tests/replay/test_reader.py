"""The parts of the player that are pure: dialogues, patterns, and the members that patterns leave out."""

from __future__ import annotations

import unittest
from collections.abc import Mapping, Sequence
from typing import Any

from .completion import complete_params, complete_result
from .folder import REPOSITORY, dialogues_in, expand
from .pattern import PatternError, Saved, example, mismatch, pattern_of
from .raw_json import Json, read_json
from .transcript import Step, TranscriptError, read_transcript


class _Given:
    """What a host has, as a case tells it."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.revision: int = told["revision"]
        self.hash: str = told["hash"]
        self.tools: Sequence[Mapping[str, Any]] = told["tools"]
        self.servers: Sequence[Mapping[str, Any]] = told["servers"]
        self.errors: Sequence[Any] = told["errors"]


class Reader(unittest.TestCase):
    """Reads what all readers of the dialogues must read alike."""

    def cases(self, name: str) -> list[Mapping[str, Json]]:
        text = (REPOSITORY / "conformance" / "clients" / name).read_text(encoding="utf-8")
        cases = [case.members for case in read_json(text).elements]
        self.assertGreater(len(cases), 10, name)
        return cases

    def test_a_pattern_fits_what_it_should_and_says_where_it_does_not(self) -> None:
        for case in self.cases("patterns.json"):
            pattern, got = case["pattern"], case["got"]
            with self.subTest(pattern=pattern.text, got=got.text):
                if "wrong" in case:
                    with self.assertRaisesRegex(PatternError, case["wrong"].value()):
                        mismatch(pattern, got, {})
                    continue
                found = mismatch(pattern, got, {})
                if "differs" in case:
                    self.assertIn(case["differs"].value(), found or "it fits")
                else:
                    self.assertIsNone(found)

    def test_the_example_of_a_pattern_fits_it(self) -> None:
        for case in self.cases("patterns.json"):
            if "wrong" in case:
                continue
            with self.subTest(pattern=case["pattern"].text):
                made = read_json(example(case["pattern"], {}) or "")
                self.assertIsNone(mismatch(case["pattern"], made, {}), made.text)

    def test_every_message_that_a_transcript_expects_has_an_example_that_fits(self) -> None:
        for file in dialogues_in("conformance/transcripts"):
            made: Saved = {}
            met: Saved = {}
            read = read_transcript(file.text, expand)
            for step in [inner for outer in read.steps for inner in (outer, *outer.group)]:
                if step.verb != "<":
                    continue
                with self.subTest(file=file.path, line=step.line):
                    pattern = pattern_of(step.args[0])
                    self.assertIsNone(mismatch(pattern, read_json(example(pattern, made) or ""), met))

    def test_what_a_pattern_leaves_out_is_what_the_protocol_requires(self) -> None:
        for case in self.cases("completions.json"):
            with self.subTest(case["title"].value()):
                told, method = _Given(case["told"].value()), case["method"].value()
                if "params" in case:
                    got = complete_params(method, case["params"], told)
                else:
                    got = complete_result(method, case["result"], told)
                self.assertEqual(got, case["want"].text)

    def test_every_kind_of_line_is_read(self) -> None:
        text = """L99: something is so

Why: because.
-- project/a.json --
{}
-- dialogue --
# a comment
start ndjson K=v --flag
> {"id":1,
   "method":"$HOME"}
<{
  < {"id":1}
  < {"method":"x",
     "params":{}}
}
raw "a\\xff\\n"
count fs got tools/list <= 3
exit 0
"""
        read = read_transcript(text, expand)
        self.assertEqual((read.title, read.comment), ("L99: something is so", "Why: because."))
        group = [Step(12, "<", ['{"id":1}']), Step(13, "<", ['{"method":"x", "params":{}}'])]
        steps = [
            Step(8, "start", ["ndjson", "K=v", "--flag"]),
            Step(9, ">", ['{"id":1, "method":"/conformance/home"}']),
            Step(11, "<{", [], group),
            Step(16, "raw", ['"a\\xff\\n"']),
            Step(17, "count", ["fs", "got", "tools/list", "<=", "3"]),
            Step(18, "exit", ["0"]),
        ]
        self.assertEqual(read.steps, steps)

    def test_a_file_without_a_title_or_a_dialogue_is_none(self) -> None:
        for text, complaint in {
            "\n-- dialogue --\n": "the first line",
            "title\n-- home/x --\n": "no section named dialogue",
            "title\n-- dialogue --\n-- dialogue --\n": "two sections",
        }.items():
            with self.assertRaisesRegex(TranscriptError, complaint):
                read_transcript(text, expand)

    def test_placeholders_stand_for_what_they_say(self) -> None:
        plain = "/conformance/home /conformance/project/x /conformance/cache"
        self.assertEqual(expand("$HOME $PROJECT/x $CACHE"), plain)
        self.assertEqual(expand("$STATE $FAKE"), "/conformance/state /conformance/fake")
        self.assertRegex(expand("$SCRIPT(a-b) $URL(c)"), r"^/\S*/a-b http://127\.0\.0\.1:1/c$")
        self.assertEqual(set(read_json(expand("{$STDIO(d)}")).value()), {"command", "args"})
        self.assertEqual(set(read_json(expand("{$INIT}")).value()), {"protocolVersion", "client", "cwd"})
        self.assertEqual(expand("$OTHER $URL"), "$OTHER $URL")
