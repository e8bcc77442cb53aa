/** New entries in files, and the files that there are: see src/configuration. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits } from "jsonc-parser/lib/esm/main.js";
import type { DoctorFile } from "mcp-sidecar";
import { addition } from "../../src/configuration/entries.js";
import { listed, projectFiles, userFile } from "../../src/configuration/files.js";

const TWO = { unit: "  ", eol: "\n" };

/** added gives the new text, with the selected name between « and ». */
function added(text: string, formatting = TWO): string | undefined {
  const result = addition(text, formatting);
  if (result === undefined) return undefined;
  const { offset, length } = result.name;
  const after = applyEdits(text, [...result.edits]);
  return `${after.slice(0, offset)}«${after.slice(offset, offset + length)}»${after.slice(offset + length)}`;
}

const ENTRY = `{
      "command": "npx",
      "args": ["-y", "<package of the server>"]
    }`;

test("an empty file gets a whole text", () => {
  for (const text of ["", " \n"]) {
    assert.equal(added(text), `{\n  "mcpServers": {\n    "«my-server»": ${ENTRY}\n  }\n}\n`);
  }
});

test("an entry is added after the others, and nothing else is touched", () => {
  const text = `// mine
{
  "other":   [1,2], /* so */
  "mcpServers": {
    "a": { "command": "x" } // last
  }
}
`;
  const [before, after] = text.split(" // last");
  const after1 = `${before}, // last\n    "«my-server»": ${ENTRY}${after}`;
  assert.equal(added(text), after1);
  assert.match(added(after1.replace(/[«»]/g, "")) ?? "", /"my-server": \{[^}]*\},\n {4}"«my-server-2»"/);
});

test("the indentation is that of the others", () => {
  const text = '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}';
  const inner = '{\n\t\t\t"command": "npx",\n\t\t\t"args": ["-y", "<package of the server>"]\n\t\t}';
  const wanted = `{\n\t"mcpServers": {\n\t\t"a": {},\n\t\t"«my-server»": ${inner}\n\t}\n}`;
  assert.equal(added(text, { ...TWO, unit: "\t" }), wanted);
});

test("servers are added where there are none", () => {
  assert.equal(added("{}"), `{\n  "mcpServers": {\n    "«my-server»": ${ENTRY}\n  }\n}`);
  assert.match(added('{"mcpServers": {}}') ?? "", /"«my-server»"/);
});

test("a trailing comma is no obstacle, and leaves one comma", () => {
  const after = added('{\n  "mcpServers": {\n    "a": {"command": "x"},\n  },\n}\n') ?? "";
  assert.match(after, /"a": \{"command": "x"\},\n {4}"«my-server»": \{[^}]*\}\n {2}\},\n\}\n$/);
});

test("lines end as those of the file do", () => {
  assert.doesNotMatch(added("", { ...TWO, eol: "\r\n" }) ?? "\n", /[^\r]\n/);
});

test("nothing is added to what is not a file of servers", () => {
  for (const text of ["[]", "1", '{"a": ', '{"mcpServers": []}', '{"mcpServers": 1}']) {
    assert.equal(added(text), undefined, text);
  }
});

test("the user's file is where the sidecar looks for it", () => {
  assert.equal(userFile("/h", {}), "/h/.config/mcp-sidecar/mcp.json");
  assert.equal(userFile("/h", { XDG_CONFIG_HOME: "/x" }), "/x/mcp-sidecar/mcp.json");
  assert.equal(userFile("/h", { XDG_CONFIG_HOME: "x" }), "/h/.config/mcp-sidecar/mcp.json");
  assert.deepEqual(projectFiles("/p"), ["/p/.mcp-sidecar/mcp.json", "/p/.mcp.json"]);
});

test("files that are there come first; of the others those that can be created", () => {
  const file = (path: string, state: string, members: object = {}) =>
    ({
      path,
      provider: "x",
      providerName: "X",
      level: "project",
      state,
      servers: [],
      ...members,
    }) as DoctorFile;
  const files = [
    file("/p/.mcp.json", "absent"),
    file("/p/.cursor/mcp.json", "absent"),
    file("/p/a.json", "read", { servers: [{}] }),
    file("/p/b.json", "broken", { why: "line 3" }),
  ];
  assert.deepEqual(
    listed(files, ["/p/.mcp.json"]).map(({ path, state, exists }) => [path, state, exists]),
    [
      ["/p/a.json", "1 server", true],
      ["/p/b.json", "broken: line 3", true],
      ["/p/.mcp.json", "not there: create it", false],
    ],
  );
});
