import assert from "node:assert/strict";
import { test } from "node:test";
import { editorFiles } from "../../src/editor_files.js";

test("the editor's own servers are beside the settings of the profile, and of the machine", () => {
  const cases: [string, string[]][] = [
    [
      "/h/.config/Code/User/globalStorage/a.b",
      ["/h/.config/Code/User/mcp.json", "/h/.config/Code/Machine/mcp.json"],
    ],
    [
      "/h/.config/Code/User/profiles/1f/globalStorage/a.b",
      ["/h/.config/Code/User/profiles/1f/mcp.json", "/h/.config/Code/Machine/mcp.json"],
    ],
    [
      "/h/.vscode-server/data/User/globalStorage/a.b",
      ["/h/.vscode-server/data/User/mcp.json", "/h/.vscode-server/data/Machine/mcp.json"],
    ],
  ];
  for (const [storage, expected] of cases) assert.deepEqual(editorFiles(storage), expected);
});
