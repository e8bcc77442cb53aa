import assert from "node:assert/strict";
import { test } from "node:test";
import { type Ending, endingError, startError } from "../src/ending.js";

const ending: Ending = { binary: "/bin/m", pid: 7, spoke: true, unread: "", stderr: [] };

test("the end of a process is told with its cause and what to do", () => {
  const cases: [Partial<Ending>, string][] = [
    [{ signal: "SIGKILL" }, "the sidecar /bin/m (process 7) was killed by SIGKILL"],
    [{ exitCode: 2 }, "the sidecar /bin/m (process 7) ended with exit code 2"],
    [
      { signal: "SIGKILL", outstayed: "closed its output" },
      "the sidecar /bin/m (process 7) closed its output and did not end",
    ],
    [
      { unread: "panic", fault: "a line that is no header" },
      'the sidecar /bin/m (process 7) sent what is no message (a line that is no header): "panic"',
    ],
    [
      { spoke: false, unread: "hello\n", fault: "a line that is no header" },
      '/bin/m does not speak the protocol: it printed "hello\\n". Is it mcp-sidecar?',
    ],
    [
      { spoke: false, exitCode: 1, stderr: ["usage: m", "bad flag"] },
      "/bin/m ended with exit code 1 before it said anything\n  stderr: usage: m\n  stderr: bad flag",
    ],
    [
      { spoke: false, exitCode: 0 },
      "/bin/m ended with exit code 0 before it said anything. Is it mcp-sidecar?",
    ],
    [
      { guest: true, exitCode: 0 },
      "the session that was joined has ended: its owner has closed it, or is gone",
    ],
    [{ guest: true, spoke: false, exitCode: 0 }, "cannot join the session: it ended before it said anything"],
    [
      { guest: true, spoke: false, exitCode: 1, stderr: ["a warning", "mcp-sidecar: no such door"] },
      "cannot join the session: no such door",
    ],
    [
      { guest: true, exitCode: 1, stderr: ["mcp-sidecar: a broken pipe"] },
      "the way to the session is gone: /bin/m (process 7) ended with exit code 1. It may be joined again." +
        "\n  stderr: mcp-sidecar: a broken pipe",
    ],
    [
      { guest: true, spoke: false, exitCode: 1 },
      "/bin/m ended with exit code 1 before it said anything. Is it mcp-sidecar?",
    ],
    [{ spoke: false, fault: "said nothing for 30 s" }, "/bin/m said nothing for 30 s. Is it mcp-sidecar?"],
    [
      { exitCode: 1, stderr: ["1", "2", "3", "4", "5", "6"] },
      "the sidecar /bin/m (process 7) ended with exit code 1" +
        "\n  stderr: 2\n  stderr: 3\n  stderr: 4\n  stderr: 5\n  stderr: 6",
    ],
    [
      { exitCode: 2, stderr: ["1", "panic: 2", "3", "4", "5", "6", "7"] },
      "the sidecar /bin/m (process 7) ended with exit code 2" +
        "\n  stderr: panic: 2\n  stderr: 3\n  stderr: 4\n  stderr: 5\n  stderr: 6",
    ],
  ];
  for (const [facts, message] of cases) {
    const error = endingError({ ...ending, ...facts });
    assert.equal(error.message, message);
    assert.deepEqual([error.exitCode, error.signal], [facts.exitCode, facts.signal]);
    assert.deepEqual(error.stderr, facts.stderr ?? []);
  }
});

test("a program for another machine is told as that, and not with the words of a shell that ran it", () => {
  const { message, stderr } = endingError({
    ...ending,
    spoke: false,
    exitCode: 127,
    foreign: "is built for linux on arm64, and this is linux on x64",
    stderr: ["1: \u007fELF: not found"],
  });
  assert.equal(message, "/bin/m is built for linux on arm64, and this is linux on x64");
  assert.equal(stderr.length, 1);
});

test("a program that cannot be started is told with what the system's word means", () => {
  const why = (code: string, foreign?: string) =>
    startError("/bin/m", Object.assign(new Error("spawn X"), { code }), foreign).message;
  assert.match(why("ENOENT"), /^cannot start \/bin\/m: it needs an interpreter or a loader/);
  assert.equal(why("ENOEXEC", "is built for the moon"), "cannot start /bin/m, which is built for the moon");
  assert.equal(why("EMFILE"), "cannot start /bin/m: spawn X");
});
