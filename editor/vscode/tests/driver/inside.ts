/**
 * The part of host.ts that is inside the extension host: it runs the tests of one file by Mocha, and writes down how each
 * has ended. (node:test runs tests once a process is over with its main module, which an extension host never is.)
 */
import { appendFileSync } from "node:fs";
import { basename, join } from "node:path";
import Mocha from "mocha";
import { required } from "./world.js";

/** How a test has ended. */
export interface Report {
  title: string;
  /** Why it failed, with the stack. */
  error?: string;
}

/** inside runs the tests that `load` registers. */
export function inside(file: string, load: () => void): Promise<void> {
  process.setSourceMapsEnabled(true);
  const out = join(required("MCP_SIDECAR_TEST_REPORTS"), basename(file));
  const tell = (report: Report) => appendFileSync(out, `${JSON.stringify(report)}\n`);
  class Reporter {
    constructor(runner: Mocha.Runner) {
      runner.on("pass", (test) => tell({ title: test.fullTitle() }));
      // A hook that fails is told so as well.
      runner.on("fail", (test, error: Error) =>
        tell({ title: test.fullTitle(), error: error.stack ?? String(error) }),
      );
    }
  }
  const mocha = new Mocha({
    ui: "tdd",
    timeout: 60_000,
    reporter: Reporter as unknown as Mocha.ReporterConstructor,
  });
  mocha.suite.emit("pre-require", globalThis, file, mocha);
  load();
  return new Promise((resolve, reject) => {
    mocha.run((failures) => (failures === 0 ? resolve() : reject(new Error(`${failures} tests failed`))));
  });
}
