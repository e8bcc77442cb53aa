/** What node:test is to the player of the transcripts, inside the extension host: Mocha's. */
export { test } from "mocha";
