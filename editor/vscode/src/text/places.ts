/** Text of others in places of the editor that read more into it than its characters. Pure. */
import { unmistakable } from "./visible.js";

/** iconless is for quick picks and the status bar, where `$(name)` is an icon, and nothing is seen of a command. */
export function iconless(text: string): string {
  return text.replace(/\\?\$\([A-Za-z0-9~-]+\)/g, (icon) => `\\${icon}`);
}

/** linkless is for messages and prompts, where `[text](address)` is a link, also one that runs a command. */
export function linkless(text: string): string {
  return text.replaceAll("](", "]\\x28");
}

/** inMessage is what somebody decides upon, in a message or a prompt. */
export function inMessage(text: string): string {
  return linkless(unmistakable(text));
}

/** inPick is what somebody decides upon, in a quick pick. */
export function inPick(text: string): string {
  return iconless(unmistakable(text));
}
