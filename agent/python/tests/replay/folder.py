"""Where the transcripts are, and what stands for the placeholders when no process runs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

# The client that $INIT names.
CLIENT = {"name": "conformance", "version": "1"}

_PLACEHOLDER = re.compile(r"\$(HOME|PROJECT|CACHE|STATE|FAKE|INIT)\b|\$(SCRIPT|STDIO|URL)\(([\w-]+)\)")


def _repository() -> Path:
    for directory in Path(__file__).resolve().parents:
        if (directory / "conformance" / "transcripts").is_dir():
            return directory
    raise FileNotFoundError("there is no conformance/transcripts above this file")


# The nearest directory above this file that has the transcripts.
REPOSITORY = _repository()


@dataclass(frozen=True)
class DialogueFile:
    """A file of dialogues, with its path in the repository."""

    name: str
    path: str
    text: str


def dialogues_in(directory: str) -> list[DialogueFile]:
    """The dialogues in a directory of the repository, by name."""
    return [
        DialogueFile(path.stem, f"{directory}/{path.name}", path.read_text(encoding="utf-8"))
        for path in sorted((REPOSITORY / directory).glob("*.txtar"))
    ]


def expand(text: str) -> str:
    """Replaces the placeholders. The paths are absolute and exist nowhere."""
    return _PLACEHOLDER.sub(_meaning, text)


def _meaning(found: re.Match[str]) -> str:
    plain, called, name = found.groups()
    script = f"/conformance/scripts/{name}"
    match plain or called:
        case "FAKE":
            return "/conformance/fake"
        case "INIT":
            return f'"protocolVersion":1,"client":{json.dumps(CLIENT)},"cwd":"/conformance/project"'
        case "SCRIPT":
            return script
        case "STDIO":
            return f'"command":"/conformance/fake","args":["{script}"]'
        case "URL":
            return f"http://127.0.0.1:1/{name}"
    return f"/conformance/{plain.lower()}"
