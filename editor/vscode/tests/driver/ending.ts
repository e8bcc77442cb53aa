/** The last test of the process: see run.mjs. */
import { test } from "node:test";
import { stopAll } from "./shared.js";

test("editors stop, and leave no process", stopAll);
