/** Text of others in the report, whose Markdown is read as it stands: as little is escaped as can be. Pure. */
import { logged } from "../log/logged.js";
import { codeBlock, fenced } from "../text/markdown.js";
import { plain as untitled } from "../text/visible.js";

/**
 * plain escapes what would be markup in the midst of a line, with VS Code's and GitHub's additions: formulas,
 * addresses, people and issues.
 */
export function plain(text: string): string {
  return logged(text).replace(
    /[\\`*[\]<|~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w)|@(?=\w)|#(?=\d)|:(?=\/\/)/gu,
    "\\$&",
  );
}

/** code is a text in the line, as code. In a table the bar ends a cell even there. */
export function code(text: string): string {
  return text === "" ? "" : fenced(logged(text).replaceAll("|", "\\|"));
}

/** block is a text as a block of code. */
export function block(text: string, language = ""): string {
  return codeBlock(untitled(text), language);
}
