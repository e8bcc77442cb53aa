// The parts of the player that are pure: dialogues, patterns, and the members that patterns leave out.

import { deepStrictEqual, equal, match, ok, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { completeParams, completeResult, type Told } from "./completion.js";
import { dialoguesIn, expand, repository } from "./folder.js";
import { type Json, readJson } from "./json.js";
import { example, mismatch, patternOf, type Saved } from "./pattern.js";
import { readTranscript } from "./transcript.js";

function cases(name: string): ReadonlyMap<string, Json>[] {
  const { elements } = readJson(readFileSync(join(repository, "conformance", "clients", name), "utf8"));
  ok(elements.length > 10, `${name} has only ${elements.length} cases`);
  return elements.map(({ members }) => members);
}

const text = (value: Json | undefined) => value && (JSON.parse(value.text) as string);

test("a pattern fits what it should, and says where it does not", () => {
  for (const given of cases("patterns.json")) {
    const [pattern, got] = [given.get("pattern") as Json, given.get("got") as Json];
    const [differs, wrong] = [text(given.get("differs")), text(given.get("wrong"))];
    if (wrong !== undefined) {
      throws(() => mismatch(pattern, got, new Map()), { message: new RegExp(wrong) }, pattern.text);
      continue;
    }
    const found = mismatch(pattern, got, new Map());
    if (differs === undefined) equal(found, undefined, `${pattern.text} does not fit ${got.text}`);
    else ok(found?.includes(differs), `${pattern.text} with ${got.text}: ${found}, want ${differs}`);
  }
});

test("the example of a pattern fits it", () => {
  for (const given of cases("patterns.json")) {
    const pattern = given.get("pattern") as Json;
    if (given.has("wrong")) continue;
    const made = readJson(example(pattern, new Map()) as string);
    equal(mismatch(pattern, made, new Map()), undefined, `${pattern.text}: ${made.text}`);
  }
});

test("every message that a transcript expects has an example that fits", () => {
  for (const { path, text } of dialoguesIn("conformance/transcripts")) {
    const [made, met]: [Saved, Saved] = [new Map(), new Map()];
    for (const step of readTranscript(text, expand).steps.flatMap((step) => [step, ...step.group])) {
      if (step.verb !== "<") continue;
      const pattern = patternOf(step.args[0] as string);
      const found = mismatch(pattern, readJson(example(pattern, made) as string), met);
      equal(found, undefined, `${path}:${step.line}: ${found}`);
    }
  }
});

test("what a pattern leaves out is what the protocol requires", () => {
  for (const given of cases("completions.json")) {
    const told = JSON.parse((given.get("told") as Json).text) as Told;
    const method = text(given.get("method")) as string;
    const [params, result] = [given.get("params"), given.get("result")];
    const got = params ? completeParams(method, params, told) : completeResult(method, result as Json, told);
    equal(got, given.get("want")?.text, text(given.get("title")));
  }
});

test("every kind of line is read", () => {
  const file = `L99: something is so

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
`;
  const { title, comment, steps } = readTranscript(file, expand);
  deepStrictEqual([title, comment], ["L99: something is so", "Why: because."]);
  deepStrictEqual(steps, [
    { line: 8, verb: "start", args: ["ndjson", "K=v", "--flag"], group: [] },
    { line: 9, verb: ">", args: ['{"id":1, "method":"/conformance/home"}'], group: [] },
    {
      line: 11,
      verb: "<{",
      args: [],
      group: [
        { line: 12, verb: "<", args: ['{"id":1}'], group: [] },
        { line: 13, verb: "<", args: ['{"method":"x", "params":{}}'], group: [] },
      ],
    },
    { line: 16, verb: "raw", args: ['"a\\xff\\n"'], group: [] },
    { line: 17, verb: "count", args: ["fs", "got", "tools/list", "<=", "3"], group: [] },
    { line: 18, verb: "exit", args: ["0"], group: [] },
  ]);
});

test("a file without a title or a dialogue is none", () => {
  throws(() => readTranscript("\n-- dialogue --\n", expand), /the first line/);
  throws(() => readTranscript("title\n-- home/x --\n", expand), /no section named dialogue/);
  throws(() => readTranscript("title\n-- dialogue --\n-- dialogue --\n", expand), /two sections/);
});

test("placeholders stand for what they say", () => {
  equal(expand("$HOME $PROJECT/x $CACHE"), "/conformance/home /conformance/project/x /conformance/cache");
  equal(expand("$STATE $FAKE"), "/conformance/state /conformance/fake");
  match(expand("$SCRIPT(a-b) $URL(c)"), /^\/\S*\/a-b http:\/\/127\.0\.0\.1:1\/c$/);
  deepStrictEqual(Object.keys(JSON.parse(expand("{$STDIO(d)}"))), ["command", "args"]);
  deepStrictEqual(Object.keys(JSON.parse(expand("{$INIT}"))), ["protocolVersion", "client", "cwd"]);
  equal(expand("$OTHER $URL"), "$OTHER $URL");
});
