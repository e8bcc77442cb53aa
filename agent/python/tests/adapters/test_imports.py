"""What importing an adapter needs, seen by a fresh interpreter that lacks the optional packages."""

from __future__ import annotations

import subprocess
import sys
import unittest

from .sessions import PACKAGE

OPTIONAL = (
    "anthropic",
    "langchain",
    "langchain_core",
    "langgraph",
    "openai",
    "pydantic",
    "typing_extensions",
)


def without(packages: tuple[str, ...], statements: str) -> str:
    """What the statements print where these packages are not installed."""
    blocked = "".join(f"sys.modules[{name!r}] = None\n" for name in packages)
    return subprocess.run(
        [sys.executable, "-c", f"import sys\n{blocked}{statements}"],
        cwd=PACKAGE,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


class Imports(unittest.TestCase):
    def test_the_adapters_of_apis_need_no_package_at_all(self) -> None:
        printed = without(
            OPTIONAL,
            "from mcp_sidecar.adapters import anthropic, openai\n"
            "class Source: tools = ()\n"
            "print(openai.openai_tools(Source()), anthropic.anthropic_tools(Source()))",
        )
        self.assertEqual(printed, "[] []\n")

    def test_langchains_says_what_to_install(self) -> None:
        printed = without(
            ("langchain_core",),
            "try: import mcp_sidecar.adapters.langchain\nexcept ImportError as error: print(error)",
        )
        self.assertIn("pip install langchain-core", printed)

    def test_langchains_tools_need_no_more_than_its_core(self) -> None:
        printed = without(
            ("langchain", "langgraph"),
            "from mcp_sidecar.adapters.langchain import langchain_middleware, langchain_tools\n"
            "class Source: tools = (); call = None\n"
            "print(langchain_tools(Source()))\n"
            "try: langchain_middleware(Source())\nexcept ImportError as error: print(error)",
        )
        self.assertTrue(printed.startswith("[]\n"), printed)
        self.assertIn("pip install langchain", printed)


if __name__ == "__main__":
    unittest.main()
