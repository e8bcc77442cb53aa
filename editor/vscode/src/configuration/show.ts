/** Opening a configuration file at a place that the sidecar named. */
import * as vscode from "vscode";
import { linesOf, placeIn } from "../diagnostics/place.js";

/** show opens a file. The entry that begins there is looked at, not selected: a key would replace it. */
export async function show(path: string, line?: number, column?: number): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  if (line === undefined) return editor;
  const { start } = placeIn(linesOf(document.getText()), line, column);
  const position = new vscode.Position(start.line, start.character);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(
    new vscode.Range(position, position),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
  return editor;
}
