/**
 * Draws media/icon.png from media/icon.svg with a browser: galleries take no SVG as an icon.
 *
 *     node icon.mjs [chromium]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const media = fileURLToPath(new URL("media/", import.meta.url));
const profile = mkdtempSync(join(tmpdir(), "icon-"));
try {
  const browser = process.argv[2] ?? process.env.CHROMIUM ?? "chromium";
  const flags = [
    "--headless",
    "--no-sandbox",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--window-size=256,256",
    "--default-background-color=00000000",
    `--user-data-dir=${profile}`,
    `--screenshot=${media}icon.png`,
    pathToFileURL(`${media}icon.svg`).href,
  ];
  execFileSync(browser, flags, { stdio: "ignore" });
} finally {
  rmSync(profile, { recursive: true, force: true });
}
