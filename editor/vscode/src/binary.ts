/** Where the program is: an ordered list of places, the user's own first. See binary.ts of the Node client. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { actual, firstOf, inPath, inVariable, named, program, type Surroundings } from "mcp-sidecar/binary";

/** findBinary gives the path of the program. `setting` is mcpSidecar.path, `extension` the extension's directory. */
export function findBinary(setting: string, extension: string, here: Surroundings = actual()): string {
  const bundled = join(extension, "bin", program(here));
  const places = [
    {
      where: "the setting mcpSidecar.path",
      find: () => (setting === "" ? { why: "empty" } : named(here, setting)),
    },
    inVariable(here),
    {
      where: "the extension",
      find: () => {
        makeExecutable(bundled, here);
        const why = here.unfit(bundled);
        return why === undefined ? { path: bundled } : { why: `${bundled} ${why}` };
      },
    },
    inPath(here),
  ];
  return firstOf(
    places,
    "Install the build of the extension that is for this platform, or say where the program is with the " +
      "setting mcpSidecar.path.",
  );
}

/** makeExecutable mends what a tool that unpacks packages may have lost. Where it cannot, `unfit` says why. */
function makeExecutable(file: string, here: Surroundings): void {
  if (here.platform === "win32" || here.unfit(file) === undefined) return;
  try {
    chmodSync(file, 0o755);
  } catch {
    // It is not there, or not ours.
  }
}
