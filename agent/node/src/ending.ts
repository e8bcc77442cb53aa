/** What the end of a process, or its failure to start, means to whoever called it: facts in, an error out. */
import { SidecarClosedError } from "./errors.js";
import { tellingOf } from "./tail.js";

/** Ending has the facts about a process that is over, or of no use any more. */
export interface Ending {
  readonly binary: string;
  readonly pid: number;
  /** guest: the process was the way to the session of another program. */
  readonly guest?: boolean | undefined;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  /** spoke: at least one message came. */
  readonly spoke: boolean;
  /** unread is the beginning of what it printed and is no message. */
  readonly unread: string;
  /** fault is what is wrong with what it printed, or that it printed nothing. */
  readonly fault?: string | undefined;
  /** outstayed is what it had done when it was ended for not ending by itself. */
  readonly outstayed?: Outstayed | undefined;
  /** foreign is that the program is built for another machine. */
  readonly foreign?: string | undefined;
  readonly stderr: readonly string[];
}

/** What makes a process useless that goes on. */
export type Outstayed = "closed its input" | "closed its output" | "did not read what it was sent";

/** QUESTION is for who gave no other hint. */
const QUESTION = ". Is it mcp-sidecar?";

/** endingError says what ended the session, what the process last said, and what to do. */
export function endingError(ending: Ending): SidecarClosedError {
  const { exitCode, signal, stderr } = ending;
  return new SidecarClosedError(sentence(ending), { exitCode, signal, stderr });
}

function sentence(ending: Ending): string {
  const { binary, pid, guest = false, spoke, unread, fault, foreign } = ending;
  const said = tellingOf(ending.stderr)
    .map((line) => `\n  stderr: ${line}`)
    .join("");
  if (!spoke && foreign !== undefined) return `${binary} ${foreign}`; // what it said is a shell's confusion
  if (!spoke && unread !== "") {
    return `${binary} does not speak the protocol: it printed ${JSON.stringify(unread)}${said || QUESTION}`;
  }
  if (!spoke && fault !== undefined) return `${binary} ${fault}${said || QUESTION}`;
  const plain = guest ? plainly(ending) : undefined;
  if (plain !== undefined) return plain;
  if (!spoke) return `${binary} ${how(ending)} before it said anything${said || QUESTION}`;
  const what =
    fault === undefined ? how(ending) : `sent what is no message (${fault}): ${JSON.stringify(unread)}`;
  const process = `${binary} (process ${pid}) ${what}`;
  return guest
    ? `the way to the session is gone: ${process}. It may be joined again.${said}`
    : `the sidecar ${process}${said}`;
}

/** plainly is for a guest's process that did as it should: it ends with the session, or was not let in. */
function plainly({ spoke, exitCode, fault, outstayed, stderr }: Ending): string | undefined {
  if (fault !== undefined || outstayed !== undefined) return undefined;
  if (exitCode === 0) {
    return spoke
      ? "the session that was joined has ended: its owner has closed it, or is gone"
      : "cannot join the session: it ended before it said anything";
  }
  const reason = stderr.at(-1); // the last word of a program that ends with an error
  if (spoke || exitCode !== 1 || reason === undefined) return undefined;
  return `cannot join the session: ${reason.replace(/^mcp-sidecar: /, "")}`;
}

function how({ exitCode, signal, outstayed }: Ending): string {
  if (outstayed !== undefined) return `${outstayed} and did not end`;
  if (signal !== undefined) return `was killed by ${signal}`;
  if (exitCode !== undefined) return `ended with exit code ${exitCode}`;
  return "is of no use any more";
}

/** startError says why a program that is there cannot be started. */
export function startError(
  binary: string,
  error: NodeJS.ErrnoException,
  foreign: string | undefined,
): SidecarClosedError {
  const why =
    foreign === undefined ? `: ${REASONS[error.code ?? ""] ?? error.message}` : `, which ${foreign}`;
  return new SidecarClosedError(`cannot start ${binary}${why}`, {}, { cause: error });
}

/** The reasons of the operating system, where its words mislead. */
const REASONS: { readonly [code: string]: string | undefined } = {
  ENOENT: "it needs an interpreter or a loader that is not on this machine (ENOENT)",
  EACCES: "it may not be executed (EACCES)",
};
