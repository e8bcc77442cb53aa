"""What providers refuse of a schema is made acceptable, and nothing else is touched.

The cases are those of ../../../cases/schemas.json, which the client for Node keeps too.
"""

from __future__ import annotations

import copy
import json
import unittest
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from mcp_sidecar.adapters.input_schema import Provider, input_schema

from .provider_rules import schema_problems
from .sessions import PACKAGE

CASES: list[dict[str, Any]] = json.loads((PACKAGE.parent / "cases" / "schemas.json").read_text())
PROVIDERS: tuple[Provider, ...] = ("anthropic", "any", "openai")


def expected(case: dict[str, Any], provider: Provider) -> Any:
    """What the case says of a provider."""
    said = case["openai" if provider == "any" else provider]
    if said == "as openai":
        return expected(case, "openai")
    return case["given"] if said == "unchanged" else said


def text(value: Any) -> str:
    """A value as it can be compared: to Python 1 and true are equal."""
    return json.dumps(value, sort_keys=True)


def shown() -> Iterator[tuple[str, Provider, Any]]:
    """What every provider is shown of the cases, and of some that are no cases of agreement."""
    for case in [*CASES, *({"name": name, "given": given} for name, given in HOSTILE.items())]:
        for provider in PROVIDERS:
            yield f"{case['name']}, {provider}", provider, input_schema(case["given"], provider).schema


def deep() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    for _ in range(5000):
        schema = {"type": "object", "properties": {"a": schema}, "default": {"a": [schema.get("default")]}}
    return schema


HOSTILE: dict[str, Any] = {
    "too deep for the stack": deep(),
    "wide and in circles": {"allOf": [{"anyOf": [{"$ref": "#"}] * 20}] * 20},
    "a reference to what is no schema": {"$ref": "#/x", "x": {"type": {}, "required": 5, "properties": [1]}},
    "a reference to a boolean": {"$ref": "#/$defs/a", "$defs": {"a": True}},
    "an index that is none": {
        "type": "object",
        "properties": {
            "a": {"type": "array", "prefixItems": [{}], "items": {}},
            "b": {"$ref": "#/properties/a/prefixItems/²"},
        },
    },
    "an integer that is too long for Python": json.loads(
        '{"type": "object", "properties": {"a": {"default": 1.0}}}', parse_float=Decimal
    ),
}


class InputSchema(unittest.TestCase):
    def test_every_case_is_shown_as_it_says(self) -> None:
        for case in CASES:
            for provider in ("openai", "anthropic"):
                with self.subTest(case["name"], provider=provider):
                    schema = input_schema(case["given"], provider).schema
                    self.assertEqual(text(schema), text(expected(case, provider)))

    def test_any_provider_is_shown_what_openai_is_under_the_names_of_anthropic(self) -> None:
        for case in CASES:
            with self.subTest(case["name"]):
                schema, renamed = input_schema(case["given"], "any"), input_schema(case["given"], "anthropic")
                self.assertEqual(schema.renamed, renamed.renamed)
                self.assertEqual(list(schema.schema["properties"]), list(renamed.schema["properties"]))
                if not renamed.renamed:
                    self.assertEqual(text(schema.schema), text(expected(case, "openai")))

    def test_what_is_shown_keeps_the_rules_of_the_providers(self) -> None:
        for name, provider, schema in shown():
            with self.subTest(name):
                self.assertEqual(schema_problems(schema, provider), [])

    def test_what_is_changed_breaks_a_rule_of_the_providers(self) -> None:
        # So that the rules are not simply blind.
        for case in CASES:
            if case["openai"] != "unchanged" or case["anthropic"] != "unchanged":
                with self.subTest(case["name"]):
                    self.assertNotEqual(schema_problems(case["given"], "any"), [])

    def test_what_is_acceptable_stays_so(self) -> None:
        for name, provider, schema in shown():
            with self.subTest(name):
                self.assertEqual(text(input_schema(schema, provider).schema), text(schema))

    def test_an_acceptable_schema_keeps_the_order_of_its_keys(self) -> None:
        for case in CASES:
            if case["openai"] == "unchanged":
                with self.subTest(case["name"]):
                    schema = input_schema(case["given"], "openai").schema
                    self.assertEqual(json.dumps(schema), json.dumps(case["given"]))

    def test_true_becoming_1_is_a_change(self) -> None:
        a = {"minimum": 1, "exclusiveMinimum": True}
        given = {
            "$schema": "http://json-schema.org/draft-04/schema#",
            "type": "object",
            "properties": {"a": a},
        }
        self.assertNotIn("$schema", input_schema(given, "openai").schema)

    def test_the_definition_is_neither_changed_nor_shared(self) -> None:
        for case in CASES:
            with self.subTest(case["name"]):
                before = copy.deepcopy(case["given"])
                spoil(input_schema(case["given"], "openai").schema)
                self.assertEqual(case["given"], before)


def spoil(value: Any) -> None:
    """Changes everything in a value that can be changed."""
    if isinstance(value, dict | list):
        for item in list(value.values() if isinstance(value, dict) else value):
            spoil(item)
        value.clear()


if __name__ == "__main__":
    unittest.main()
