/** A quick pick that follows the session: what can be picked comes and goes while it is open. */
import type * as vscode from "vscode";
import type { Session } from "./session.js";

/** A Choice is a row that stands for a name; others are headings. */
export interface Choice extends vscode.QuickPickItem {
  readonly name?: string;
  /** word is another text that means this row, if the user types it. */
  readonly word?: string;
}

/**
 * livePick shows the pick with the rows that there are, anew with each view of the session, and gives the name
 * that was picked. Who types a whole name picks that one, however many others fit.
 */
export function livePick<C extends Choice>(
  session: Session,
  pick: vscode.QuickPick<C>,
  rows: () => readonly C[],
): Promise<string | undefined> {
  const follow = () => {
    const [active] = pick.activeItems;
    pick.items = rows();
    const still = pick.items.filter(({ name }) => name !== undefined && name === active?.name);
    if (still.length > 0) pick.activeItems = still;
  };
  follow();
  pick.keepScrollPosition = true;
  pick.matchOnDescription = true;
  const unlisten = session.on("changed", follow);
  return new Promise((resolve) => {
    pick.onDidChangeValue((value) => {
      const named = pick.items.filter(({ label, word }) => label === value || word === value);
      if (named.length === 1) pick.activeItems = named;
    });
    pick.onDidAccept(() => {
      const name = pick.activeItems[0]?.name;
      if (name === undefined) return;
      resolve(name);
      pick.hide();
    });
    pick.onDidHide(() => {
      unlisten();
      pick.dispose();
      resolve(undefined);
    });
    pick.show();
  });
}
