/** What the settings of a workspace, which come with a repository, cannot say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow } from "../driver/shared.js";

test("the settings of a trusted workspace start no server unasked", async (t) => {
  const window = await openWindow(t, {
    files: (project) => ({
      ".mcp.json": project.servers({ first: "tool echo" }),
      "more.json": project.servers({ second: "tool echo" }),
      ".vscode/settings.json": JSON.stringify({
        "mcpSidecar.trust.project": "allow",
        "mcpSidecar.discovery.files": [`${project.dir}/more.json`],
        "mcpSidecar.servers": { third: project.fake("third", "tool echo") },
      }),
    }),
  });
  const { project } = window;
  await window.notification("Allow the MCP server “first” of this project?").waitFor();
  // The only one that is known is asked about.
  await window.status("MCP 0/1").waitFor();
  for (const name of ["first", "second", "third"])
    assert.equal(project.hub.count(`${name} started`), 0, name);
});
