import assert from "node:assert/strict";
import { test } from "node:test";
import { environment } from "../../src/environment.js";

test("what tells the editor's own processes what they are is taken out", () => {
  assert.deepEqual(environment({ PATH: "/bin", ELECTRON_RUN_AS_NODE: "1", VSCODE_PID: "7" }, {}), {
    ELECTRON_RUN_AS_NODE: undefined,
    VSCODE_PID: undefined,
  });
});

test("the user has the last word about the environment", () => {
  assert.deepEqual(environment({ VSCODE_PID: "7" }, { VSCODE_PID: "8", EXTRA: "x" }), {
    VSCODE_PID: "8",
    EXTRA: "x",
  });
});
