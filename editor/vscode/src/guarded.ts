/** What nobody waits for may fail, and then the user is told. */
import * as vscode from "vscode";
import { inMessage } from "./text/places.js";

/** guarded says what went wrong, after `lead`, and to `log` if there is one. */
export async function guarded(
  action: () => Promise<void>,
  lead = "",
  log: (message: string) => void = () => {},
): Promise<void> {
  try {
    await action();
  } catch (error) {
    const { message } = error as Error;
    log(message);
    void vscode.window.showErrorMessage(lead + inMessage(message));
  }
}
