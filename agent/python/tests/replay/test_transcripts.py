"""Every transcript of conformance/, played to the client with the sidecar's side."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Callable, Coroutine
from typing import Any

from .folder import DialogueFile, dialogues_in, expand
from .player import Failure, play
from .transcript import Step, Transcript, read_transcript

# The folders of dialogues, and how many there must be at least, so that none is empty unseen.
_FOLDERS = {"conformance/transcripts": 60, "conformance/clients": 13}


def _is_other(step: Step) -> bool:
    """Those with raw bytes or MCP are not about clients, those with guests are about several at once."""
    return step.verb in ("raw", "attach") or (step.verb == "start" and step.args[:1] == ["mcp"])


def _played(folder: str) -> list[tuple[DialogueFile, Transcript]]:
    files = [(file, read_transcript(file.text, expand)) for file in dialogues_in(folder)]
    return [(file, read) for file, read in files if not any(_is_other(step) for step in read.steps)]


class Transcripts(unittest.IsolatedAsyncioTestCase):
    """Has one test for each file."""

    async def playing(self, file: DialogueFile, transcript: Transcript) -> None:
        stray: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: stray.append(context))
        try:
            await play(transcript)
        except Failure as failure:
            self.fail(f"{file.path}:{failure.line}: {failure}")
        self.assertEqual(stray, [], "errors that reached nobody")


def _test(file: DialogueFile, transcript: Transcript) -> Callable[[Transcripts], Coroutine[Any, Any, None]]:
    async def test(self: Transcripts) -> None:
        await self.playing(file, transcript)

    test.__doc__ = transcript.title
    return test


def _count(folder: str, least: int, found: int) -> Callable[[Transcripts], Coroutine[Any, Any, None]]:
    async def test(self: Transcripts) -> None:
        self.assertGreaterEqual(found, least, f"{folder} has too few dialogues")

    return test


for _folder, _least in _FOLDERS.items():
    _files = _played(_folder)
    for _file, _transcript in _files:
        setattr(Transcripts, f"test_{_file.name}", _test(_file, _transcript))
    setattr(
        Transcripts, f"test_{_folder.replace('/', '_')}_has_dialogues", _count(_folder, _least, len(_files))
    )
