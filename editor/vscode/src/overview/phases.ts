/** What the phases of a server mean to its user: a word, an icon, and the next step. Pure. */
import type { Phase, Server } from "mcp-sidecar";

/** Kind sorts phases by what they ask of the user. */
export type Kind = "ready" | "busy" | "retry" | "failed" | "ask" | "stopped" | "disabled";

/** Step is what the user can do about it: a command, and how it is called where it is offered. */
export interface Step {
  readonly command: string;
  readonly title: string;
}

export interface Look {
  readonly kind: Kind;
  readonly word: string;
  /** icon and color are ids of a ThemeIcon and of a ThemeColor. */
  readonly icon: string;
  readonly color: string;
  readonly step?: Step;
  /** hint is what to do in the view, in place of the sidecar's own, which names what other hosts have. */
  readonly hint?: string;
}

const GREEN = "testing.iconPassed";
const RED = "problemsErrorIcon.foreground";
const YELLOW = "problemsWarningIcon.foreground";
const BLUE = "problemsInfoIcon.foreground";
const GREY = "disabledForeground";

const CONNECT: Step = { command: "mcpSidecar.connect", title: "Connect" };
const AGAIN: Step = { command: "mcpSidecar.connect", title: "Try Again" };
const EDIT: Step = { command: "mcpSidecar.openConfig", title: "Open Configuration" };
const DECIDE: Step = { command: "mcpSidecar.manageTrust", title: "Decide…" };

const BUSY = { kind: "busy", icon: "loading~spin", color: BLUE } as const;
const FAILED = { kind: "failed", icon: "error", color: RED } as const;
const OFF = { kind: "disabled", icon: "circle-slash", color: GREY } as const;

const LOOKS: { readonly [P in Phase]: Look } = {
  starting: { ...BUSY, word: "starting" },
  initializing: { ...BUSY, word: "connecting" },
  listing: { ...BUSY, word: "listing tools" },
  ready: { kind: "ready", word: "ready", icon: "pass-filled", color: GREEN },
  backoff: { kind: "retry", word: "retrying", icon: "watch", color: YELLOW, step: AGAIN },
  failed: { ...FAILED, word: "failed", step: AGAIN },
  suspended: { ...FAILED, word: "lost too often", step: AGAIN },
  "needs-auth": { kind: "ask", word: "needs sign-in", icon: "key", color: YELLOW, step: EDIT },
  "needs-input": {
    kind: "ask",
    word: "needs input",
    icon: "question",
    color: YELLOW,
    step: CONNECT,
    hint: "Connect asks for it again",
  },
  untrusted: {
    kind: "ask",
    word: "not trusted",
    icon: "shield",
    color: YELLOW,
    step: DECIDE,
    hint: "its shield shows what it would run, and asks whether it may",
  },
  disabled: { ...OFF, word: "off in its file", step: CONNECT },
  invalid: { ...FAILED, word: "invalid entry", step: EDIT },
  stopped: { kind: "stopped", word: "stopped", icon: "circle-outline", color: GREY, step: CONNECT },
  removed: { kind: "stopped", word: "removed", icon: "circle-outline", color: GREY },
};

const BY_STATUS: { readonly [S in Server["status"]]: Omit<Look, "word"> } = {
  connected: LOOKS.ready,
  connecting: BUSY,
  disconnected: { kind: "stopped", icon: "circle-outline", color: GREY, step: CONNECT },
};

/**
 * look is how a server's phase is shown; `off`: the user has switched it off here. A phase of a newer sidecar
 * is shown by the server's status.
 */
export function look({ phase, status }: Pick<Server, "phase" | "status">, off: boolean): Look {
  if (phase === "disabled" && off)
    return { ...OFF, word: "switched off", step: CONNECT, hint: "its checkbox switches it on" };
  return Object.hasOwn(LOOKS, phase) ? LOOKS[phase] : { ...BY_STATUS[status], word: String(phase) };
}

/** Phases in which a person may want an attempt to connect. What is invalid or untrusted is helped otherwise. */
const CONNECTABLE: readonly Phase[] = [
  "backoff",
  "failed",
  "suspended",
  "needs-auth",
  "needs-input",
  "disabled",
  "stopped",
];
const DISCONNECTABLE: readonly Phase[] = ["starting", "initializing", "listing", "ready", "backoff"];

export function connectable({ phase }: Pick<Server, "phase">): boolean {
  return CONNECTABLE.includes(phase);
}

export function disconnectable({ phase }: Pick<Server, "phase">): boolean {
  return DISCONNECTABLE.includes(phase);
}
