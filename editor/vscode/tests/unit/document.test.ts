import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsText, beginning, membersOf, problemOf } from "../../src/call/document.js";
import { formOf } from "../../src/call/fields.js";
import { Memory } from "../../src/call/memory.js";

const SCHEMA = {
  type: "object",
  properties: {
    path: { type: "string" },
    edits: { type: "array", items: { type: "object" }, default: [{ a: 1 }] },
    options: {
      type: "object",
      properties: { mode: { enum: ["fast", "slow"] }, depth: { type: "integer" }, more: {} },
      required: ["mode", "depth"],
    },
    id: { type: "integer" },
  },
  required: ["path", "edits", "options"],
};

test("a text begins with what is given, and the required arguments", () => {
  const text = beginning(SCHEMA, formOf(SCHEMA), new Map([["id", "12345678901234567890"]]));
  assert.match(text, /"id": 12345678901234567890\n/);
  assert.deepEqual(
    { ...JSON.parse(text), id: 0 },
    {
      path: "",
      edits: [{ a: 1 }],
      options: { mode: "fast", depth: 0 },
      id: 0,
    },
  );
});

test("a schema that needs itself makes a text that ends", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] };
  const schema = {
    type: "object",
    properties: { root: { $ref: "#/$defs/node" } },
    required: ["root"],
    $defs: { node },
  };
  const text = beginning(schema, formOf(schema), new Map());
  assert.ok(text.length < 1000);
  assert.ok(JSON.parse(text).root.next);
});

test("nothing known is an empty object", () => {
  assert.deepEqual(JSON.parse(beginning(undefined, formOf(undefined), new Map())), {});
});

test("what is wrong with a text is said, and where", () => {
  const form = formOf(SCHEMA);
  const good = '{"path": "a", "edits": [], "options": {}}';
  const cases: [string, RegExp | undefined, number | undefined][] = [
    [good, undefined, undefined],
    [good.replace("[]", "7"), /"edits" is wrong: wanted is list/, 14],
    ['{"path": "a"}', /"edits" is missing \(list\)/, undefined],
    ['{"path": a}', /This is no JSON/, undefined],
    ['{"path": "a"', /This is no JSON/, undefined],
    ["[]", /JSON object/, 0],
  ];
  for (const [text, message, offset] of cases) {
    const problem = problemOf(text, form);
    if (message === undefined) assert.equal(problem, undefined, text);
    else assert.match(problem?.message ?? "", message, text);
    assert.equal(problem?.offset, offset, text);
  }
});

test("members are split as they are written", () => {
  const text = ' {"a" : 12345678901234567890,\n"b":{"c":"}\\"]"},"d\\"":[1,"]"] , "e":"x,}" }\n';
  const members = membersOf(text);
  assert.deepEqual(
    [...members],
    [
      ["a", "12345678901234567890"],
      ["b", '{"c":"}\\"]"}'],
      ['d"', '[1,"]"]'],
      ["e", '"x,}"'],
    ],
  );
  assert.deepEqual(JSON.parse(argumentsText(members)), JSON.parse(text));
  assert.deepEqual([...membersOf("{ }")], []);
});

function memory(): { memory: Memory; stored: () => string } {
  const values = new Map<string, unknown>();
  const store = {
    get: <T>(key: string) => values.get(key) as T | undefined,
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
  return { memory: new Memory(store), stored: () => JSON.stringify([...values]) };
}

test("values are remembered for each tool, as long as it has the argument", async () => {
  const { memory: one } = memory();
  const form = formOf(SCHEMA);
  await one.remember("files/edit", form, new Map([["path", '"a"']]));
  assert.deepEqual([...one.last("files/edit", form)], [["path", '"a"']]);
  assert.deepEqual([...one.last("files/read", form)], []);
  assert.deepEqual([...one.last("files/edit", formOf({ type: "object" }))], []);
});

test("secrets are never remembered, nor what is long", async () => {
  const { memory: one, stored } = memory();
  const schema = {
    type: "object",
    properties: { password: { type: "string" }, path: {}, deep: { type: "object" } },
  };
  const values = new Map([
    ["password", '"hush1"'],
    ["deep", '{"auth":{"apiKey":"hush2"}}'],
    ["path", '"kept"'],
  ]);
  await one.remember("a/b", formOf(schema), values);
  await one.remember("a/whole", formOf(undefined), values);
  await one.remember("a/long", formOf(schema), new Map([["path", JSON.stringify("l".repeat(5000))]]));
  assert.match(stored(), /kept/);
  assert.doesNotMatch(stored(), /hush|lll/);
});

test("no more than so many tools are remembered: the last ones", async () => {
  const { memory: one } = memory();
  const form = formOf(SCHEMA);
  for (let i = 0; i < 60; i++) await one.remember(`a/${i}`, form, new Map([["path", `"${i}"`]]));
  assert.equal(one.last("a/0", form).size, 0);
  assert.equal(one.last("a/59", form).get("path"), '"59"');
});
