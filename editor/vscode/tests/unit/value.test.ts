import assert from "node:assert/strict";
import { test } from "node:test";
import { type Field, formOf } from "../../src/call/fields.js";
import { joined, read, typed } from "../../src/call/value.js";

function field(property: unknown, required = true): Field {
  const schema = { type: "object", properties: { x: property }, required: required ? ["x"] : [] };
  const [made] = formOf(schema).fields;
  assert.ok(made);
  return made;
}

/** result is the JSON, or the problem after "!", or nothing. */
function result(property: unknown, text: string, required = true): string {
  const what = read(field(property, required), text);
  return what.kind === "json" ? what.json : what.kind === "problem" ? `! ${what.message}` : "";
}

test("what is typed becomes JSON, or is answered with what is wanted", () => {
  const string = { type: "string" };
  const integer = { type: "integer" };
  const words = { type: "array", items: string };
  const cases: [unknown, string, string][] = [
    [string, 'a "b" \\', '"a \\"b\\" \\\\"'],
    [string, " kept ", '" kept "'],
    [string, "", '""'],
    [{ ...string, minLength: 1 }, "", "! A text is wanted"],
    [{ ...string, minLength: 3 }, "ab", "! Too short: 2 characters, at least 3 wanted"],
    [{ ...string, maxLength: 1 }, "👍", '"👍"'],
    [{ ...string, maxLength: 1 }, "ab", "! Too long: 2 characters, at most 1 allowed"],
    [{ ...string, pattern: "^a+$" }, "aa", '"aa"'],
    [{ ...string, pattern: "^a+$" }, "b", "! Does not fit the pattern ^a+$"],
    [{ ...string, pattern: "(" }, "b", '"b"'],
    [{ ...string, format: "date" }, "2026-02-30", "! Wanted is a date such as 2026-01-31"],
    [{ ...string, format: "date" }, "2026-02-28", '"2026-02-28"'],
    [{ ...string, format: "date-time" }, "2026-02-28T01:02:03+01:00", '"2026-02-28T01:02:03+01:00"'],
    [{ ...string, format: "uri" }, "nowhere", "! Wanted is an address such as https://example.com/"],
    [{ ...string, format: "email" }, "a@b", '"a@b"'],
    [{ ...string, format: "toString" }, "x", '"x"'],
    [integer, "12345678901234567890", "12345678901234567890"],
    [integer, " 7 ", "7"],
    [integer, "1.0", "1.0"],
    [integer, "1.5", "! 1.5 is no whole number"],
    [integer, "", "! A number is wanted"],
    [integer, "0x10", '! "0x10" is no number'],
    [integer, "007", '! "007" is no number'],
    [
      { ...integer, maximum: 9007199254740991 },
      "9007199254740992",
      "! 9007199254740992 must be at most 9007199254740991",
    ],
    [{ ...integer, multipleOf: 3 }, "12345678901234567891", "! 12345678901234567891 must be a multiple of 3"],
    [{ type: "number", exclusiveMinimum: 0 }, "0", "! 0 must be more than 0"],
    [{ type: "number", minimum: 0, exclusiveMinimum: true }, "0", "! 0 must be more than 0"],
    [{ type: "number" }, "1e3", "1e3"],
    [{ type: ["integer", "null"] }, "null", "null"],
    [{ type: ["integer", "null"] }, "", "null"],
    [{ type: ["string", "integer"] }, "7", "7"],
    [{ type: ["string", "integer"] }, "7.5", '"7.5"'],
    [{ type: ["number", "boolean"] }, "x", "! Wanted is number or boolean"],
    [{}, "[1]", "[1]"],
    [{}, "[1", '"[1"'],
    [words, "a, b c,", '["a","b c"]'],
    [words, '["a, b"]', '["a, b"]'],
    [words, "", "[]"],
    [{ ...words, minItems: 2 }, "a", "! 1 value: at least 2 wanted"],
    [{ type: "array", items: integer }, "1, x", '! Value 2: "x" is no number'],
    [{ type: "array", items: integer }, "12345678901234567890", "[12345678901234567890]"],
    [{ ...words, uniqueItems: true }, "a, a", '! "a" is there twice'],
    [{ type: "object" }, "[]", "! Wanted is object"],
    [{ type: "object" }, "{", "! This is no JSON"],
  ];
  for (const [schema, text, expected] of cases) {
    assert.equal(result(schema, text), expected, `${JSON.stringify(schema)} ${text}`);
  }
});

test("an optional argument without a text is left out", () => {
  for (const type of ["string", "integer", "object"]) assert.equal(result({ type }, "", false), "");
  assert.equal(result({ type: "array", items: { type: "string" } }, "", false), "");
});

test("a pattern that thinks for ever does not hold the editor up", () => {
  const pattern = "^(a+)+$";
  assert.equal(result({ type: "string", pattern }, `${"a".repeat(60)}!`), `"${"a".repeat(60)}!"`);
});

test("several choices are joined, within the schema's bounds", () => {
  const choices = { type: "array", items: { enum: ["a", "b"] }, minItems: 1 };
  assert.deepEqual(joined(field(choices), ['"a"', '"b"']), { kind: "json", json: '["a","b"]' });
  assert.equal(joined(field(choices), []).kind, "problem");
  assert.equal(joined(field(choices, false), []).kind, "leftOut");
});

test("a value comes back as one would type it", () => {
  const words = { type: "array", items: { type: "string" } };
  const cases: [unknown, string, string | undefined][] = [
    [{ type: "string" }, '"a b"', "a b"],
    [{ type: "string" }, '"a\\nb"', undefined],
    [{ type: "string" }, "7", undefined],
    [{ type: "integer" }, "12345678901234567890", "12345678901234567890"],
    [{ type: ["string", "integer"] }, '"7"', '"7"'],
    [{ type: ["string", "integer"] }, '"x"', "x"],
    [words, '["a","b c"]', "a, b c"],
    [words, '["a, b"]', '["a, b"]'],
    [{ type: "string" }, "broken", undefined],
  ];
  for (const [schema, json, text] of cases) {
    assert.equal(typed(field(schema), json), text, json);
    if (text === undefined) continue;
    const again = result(schema, text);
    assert.deepEqual(JSON.parse(again), JSON.parse(json), "and is read as what it was");
  }
});
