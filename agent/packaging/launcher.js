#!/usr/bin/env node
/**
 * The command of the npm package: runs the program in this process's place. The child has the very stdin,
 * stdout and stderr of this process, so a host that starts the command speaks with the program itself;
 * signals go to the child, and its end becomes this process's end.
 *
 * The program is looked for as the client does it. But on PATH this command may be the first mcp-sidecar
 * there is, so where npm puts commands is left out; whatever else leads back here is noticed then.
 */
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { constants } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { findBinary } from "../dist/binary.js";

const NOT_FOUND = 127; // as a shell has it
const NOT_EXECUTABLE = 126;

/** MARK is set for the program, to its path. */
const MARK = "MCP_SIDECAR_NPM_COMMAND";

function fail(code, text) {
  process.stderr.write(`mcp-sidecar: ${text}\n`);
  process.exit(code);
}

function leadsBack(directory) {
  if (basename(directory) === ".bin" && basename(dirname(directory)) === "node_modules") return true;
  try {
    return realpathSync(join(directory, "mcp-sidecar")) === realpathSync(fileURLToPath(import.meta.url));
  } catch {
    return false; // there is none
  }
}

function program() {
  const directories = (process.env.PATH ?? "").split(delimiter);
  process.env.PATH = directories.filter((directory) => !leadsBack(directory)).join(delimiter);
  try {
    return findBinary();
  } catch (error) {
    return fail(NOT_FOUND, error.message);
  }
}

/** start gives the running child. On some systems spawn throws where on others the error comes later. */
function start() {
  const failed = (error) => fail(NOT_EXECUTABLE, `cannot run ${path}: ${error.message}`);
  try {
    const options = { stdio: "inherit", env: { ...env, [MARK]: path } };
    return spawn(path, process.argv.slice(2), options).on("error", failed);
  } catch (error) {
    return failed(error);
  }
}

const env = { ...process.env };
if (env[MARK]) fail(NOT_FOUND, `${env[MARK]} is or starts this command: name the program itself`);
const path = program();
const child = start();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => {
    // Ctrl-C at a terminal goes to the child too, and a second SIGINT would make it stop without tidying up.
    // (Not process.stdin.isTTY: touching that makes a pipe non-blocking, for the child too.)
    const fromTerminal = isatty(0) && (signal === "SIGINT" || signal === "SIGQUIT");
    if (!fromTerminal) child.kill(signal);
  });
}

child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  process.exit(128 + constants.signals[signal]); // for a signal that Node ignores
});
