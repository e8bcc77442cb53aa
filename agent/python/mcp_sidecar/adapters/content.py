"""The result of a tool (MCP: CallToolResult) as what models can be shown: texts, images and PDFs.

Providers differ in what they take, and each adapter shows what its provider takes. Everything else that a
server may send is described in a line of text, so that the model knows of it.

A block that a provider refuses stays in the conversation and spoils every later request too. So nothing gets
through that is known to be refused: blank texts and such as cannot be sent, images of other types than these
four or than they claim to be, PDFs that are none, data that is not base64.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from .well_formed import well_formed

ImageType = Literal["image/gif", "image/jpeg", "image/png", "image/webp"]


@dataclass(frozen=True)
class Text:
    """Words for the model. They are never blank, and well formed."""

    text: str


@dataclass(frozen=True)
class Image:
    """A picture."""

    # Base64, strictly.
    data: str
    # What the bytes are, whatever the server says.
    mime_type: ImageType

    def described(self) -> str:
        """Words for a model that cannot be shown it."""
        return f"[an image, {self.mime_type}, {_size(self.data)}, that cannot be shown here]"


@dataclass(frozen=True)
class Pdf:
    """A PDF file."""

    # Base64, strictly.
    data: str
    # The name of a file.
    name: str

    def described(self) -> str:
        """Words for a model that cannot be shown it."""
        return f"[the file {self.name}, {_size(self.data)}, that cannot be shown here]"


Part = Text | Image | Pdf

# How much base64 an image may have for Anthropic ("image exceeds 5 MB maximum"), in characters.
IMAGE_LIMIT: Final = 5 * 1024 * 1024

NOTHING: Final = "The tool returned nothing."
NOTHING_FAILED: Final = "The tool failed without saying why."

_SIGNATURES: Final[tuple[tuple[bytes, ImageType | Literal["application/pdf"]], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
# Types of text that goes by another name.
_TEXTUAL: Final = re.compile(r"text/|.*[/+](json|xml|yaml)\b")

# The members of a result that are not shown by themselves.
_KNOWN_MEMBERS: Final = frozenset(("_meta", "content", "isError", "structuredContent"))

# A text that calls itself an error.
_SAYS_ERROR: Final = re.compile(r"\W*(\w+ )?error\b", re.IGNORECASE)

# How many characters are shown of a string in a block that nobody knows: it may well be base64.
_SHORT: Final = 1000
# And how many objects and arrays in one another, there and in structured content.
_DEEPEST: Final = 32
_DEEPEST_DATA: Final = 128


def read_result(result: object) -> tuple[list[Part], bool]:
    """What to show of a result, in its order and never an empty list, and whether it is a failure."""
    if not isinstance(result, dict):
        return [_text(_outline(result))], False
    failed = result.get("isError") is True
    content = result.get("content")
    blocks = content if isinstance(content, list) else [] if content is None else [content]
    parts = [part for part in map(_part, blocks) if not (isinstance(part, Text) and not part.text.strip())]
    if not parts:
        parts = [_text(_beside_content(result) or (NOTHING_FAILED if failed else NOTHING))]
    return parts, failed


def _beside_content(result: dict[str, Any]) -> str:
    """What a result says that has nothing for models in its content, or "".

    structuredContent is what a server says to programs, and other members are of no version of MCP, or of its
    first one. The model has no other source.
    """
    if result.get("structuredContent") is not None:
        return _json(result["structuredContent"])
    others = {name: value for name, value in result.items() if name not in _KNOWN_MEMBERS}
    return _json(others) if others and not isinstance(result.get("content"), list) else ""


def text_of(part: Part) -> str:
    """A part for a model that takes nothing but text."""
    return part.text if isinstance(part, Text) else part.described()


def as_text(parts: list[Part], failed: bool, words: Callable[[Part], str] = text_of) -> str:
    """All parts as one text, in which a failure is called one: most APIs have no other place for it."""
    text = "\n".join(map(words, parts))
    return f"Error: {text}" if failed and not _SAYS_ERROR.match(text) else text


def _part(block: object) -> Part:
    if isinstance(block, str):
        return _text(block)
    if not isinstance(block, dict):
        return _text(_outline(block))
    kind, mime_type = block.get("type"), _string(block, "mimeType")
    if kind == "text" and isinstance(block.get("text"), str):
        return _text(block["text"])
    if kind == "image" and isinstance(block.get("data"), str):
        return _data(block["data"], mime_type, "an image")
    if kind == "audio" and isinstance(block.get("data"), str):
        return _data(block["data"], mime_type, "a sound")
    if kind == "resource" and isinstance(block.get("resource"), dict):
        return _resource(block["resource"])
    if kind == "resource_link" and isinstance(block.get("uri"), str):
        return _link(block)
    return _text(_outline(block))


def _resource(resource: dict[str, Any]) -> Part:
    uri = _string(resource, "uri")
    what = f"resource {uri}" if uri else "a resource"
    if isinstance(resource.get("text"), str):
        return _text(f"[{what}]\n{resource['text']}")
    if isinstance(resource.get("blob"), str):
        return _data(resource["blob"], _string(resource, "mimeType"), what, uri)
    return _text(f"[{what}: empty]")


def _link(block: dict[str, Any]) -> Part:
    """Leaves it to the model to ask for more, by whatever tool reads such things."""
    name = _string(block, "title") or _string(block, "name") or "a resource"
    mime_type, description = _string(block, "mimeType"), _string(block, "description")
    of = f" ({mime_type})" if mime_type else ""
    return _text(f"[link to {name}{of} at {block['uri']}]" + (f": {description}" if description else ""))


def _data(encoded: str, claimed: str, what: str, uri: str = "") -> Part:
    """What is in base64. An image or a PDF is what it begins with, whatever the server says."""
    encoded = "".join(re.sub(r"^data:[^,]*,", "", encoded).split()).rstrip("=")
    encoded += "=" * (-len(encoded) % 4)
    mime_type = claimed or "of unknown type"
    try:
        data = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return _text(f"[{what}, {mime_type}, that is no base64]")
    found = _type_of(data)
    if found == "application/pdf":
        return Pdf(encoded, _file_name(uri))
    if found:
        return Image(encoded, found)
    if _TEXTUAL.match(claimed):
        return _text(f"[{what}]\n{data.decode('utf-8', 'replace')}")
    return _text(f"[{what}, {mime_type}, {_size(encoded)}, that cannot be shown here]")


def _type_of(data: bytes) -> ImageType | Literal["application/pdf"] | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for signature, kind in _SIGNATURES if data.startswith(signature)), None)


def _file_name(uri: str) -> str:
    last = uri.rpartition("/")[2]
    return well_formed(last) if last.lower().endswith(".pdf") else "document.pdf"


def _size(encoded: str) -> str:
    """How much is in base64, in bytes."""
    size = len(encoded.rstrip("=")) * 3 // 4
    if size < 1000:
        return f"{size} bytes"
    return f"{round(size / 1000)} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def _string(block: dict[str, Any], name: str) -> str:
    value = block.get(name)
    return value if isinstance(value, str) else ""


def _text(words: str) -> Text:
    return Text(well_formed(words))


def _json(value: object) -> str:
    return _written(_cut(value, _DEEPEST_DATA, None))


def _outline(value: object) -> str:
    """JSON with its long strings cut too."""
    return _written(_cut(value, _DEEPEST, _SHORT))


def _written(value: object) -> str:
    # An integer beyond Python's limit is a Decimal, which json does not know.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _cut(value: object, deepest: int, longest: int | None) -> object:
    """The value without what is in more than so many objects and arrays, which would end the stack."""
    if isinstance(value, str) and longest and len(value) > longest:
        return f"{value[:longest]}… ({len(value)} characters)"
    if isinstance(value, dict | list) and not deepest:
        return "…"
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return {name: _cut(item, deepest - 1, longest) for name, item in members}
    return [_cut(item, deepest - 1, longest) for item in value] if isinstance(value, list) else value
