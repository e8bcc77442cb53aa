"""Arguments whose names a provider refuses are shown under others, and given back their own."""

from __future__ import annotations

import re
import unittest

from mcp_sidecar.adapters.property_names import own_names, plain_names

STRING = {"type": "string"}


class PropertyNames(unittest.TestCase):
    def test_names_that_will_do_are_left_alone(self) -> None:
        schema = {"type": "object", "properties": {"a.b-c_D9": STRING, "x" * 64: STRING}}
        self.assertIs(plain_names(schema)[0], schema)
        self.assertEqual(plain_names(schema)[1], {})

    def test_no_two_share_a_name(self) -> None:
        own = ["top", "$top", "@top", "größe", "größe ", "é", "ö", "x" * 65, "x" * 66, "x" * 64]
        schema = {"type": "object", "properties": dict.fromkeys(own, STRING), "required": ["@top", "top"]}
        shown, renamed = plain_names(schema)
        names = list(shown["properties"])
        self.assertEqual(len(set(names)), len(own))
        for name in names:
            self.assertRegex(name, re.compile(r"^[a-zA-Z0-9_.-]{1,64}$"))
        self.assertEqual([renamed.get(name, name) for name in names], own)
        self.assertEqual(names[:5], ["top", "top_2", "top_3", "gr_e", "gr_e_2"])
        self.assertEqual(shown["required"], ["top_3", "top"])

    def test_the_model_is_told_the_name_that_the_server_has(self) -> None:
        titled = {"type": "string", "title": "Top"}
        shown, _ = plain_names({"type": "object", "properties": {"$a": STRING, "$b": titled, "$c": True}})
        self.assertEqual(shown["properties"], {"a": {**STRING, "title": "$a"}, "b": titled, "c": True})

    def test_the_schema_that_was_given_is_not_changed(self) -> None:
        schema = {"type": "object", "properties": {"$a": STRING}, "required": ["$a"]}
        plain_names(schema)
        self.assertEqual(
            schema, {"type": "object", "properties": {"$a": {"type": "string"}}, "required": ["$a"]}
        )

    def test_arguments_get_their_own_names_back(self) -> None:
        renamed = {"top": "$top"}
        self.assertEqual(own_names({"top": 1, "other": 2}, renamed), {"$top": 1, "other": 2})
        for as_it_is in ({"top": 1}, '{"top": 1}', None):
            with self.subTest(as_it_is):
                self.assertIs(own_names(as_it_is, {}), as_it_is)
        self.assertEqual(own_names('{"top": 1}', renamed), '{"top": 1}')


if __name__ == "__main__":
    unittest.main()
