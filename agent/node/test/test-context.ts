/** The type of what a test gets, which the types of Node 20 do not export. */
import type { test } from "node:test";

export type TestContext = Parameters<NonNullable<Parameters<typeof test>[0]>>[0];
