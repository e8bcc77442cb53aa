/**
 * VS Code's own agent in a window, signed out, with the model of model/extension.ts. A question is a script:
 * `call TOOL {…}`, a line for each call.
 */
import { existsSync, readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import type { Turn } from "../model/extension.js";
import { until } from "./patience.js";
import type { Window } from "./window.js";

export class Chat {
  #looks = 0;

  private constructor(readonly window: Window) {}

  /** open switches the agent on. VS Code does so when a model other than its own is there, and was looked at. */
  static async open(window: Window): Promise<Chat> {
    const chat = new Chat(window);
    await window.command("Chat: Manage Language Models");
    await window.page.locator(".models-widget", { hasText: "Scripted One" }).waitFor();
    await window.page.locator(".monaco-modal-editor-block .codicon-close").last().click();
    await window.page.keyboard.press("Control+Alt+I");
    await window.page.locator(".chat-input-picker-label", { hasText: "Scripted One" }).first().waitFor();
    return chat;
  }

  /** ask asks, and gives the tools that the model was offered in the first turn of it. */
  async ask(script: string): Promise<string[]> {
    const before = this.turns().length;
    const { page } = this.window;
    await page.locator(".interactive-session .chat-input-container .monaco-editor").first().click();
    await page.keyboard.insertText(script);
    await page.keyboard.press("Enter");
    const turn = await until("the model to be asked", () => this.turns()[before]);
    return turn.tools;
  }

  /** look is a turn in which nothing is called: it gives the tools that the model was offered. */
  async look(): Promise<string[]> {
    const tools = await this.ask(`look ${++this.#looks}`);
    await this.answered(`Looked ${this.#looks}.`);
    return tools;
  }

  /** confirmation is the question whether a tool may be called. */
  get confirmation(): Locator {
    return this.window.page.locator(".interactive-session .chat-confirmation-widget-container").last();
  }

  /** allow answers it: this call may be made. */
  async allow(): Promise<void> {
    const buttons = this.window.page.locator(".interactive-session").getByRole("button", { name: /^Allow/ });
    await buttons.first().click();
  }

  /** answered waits until the answer says this. */
  async answered(says: string | RegExp): Promise<void> {
    await this.window.page.locator(".interactive-response", { hasText: says }).last().waitFor();
  }

  /** turns are what the model was asked in this window. Those without tools are for titles and summaries. */
  turns(): Turn[] {
    const file = this.window.editor.turnsFile;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const turns = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Turn]));
    return turns.filter(({ folder, tools }) => folder === this.window.project.dir && tools.length > 0);
  }
}
