"""The values that a configuration file asks the user for."""

from __future__ import annotations

import asyncio
import json
import unittest
from collections.abc import Callable
from typing import Any

from mcp_sidecar import Handlers, Sidecar
from mcp_sidecar.protocol import InputParams

from .world import AsyncWorldCase, until


async def key(sidecar: Sidecar) -> Any:
    """What the server has got."""
    return (await sidecar.call("mcp_s_key"))["result"]["content"][0]["text"]


class Inputs(AsyncWorldCase):
    def asking(self, *servers: str, give: Callable[[InputParams], str | None] | None = None) -> Sidecar:
        """A sidecar with servers that need inputs of their own names."""
        inputs = [
            {"id": name, "type": "promptString", "description": f"Key of {name}", "password": True}
            for name in servers
        ]
        entries = {
            name: {
                **self.script("tool key\non tools/call key\n  env KEY\n", name),
                "env": {"KEY": f"it is ${{input:{name}}}"},
            }
            for name in servers
        }
        folder = self.project / ".vscode"
        folder.mkdir()
        (folder / "mcp.json").write_text(json.dumps({"inputs": inputs, "servers": entries}))
        return self.sidecar(handlers=Handlers(input=give))

    async def test_a_value_that_the_handler_gives_reaches_the_server(self) -> None:
        questions: list[InputParams] = []

        def give(question: InputParams) -> str:
            questions.append(question)
            return "Ada"

        async with self.asking("s", give=give) as sidecar:
            await until(sidecar, lambda: len(sidecar.tools) > 0)
            self.assertEqual(await key(sidecar), "it is Ada")
        self.assertEqual(
            questions,
            [
                {
                    "server": "s",
                    "id": "s",
                    "type": "promptString",
                    "description": "Key of s",
                    "password": True,
                }
            ],
        )

    async def test_a_server_waits_for_a_value_that_is_not_given_and_connect_asks_again(self) -> None:
        answers = ["Ada", None]
        # One is asked at a time: when it is the next one's turn, the answer to the first has arrived.
        others_turn = asyncio.Event()

        def give(question: InputParams) -> str | None:
            if question["id"] == "s":
                return answers.pop()
            others_turn.set()
            return None

        async with self.asking("s", "t", give=give) as sidecar:
            await others_turn.wait()
            server = sidecar.servers[0]
            self.assertEqual(server["phase"], "needs-input")
            self.assertIn("${input:s}", server["error"]["message"])
            await sidecar.connect("s")
            await until(sidecar, lambda: len(sidecar.tools) > 0)
            self.assertEqual(await key(sidecar), "it is Ada")

    async def test_a_host_that_has_no_handler_for_it_is_told_what_to_do_instead(self) -> None:
        async with self.asking("s") as sidecar:
            [server] = sidecar.servers
            self.assertEqual(server["phase"], "needs-input")
            self.assertIn("asked for inputs", server["error"]["hint"])


if __name__ == "__main__":
    unittest.main()
