// Every transcript of conformance/, played to the client with the sidecar's side.

import { ok } from "node:assert/strict";
import { test } from "node:test";
import { type DialogueFile, dialoguesIn, expand } from "./folder.js";
import { Failure, play } from "./player.js";
import { readTranscript, type Step } from "./transcript.js";

/** The folders of dialogues, and how many there must be at least, so that none is empty unseen. */
const folders = { "conformance/transcripts": 60, "conformance/clients": 13 };

for (const [folder, least] of Object.entries(folders)) {
  const files = dialoguesIn(folder).map((file) => ({ file, transcript: readTranscript(file.text, expand) }));
  // Those with raw bytes or MCP are not about clients, those with guests are about several at once.
  const other = ({ verb, args }: Step) =>
    verb === "raw" || verb === "attach" || (verb === "start" && args[0] === "mcp");
  const played = files.filter(({ transcript }) => !transcript.steps.some(other));
  for (const { file, transcript } of played) test(file.name, () => playFile(file, () => play(transcript)));
  test(`${folder} has dialogues`, () => ok(played.length >= least, `only ${played.length} were found`));
}

async function playFile(file: DialogueFile, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Failure) error.message = `${file.path}:${error.line}: ${error.message}`;
    throw error;
  }
}
