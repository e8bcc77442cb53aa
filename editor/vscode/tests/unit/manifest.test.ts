/** What package.json promises is there, and what is there is promised. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { everything, type MenuItem, manifest, root, settings, sources } from "./manifest.js";

const { commands, menus } = manifest.contributes;
const names = commands.map(({ command }) => command);

/** Commands that the palette does not show: where they make sense there is a button. */
const HIDDEN = ["mcpSidecar.refreshReport"];

/** Context keys of VS Code. */
const EDITORS = [
  "isWorkspaceTrusted",
  "workspaceFolderCount",
  "view",
  "viewItem",
  "resourceScheme",
  "true",
  "false",
];

test("every command has a title, and is in the palette or hidden on purpose", () => {
  assert.deepEqual(names, [...new Set(names)]);
  for (const { command, title, category } of commands) {
    assert.match(command, /^mcpSidecar\.[a-zA-Z]+$/);
    assert.ok(title.length > 0);
    assert.equal(category, "MCP Sidecar", command);
  }
  const hidden = (menus.commandPalette ?? []).filter(({ when }) => when === "false");
  assert.deepEqual(
    hidden.map(({ command }) => command),
    HIDDEN,
  );
});

test("every command is somewhere in the code, and every one of the code's is declared", () => {
  for (const command of names) {
    const [, short = ""] = command.split(".");
    const said = new RegExp(`"(mcpSidecar\\.)?${short}"`);
    assert.match(everything, said, `${command} is nowhere`);
  }
  const registered = everything.matchAll(/\bregister\w*\(\s*"(mcpSidecar\.\w+)"/g);
  for (const [, command] of registered)
    assert.ok(names.includes(command ?? ""), `${command} is not declared`);
});

test("menus have commands that are there, and an icon where there is no room for a text", () => {
  for (const [menu, items] of Object.entries(menus)) {
    for (const { command = "", group = "" } of items) {
      const declared = commands.find((one) => one.command === command);
      assert.ok(declared, `${menu}: ${command}`);
      if (/^(inline|navigation)/.test(group) && menu !== "commandPalette") {
        assert.match(declared.icon ?? "", /^\$\([a-z-]+\)$/, `${menu}: ${command} has no icon`);
      }
    }
  }
});

/** conditions are all the texts of "when" and "enablement" in the manifest. */
function conditions(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    (name === "when" || name === "enablement") && typeof member === "string" ? [member] : conditions(member),
  );
}

test("every context key is one of VS Code, or is set by the extension", () => {
  const all = conditions(manifest.contributes);
  assert.ok(all.length > 20);
  for (const condition of all) {
    for (const clause of condition.split(/&&|\|\|/)) {
      const [key = ""] = clause
        .trim()
        .replace(/^!/, "")
        .split(/\s*(?:==|!=|=~|[<>])\s*/);
      if (EDITORS.includes(key)) continue;
      assert.match(key, /^mcpSidecar\.\w+$/, condition);
      const setters = [...sources.values()].filter(
        (source) => source.includes('"setContext"') && source.includes(`"${key}"`),
      );
      assert.ok(setters.length > 0, `nobody sets ${key}`);
    }
  }
});

test("what menus look for in the items of the view is what the view says of them", () => {
  const words = new Set(
    conditions(manifest.contributes)
      .flatMap((text) => [...text.matchAll(/\\b(\w+)\\b/g)])
      .map(([, w]) => w ?? ""),
  );
  assert.ok(words.size > 3);
  const view = [...sources]
    .filter(([file]) => file.startsWith("overview/"))
    .map(([, source]) => source)
    .join("\n");
  for (const word of words)
    assert.match(view, new RegExp(`["\`\\s]${word}["\`\\s]`), `the view never says ${word}`);
});

test("commands in texts are there", () => {
  const text = JSON.stringify(manifest.contributes);
  // VS Code makes these of each view.
  const known = [...names, "mcpSidecar.servers.focus"];
  for (const [, command = ""] of text.matchAll(/(?:command|onCommand):(mcpSidecar[\w.]+)/g)) {
    assert.ok(known.includes(command), command);
  }
});

test("only what is stable is used, of the oldest VS Code that is named", () => {
  assert.equal(manifest.enabledApiProposals, undefined);
  const oldest = manifest.engines.vscode.replace(/^\^/, "");
  assert.equal(manifest.devDependencies["@types/vscode"], oldest);
  const installed = JSON.parse(
    readFileSync(join(root, "node_modules/@types/vscode/package.json"), "utf8"),
  ) as {
    version: string;
  };
  assert.equal(installed.version, oldest);
  for (const [file, source] of sources) {
    assert.doesNotMatch(source, /declare module ["']vscode["']|vscode\.proposed/, file);
    // A way around the types would also be one around this.
    assert.doesNotMatch(source, /\bvscode as (any|unknown)|as any\b|@ts-(ignore|expect-error|nocheck)/, file);
  }
});

test("it starts when the editor has, and not before", () => {
  // The second is for editors that were open when the window was closed.
  assert.deepEqual(manifest.activationEvents, ["onStartupFinished", "onFileSystem:mcp-sidecar-arguments"]);
});

test("every file that is named is there", () => {
  const files = [...JSON.stringify(manifest).matchAll(/"((?:\.\/)?(?:media|schemas)\/[^"]+)"/g)].map(
    ([, file]) => file ?? "",
  );
  assert.ok(files.length > 0);
  for (const file of files) assert.ok(existsSync(join(root, file)), file);
});

test("every setting has a description, a scope and a default that it allows", () => {
  for (const [name, setting] of settings) {
    assert.ok(setting.markdownDescription, name);
    assert.ok(
      ["window", "application", "machine", "machine-overridable"].includes(setting.scope ?? ""),
      name,
    );
    assert.notEqual(setting.default, undefined, name);
    if (setting.enum === undefined) continue;
    assert.equal(setting.enumDescriptions?.length, setting.enum.length, name);
    assert.ok(setting.enum.includes(setting.default as string), name);
  }
});

test("a restricted workspace cannot say what is run", () => {
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  for (const name of restrictedConfigurations) assert.ok(settings.has(name.replace("mcpSidecar.", "")), name);
  for (const name of ["path", "args", "env"]) {
    assert.ok(restrictedConfigurations.includes(`mcpSidecar.${name}`), name);
  }
});

test("no workspace, not even a trusted one, names servers that start unasked", () => {
  for (const name of ["servers", "discovery.files", "trust.project"]) {
    assert.ok(["machine", "application"].includes(settings.get(name)?.scope ?? ""), name);
  }
});

test("no menu has the same item twice", () => {
  for (const [menu, items] of Object.entries(menus)) {
    const places = items.map(({ command, when, group }: MenuItem) => `${command} ${when} ${group}`);
    assert.deepEqual(places, [...new Set(places)], menu);
  }
});
