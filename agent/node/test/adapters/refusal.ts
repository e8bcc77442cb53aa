/**
 * A provider's 400, and what every provider refuses.
 */
export type Json = Record<string, unknown>;

export class Refusal extends Error {}

export function refuse(message: string): never {
  throw new Refusal(message);
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** checkTexts refuses half characters, wherever they are in a request: its body is no UTF-8 with them. */
export function checkTexts(request: unknown): void {
  const text = JSON.stringify(request) ?? "";
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text)) {
    refuse("The request body is not valid JSON: no low surrogate in string");
  }
}

/** checkPdf refuses what is no PDF, in base64. */
export function checkPdf(data: unknown, at: string): void {
  if (!decoded(data, at).startsWith("%PDF-")) refuse(`${at}: The PDF specified was not valid.`);
}

/** decoded is what is in base64, a character for each byte. */
export function decoded(data: unknown, at: string): string {
  if (
    typeof data !== "string" ||
    !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data)
  ) {
    refuse(`${at}: invalid base64 data`);
  }
  return Buffer.from(data, "base64").toString("latin1");
}
