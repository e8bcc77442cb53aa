/** What a program gives, as the JSON text that is sent. */
import { InvalidArgumentError } from "./errors.js";

/**
 * argumentsText is the JSON text of a call's arguments. A string is such a text already, a model's own words,
 * and is sent as it is, with its numbers and the order of its keys: it is only looked at.
 */
export function argumentsText(args: object | string): string {
  return typeof args === "string" ? checked(args) : written(args);
}

/** paramsText is the JSON text of a request's params. */
export function paramsText(method: string, params: object): string {
  for (const [name, value] of Object.entries(params)) {
    if (typeof value !== "number" || Number.isFinite(value)) continue;
    throw new InvalidArgumentError(`${method}: ${name} is ${value}, for which JSON has no word`);
  }
  try {
    return JSON.stringify(params);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new InvalidArgumentError(`${method}: its params cannot be written as JSON: ${why}`, { cause });
  }
}

function checked(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new InvalidArgumentError(`the arguments of the call are not JSON (${why}): ${start(text)}`, {
      cause,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw noObject(text);
  return text;
}

function written(args: object): string {
  let text: string | undefined; // undefined for what JSON has no word for, such as a function
  try {
    text = JSON.stringify(args);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new InvalidArgumentError(`the arguments of the call cannot be written as JSON: ${why}`, { cause });
  }
  if (text === undefined || !text.startsWith("{")) throw noObject(text ?? `a ${typeof args}`);
  return text;
}

function noObject(text: string): InvalidArgumentError {
  return new InvalidArgumentError(`the arguments of a call are a JSON object, not ${start(text)}`);
}

function start(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text === "" ? "an empty text" : text;
}
