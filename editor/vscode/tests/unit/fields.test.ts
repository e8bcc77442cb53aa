import assert from "node:assert/strict";
import { test } from "node:test";
import { type Field, formOf } from "../../src/call/fields.js";

/** one is the field for a property with this schema. */
function one(property: unknown, defs: Record<string, unknown> = {}, name = "x"): Field {
  const [field] = formOf({ type: "object", properties: { [name]: property }, $defs: defs }).fields;
  assert.ok(field);
  return field;
}

test("each kind of schema is asked for as suits it", () => {
  const cases: [unknown, Field["kind"], string][] = [
    [{ type: "string" }, "text", "text"],
    [{ type: "string", format: "email" }, "text", "text, email"],
    [{ type: "integer", minimum: 1, maximum: 9 }, "integer", "whole number, 1 to 9"],
    [{ type: "number", minimum: 0 }, "number", "number, from 0"],
    [{ type: "boolean" }, "choice", "choice"],
    [{ enum: ["a", 1, null] }, "choice", "choice"],
    [{ const: "a" }, "choice", "choice"],
    [{ type: ["string", "null"] }, "text", "text or null"],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "integer", "whole number or null"],
    [{ type: ["string", "number"] }, "mixed", "string or number"],
    [{ oneOf: [{ type: "string" }, { type: "array" }] }, "json", "string or array"],
    [{ type: "array", items: { type: "string" } }, "list", "list of text"],
    [{ type: "array", items: { enum: ["a", "b"] } }, "choices", "any of several"],
    [{ type: "array" }, "json", "list"],
    [{ type: "array", items: { type: "object" } }, "json", "list"],
    [{ type: "object", properties: {} }, "json", "object"],
    [{ properties: { a: {} } }, "json", "object"],
    [{}, "mixed", "any"],
    [true, "mixed", "any"],
    [null, "mixed", "any"],
    ["nonsense", "mixed", "any"],
    [{ type: "nonsense", enum: "nonsense", anyOf: 7, allOf: {}, properties: 3 }, "mixed", "any"],
    [{ allOf: [{ type: "string" }, { minLength: 2 }] }, "text", "text"],
  ];
  for (const [schema, kind, type] of cases) {
    const field = one(schema);
    assert.deepEqual([field.kind, field.type], [kind, type], JSON.stringify(schema));
  }
});

test("required arguments come first, in the order in which they are required", () => {
  const string = { type: "string" };
  const properties = { a: string, b: string, c: string, no: false };
  const { fields } = formOf({ type: "object", properties, required: ["c", "b", "unknown", 4] });
  assert.deepEqual(
    fields.map(({ name, required }) => [name, required]),
    [
      ["c", true],
      ["b", true],
      ["a", false],
    ],
  );
});

test("choices have titles, from anyOf, oneOf and enumNames", () => {
  const choices = [
    { label: "Red", description: "r", json: '"r"' },
    { label: "Green", description: "g", json: '"g"' },
  ];
  const titled = [
    { const: "r", title: "Red" },
    { const: "g", title: "Green" },
  ];
  assert.deepEqual(one({ oneOf: titled }).choices, choices);
  assert.deepEqual(one({ anyOf: titled }).choices, choices);
  assert.deepEqual(one({ enum: ["r", "g"], enumNames: ["Red", "Green"] }).choices, choices);
});

test("references are followed, into any place of the schema", () => {
  const defs = { color: { enum: ["red"] }, "a/b~c": { type: "integer" }, again: { $ref: "#/$defs/color" } };
  assert.equal(one({ $ref: "#/$defs/again" }, defs).choices[0]?.label, "red");
  assert.equal(one({ $ref: "#/$defs/a~1b~0c" }, defs).kind, "integer");
  assert.equal(one({ $ref: "#/$defs/color", description: "own" }, defs).description, "own");
});

test("references that lead in circles, nowhere or outside are survived", () => {
  const refs = Array.from({ length: 10 }, () => ({ $ref: "#/$defs/loop" }));
  const defs = {
    loop: { anyOf: refs, allOf: refs },
    self: { $ref: "#/$defs/self" },
    node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] },
  };
  for (const ref of ["#/$defs/loop", "#/$defs/self", "#", "#/nowhere", "#/%zz", "#/type/0", "https://x/y"]) {
    assert.ok(one({ $ref: ref }, defs).kind, ref);
  }
  assert.equal(one({ $ref: "#/$defs/node" }, defs).kind, "json");
});

test("a schema that says nothing of members asks for all as one text; one that has none asks nothing", () => {
  for (const schema of [
    undefined,
    null,
    true,
    {},
    { type: "object", additionalProperties: {} },
    { anyOf: [{}] },
  ]) {
    assert.deepEqual(formOf(schema), { fields: [], whole: true }, JSON.stringify(schema));
  }
  for (const schema of [false, { type: "object" }, { type: "object", properties: {} }]) {
    assert.deepEqual(formOf(schema), { fields: [], whole: false }, JSON.stringify(schema));
  }
});

test("a schema of megabytes is read, and its texts are cut", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [`p${i}`, { type: "string", description: "d".repeat(1000) }]),
  );
  const { fields } = formOf({ type: "object", properties });
  assert.equal(fields.length, 2000);
  assert.ok(fields.every(({ description }) => description.length === 400));
});

test("secrets are known by their format or name, and what only sounds like one is none", () => {
  const text = { type: "string" };
  for (const name of [
    "password",
    "apiKey",
    "api_key",
    "client_secret",
    "authToken",
    "accountToken",
    "async_secret",
  ]) {
    assert.ok(one(text, {}, name).secret, name);
  }
  for (const name of ["page_token", "nextToken", "syncToken", "query", "key"])
    assert.ok(!one(text, {}, name).secret, name);
  assert.ok(one({ type: "string", format: "password" }).secret);
  assert.ok(!one({ type: "integer" }, {}, "max_tokens").secret);
});
