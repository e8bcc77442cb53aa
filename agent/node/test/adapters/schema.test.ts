import assert from "node:assert/strict";
import { test } from "node:test";
import { inputSchema, type Provider } from "../../src/adapters/input-schema.js";
import { ownNames } from "../../src/adapters/property-names.js";
import { checkTools } from "./anthropic-rules.js";
import { SCHEMAS } from "./cases.js";
import { ODD_TOOLS } from "./odd-tools.js";
import { checkFunctions } from "./openai-rules.js";
import { checkTexts, type Json, Refusal } from "./refusal.js";

const PROVIDERS: readonly Provider[] = ["openai", "anthropic", "any"];

/** check judges a schema as the provider does; "any" is all of them. */
function check(provider: Provider, schema: Json): void {
  checkTexts(schema);
  if (provider !== "anthropic") checkFunctions([{ name: "tool", parameters: schema }]);
  if (provider !== "openai") checkTools([{ name: "tool", input_schema: schema }]);
}

/** object is the schema of an object with these properties. */
function object(properties: Json, more: Json = {}): Json {
  return { type: "object", properties, ...more };
}

for (const { name, given, ...shown } of SCHEMAS) {
  test(`a schema is shown as its provider takes it: ${name}`, () => {
    for (const provider of ["openai", "anthropic"] as const) {
      const { schema } = inputSchema(given, provider);
      assert.deepEqual(schema, shown[provider], provider);
      if (shown[provider] === given) assert.equal(schema, given, "it is passed on as the same object");
      assert.deepEqual(inputSchema(schema, provider).schema, schema, "it stays as it is from now on");
      check(provider, schema);
    }
    const { schema } = inputSchema(given, "any");
    check("any", schema);
    assert.deepEqual(Object.keys(schema.properties), Object.keys(shown.anthropic.properties as Json));
    const { properties: own = {} } = shown.openai;
    const isPlain = Object.keys(schema.properties).every((name) => Object.hasOwn(own as Json, name));
    if (isPlain) assert.deepEqual(schema, shown.openai);
  });

  if (shown.openai === given && shown.anthropic === given) continue;
  test(`a schema is changed only if somebody refuses it: ${name}`, () => {
    assert.throws(() => check("any", given as Json), Refusal);
  });
}

test("the server gets its own names of arguments", () => {
  const names = ["filter[id]", "$top", "filter_id"];
  const { schema, renamed } = inputSchema(object(Object.fromEntries(names.map((name) => [name, {}]))), "any");
  const args = Object.fromEntries(Object.keys(schema.properties).map((name, index) => [name, index]));
  assert.deepEqual(ownNames(args, renamed), { "filter[id]": 0, $top: 1, filter_id: 2 });
});

test("what is very deep in a schema is cut: schemas, values, and what nobody knows", () => {
  for (const keyword of ["items", "default", "x-own", "enum", "required", "type", "anyOf"]) {
    let deep: unknown = {};
    for (let depth = 0; depth < 100_000; depth++) deep = keyword === "items" ? { items: deep } : [deep];
    for (const provider of PROVIDERS) {
      const { schema } = inputSchema(object({ a: { [keyword]: deep } }), provider);
      check(provider, schema);
      assert.ok(JSON.stringify(schema).length < 3000);
    }
  }
});

test("a schema that goes round in circles ends", () => {
  const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
  const wide = { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })) };
  for (const own of [circle, wide, { allOf: [wide, wide], $defs: circle }, { $ref: "#" }]) {
    for (const provider of PROVIDERS) check(provider, inputSchema(own, provider).schema);
  }
});

test("a property named __proto__ is one like any other", () => {
  const own = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"any"}}}') as Json;
  const { properties } = inputSchema(own, "openai").schema;
  assert.deepEqual(Object.entries(properties), [["__proto__", {}]]);
});

for (const { name, description, inputSchema: schema } of ODD_TOOLS) {
  test(`without an adapter, a provider refuses the request because of ${name}`, () => {
    assert.throws(() => {
      checkTexts([description, schema]);
      checkFunctions([{ name, description, parameters: schema }]);
      checkTools([{ name, input_schema: schema }]);
    }, Refusal);
  });
}
