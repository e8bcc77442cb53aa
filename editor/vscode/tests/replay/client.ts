/**
 * The client of agent/node as the extension has it: run.mjs bundles this module as build.mjs does the extension, and
 * minified as in the package. The transcripts are played to that.
 */
export * from "../../../../agent/node/src/client.js";
export * from "../../../../agent/node/src/errors.js";
