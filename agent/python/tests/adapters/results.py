"""Results of tools as servers send them: one of every kind there is, and of every kind there should not be.

The server kit_server.py answers with them, and every adapter's test has a table of what becomes of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
JPEG = "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAP//////////////2Q=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
PDF = "JVBERi0xLjQKJSVFT0YK"
SVG = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="

RESULTS: dict[str, dict[str, Any]] = {
    "text": {"content": [{"type": "text", "text": "hello"}]},
    "two texts": {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
    "blank text": {"content": [{"type": "text", "text": " \n"}, {"type": "text", "text": "rest"}]},
    "image": {
        "content": [
            {"type": "text", "text": "a pixel"},
            {"type": "image", "data": PNG, "mimeType": "image/png"},
        ]
    },
    "image with line breaks": {
        "content": [{"type": "image", "data": PNG[:40] + "\r\n" + PNG[40:], "mimeType": "image/png"}]
    },
    "image of another type than it says": {
        "content": [{"type": "image", "data": JPEG, "mimeType": "image/png"}]
    },
    "image that no model takes": {"content": [{"type": "image", "data": SVG, "mimeType": "image/svg+xml"}]},
    "image that is not base64": {
        "content": [{"type": "image", "data": PNG[:8] + "!!!!" + PNG[8:], "mimeType": "image/png"}]
    },
    "audio": {"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]},
    "image as a data URL": {
        "content": [{"type": "image", "data": f"data:image/png;base64,{PNG}", "mimeType": "image/png"}]
    },
    "text resource": {
        "content": [
            {
                "type": "resource",
                "resource": {"uri": "file:///a.md", "mimeType": "text/markdown", "text": "# A"},
            }
        ]
    },
    "image resource": {
        "content": [
            {"type": "resource", "resource": {"uri": "file:///a.png", "mimeType": "image/png", "blob": PNG}}
        ]
    },
    "pdf resource": {
        "content": [
            {
                "type": "resource",
                "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": PDF},
            }
        ]
    },
    "pdf resource with a bare name": {
        "content": [
            {
                "type": "resource",
                "resource": {"uri": "a.pdf", "mimeType": "application/pdf", "blob": PDF},
            }
        ]
    },
    "pdf that is none": {
        "content": [
            {
                "type": "resource",
                "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "AAAA"},
            }
        ]
    },
    "yaml resource": {
        "content": [
            {
                "type": "resource",
                "resource": {"uri": "a:b", "mimeType": "application/yaml", "blob": "YTogMQ=="},
            }
        ]
    },
    "json resource": {
        "content": [
            {
                "type": "resource",
                "resource": {"uri": "a:b", "mimeType": "application/json", "blob": "eyJhIjoxfQ=="},
            }
        ]
    },
    "unknown resource": {
        "content": [{"type": "resource", "resource": {"uri": "a:b", "mimeType": "x/y", "blob": "AAAA"}}]
    },
    "resource link": {
        "content": [
            {
                "type": "resource_link",
                "uri": "file:///b.md",
                "name": "b",
                "mimeType": "text/markdown",
                "description": "The other one",
            }
        ]
    },
    "structured content only": {"content": [], "structuredContent": {"sum": 42, "größe": [9007199254740993]}},
    "structured content beside text": {
        "content": [{"type": "text", "text": "42"}],
        "structuredContent": {"sum": 42},
    },
    "nothing": {"content": []},
    "no content": {"_meta": {"a": 1}},
    "error": {"content": [{"type": "text", "text": "no such file"}], "isError": True},
    "error with nothing": {"content": [], "isError": True},
    "error with an image": {
        "content": [
            {"type": "text", "text": "page crashed"},
            {"type": "image", "data": PNG, "mimeType": "image/png"},
        ],
        "isError": True,
    },
    "unknown type": {"content": [{"type": "hologram", "beam": 7, "data": "A" * 1200}]},
    "text without text": {"content": [{"type": "text"}]},
    "content that is a string": {"content": "bare"},
    "content that is a block": {"content": {"type": "text", "text": "lonely"}},
    "halves of characters": {
        "content": [
            {"type": "text", "text": "cut \ud83d"},
            {"type": "hologram", "b\ud83d": "\udc00"},
            {
                "type": "resource",
                "resource": {"uri": "\ud83d.pdf", "mimeType": "application/pdf", "blob": PDF},
            },
        ]
    },
    "structured content with half a character": {"content": [], "structuredContent": {"a": "\ud83d"}},
    "error with half a character": {"content": [{"type": "text", "text": "cut \ud83d"}], "isError": True},
    "error that says so": {"content": [{"type": "text", "text": "An error: no"}], "isError": True},
    "result of the first MCP": {"toolResult": 42},
}

# What each is for a model that takes text only. Adapters that can show more say so in their own tables.
WORDS: dict[str, str] = {
    "text": "hello",
    "two texts": "one\ntwo",
    "blank text": "rest",
    "image": "a pixel\n[an image, image/png, 70 bytes, that cannot be shown here]",
    "image with line breaks": "[an image, image/png, 70 bytes, that cannot be shown here]",
    "image of another type than it says": "[an image, image/jpeg, 37 bytes, that cannot be shown here]",
    "image that no model takes": '[an image]\n<svg xmlns="http://www.w3.org/2000/svg"/>',
    "image that is not base64": "[an image, image/png, that is no base64]",
    "image as a data URL": "[an image, image/png, 70 bytes, that cannot be shown here]",
    "audio": "[a sound, audio/wav, 44 bytes, that cannot be shown here]",
    "text resource": "[resource file:///a.md]\n# A",
    "image resource": "[an image, image/png, 70 bytes, that cannot be shown here]",
    "pdf resource": "[the file a.pdf, 15 bytes, that cannot be shown here]",
    "pdf resource with a bare name": "[the file a.pdf, 15 bytes, that cannot be shown here]",
    "pdf that is none": "[resource file:///a.pdf, application/pdf, 3 bytes, that cannot be shown here]",
    "yaml resource": "[resource a:b]\na: 1",
    "json resource": '[resource a:b]\n{"a":1}',
    "unknown resource": "[resource a:b, x/y, 3 bytes, that cannot be shown here]",
    "resource link": "[link to b (text/markdown) at file:///b.md]: The other one",
    "structured content only": '{"sum":42,"größe":[9007199254740993]}',
    "structured content beside text": "42",
    "nothing": "The tool returned nothing.",
    "no content": "The tool returned nothing.",
    "error": "no such file",
    "error with nothing": "The tool failed without saying why.",
    "error with an image": "page crashed\n[an image, image/png, 70 bytes, that cannot be shown here]",
    "unknown type": f'{{"type":"hologram","beam":7,"data":"{"A" * 1000}… (1200 characters)"}}',
    "text without text": '{"type":"text"}',
    "content that is a string": "bare",
    "content that is a block": "lonely",
    "halves of characters": 'cut \ufffd\n{"type":"hologram","b\ufffd":"\ufffd"}\n'
    "[the file \ufffd.pdf, 15 bytes, that cannot be shown here]",
    "structured content with half a character": '{"a":"\ufffd"}',
    "error with half a character": "cut \ufffd",
    "error that says so": "An error: no",
    "result of the first MCP": '{"toolResult":42}',
}

# The same where a failure is called one in words.
FLAGGED: dict[str, str] = {
    **WORDS,
    **{
        name: f"Error: {words}"
        for name, words in WORDS.items()
        if name.startswith("error") and name != "error that says so"
    },
}


def with_media(
    said: Callable[[str], Any], shown: Callable[..., Any], filed: Callable[[str], Any]
) -> dict[str, list[Any]]:
    """What images and PDFs become where they are shown, in the forms that an adapter has for the three."""
    return {
        "image": [said("a pixel"), shown(PNG)],
        "image with line breaks": [shown(PNG)],
        "image of another type than it says": [shown(JPEG, "image/jpeg")],
        "image as a data URL": [shown(PNG)],
        "image resource": [shown(PNG)],
        "pdf resource": [filed("a.pdf")],
        "pdf resource with a bare name": [filed("a.pdf")],
        "halves of characters": [
            *map(said, WORDS["halves of characters"].split("\n")[:2]),
            filed("\ufffd.pdf"),
        ],
    }
