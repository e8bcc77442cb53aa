"""Of a program that is gone, the lines are kept and told that say why."""

from __future__ import annotations

import unittest

from mcp_sidecar.stderr_tail import StderrTail, telling


def numbered(what: str, count: int) -> list[str]:
    return [f"{what} {number}" for number in range(count)]


class Kept(unittest.TestCase):
    def test_the_last_lines_each_shortened_and_no_blank_ones(self) -> None:
        tail = StderrTail()
        tail.add(["one", "", "  "])
        self.assertEqual(tail.lines, ("one",))
        tail.add(numbered("line", 30))
        tail.add(["x" * 2000])
        self.assertEqual(tail.lines, (*numbered("line", 30)[-19:], "x" * 1000))

    def test_of_a_crash_the_reason_however_long_the_stacks_are_that_follow(self) -> None:
        crash = ["panic: out of luck", "goroutine 1 [running]:", "main.main()"]
        expected = (*crash, *numbered("goroutine", 17))
        for cut in range(1, 50):
            lines = [*numbered("before", 10), *crash, *numbered("goroutine", 100)]
            tail = StderrTail()
            for start in range(0, len(lines), cut):
                tail.add(lines[start : start + cut])
            self.assertEqual(tail.lines, expected)

    def test_a_crash_that_did_not_end_the_program_gives_way_to_the_next_one(self) -> None:
        tail = StderrTail()
        tail.add(["panic: first", *numbered("after", 30), "panic: second", *numbered("after", 30)])
        self.assertEqual(tail.lines, ("panic: second", *numbered("after", 19)))
        tail.add(["SIGTERM: shutting down"])
        self.assertEqual(len(tail.lines), 20)


class Told(unittest.TestCase):
    def test_the_last_lines(self) -> None:
        self.assertEqual(telling(["a", "b"]), ["a", "b"])
        self.assertEqual(telling(numbered("line", 15)), numbered("line", 15)[5:])
        self.assertEqual(telling(["http: panic: no", *numbered("line", 10)]), numbered("line", 10))

    def test_the_reason_of_a_crash(self) -> None:
        for reason in ("panic: no", "fatal error: out of memory", "SIGQUIT: quit"):
            lines = ["before", reason, *numbered("line", 15)]
            self.assertEqual(telling(lines), [reason, *numbered("line", 9)])


if __name__ == "__main__":
    unittest.main()
