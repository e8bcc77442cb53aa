/** The extension's package.json and sources, for tests. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = process.env.MCP_SIDECAR_TEST_SOURCE ?? process.cwd();

export interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
  readonly icon?: string;
  readonly enablement?: string;
}

export interface MenuItem {
  readonly command?: string;
  readonly submenu?: string;
  readonly when?: string;
  readonly group?: string;
}

export interface Setting {
  readonly type: string | string[];
  readonly default: unknown;
  readonly enum?: string[];
  readonly enumDescriptions?: string[];
  readonly markdownDescription?: string;
  readonly scope?: string;
  readonly order?: number;
}

export interface Manifest {
  readonly engines: { readonly vscode: string };
  readonly main: string;
  readonly icon?: string;
  readonly activationEvents: string[];
  readonly enabledApiProposals?: string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: string[] } };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: Command[];
    readonly menus: Readonly<Record<string, MenuItem[]>>;
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> }[];
    readonly [point: string]: unknown;
  };
}

export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;

/** settings are those of the package, by their names below "mcpSidecar.". */
export const settings = new Map(
  manifest.contributes.configuration.flatMap(({ properties }) =>
    Object.entries(properties).map(
      ([name, setting]) => [name.replace(/^mcpSidecar\./, ""), setting] as const,
    ),
  ),
);

/** sources are the texts of the modules of the extension, by their paths below src. */
export const sources = new Map(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file, readFileSync(join(root, "src", file), "utf8")] as const),
);

/** everything is all of the sources. */
export const everything = [...sources.values()].join("\n");
