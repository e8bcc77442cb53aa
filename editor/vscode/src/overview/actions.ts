/** What can be done now, the problems first: what a click on the status bar offers. Pure. */
import { counted } from "../text/words.js";
import type { View } from "../view.js";
import { fileErrors } from "./file_errors.js";
import { type Kind, look, type Step } from "./phases.js";
import { serverItem } from "./server_item.js";

export interface Action {
  readonly group: string;
  /** icon is the id of a ThemeIcon. */
  readonly icon: string;
  readonly title: string;
  readonly description?: string;
  readonly command: string;
  /** argument is the name of the server that it is about, or whatever the command takes. */
  readonly argument?: string;
}

const PROBLEMS: readonly Kind[] = ["failed", "ask", "retry"];
/** Problems that are listed, so that the other actions stay in reach. */
const LISTED = 8;

/** actionsOf: `off` are the servers and tools that the user has switched off. */
export function actionsOf(view: View, off: readonly string[]): Action[] {
  return [...ofFiles(view), ...problems(view, off), ...general(view)];
}

/** ofFiles: all of them are in the list that the editor has of such. */
function ofFiles(view: View): Action[] {
  const [first, ...others] = fileErrors(view);
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : `, and ${counted(others.length, "more file", "more files")}`;
  return [
    {
      group: "Problems",
      icon: "error",
      title: "Show Problems in Files",
      description: first + more,
      command: "workbench.actions.view.problems",
    },
  ];
}

function problems({ servers, errors }: View, off: readonly string[]): Action[] {
  const shown = servers.map((server) => {
    const switchedOff = off.includes(server.name);
    return {
      server,
      look: look(server, switchedOff),
      item: serverItem(server, { off: switchedOff, errors }),
    };
  });
  return PROBLEMS.flatMap((kind) => shown.filter(({ look }) => look.kind === kind))
    .slice(0, LISTED)
    .flatMap(({ server, look, item }): Action[] => {
      const about = { group: "Problems", argument: server.name };
      const { step, icon } = look;
      const log = { icon: "output", title: `Show Log: ${item.label}`, command: "mcpSidecar.showServerLog" };
      return [
        ...(step === undefined
          ? []
          : [{ ...about, icon, ...doing(step, item.label), description: item.description }]),
        ...(look.kind === "failed" ? [{ ...about, ...log }] : []),
      ];
    });
}

function doing({ title, command }: Step, server: string): { title: string; command: string } {
  return { title: `${title}: ${server}`, command };
}

const LOG: Action = { group: "Sidecar", icon: "output", title: "Show Log", command: "mcpSidecar.showLog" };

function general({ condition, servers, tools }: View): Action[] {
  switch (condition.kind) {
    case "off":
      return condition.why === "restricted"
        ? [sidecar("shield", "Manage Workspace Trust", "workbench.trust.manage"), LOG]
        : [
            {
              ...sidecar("gear", "Open the Setting", "workbench.action.openSettings"),
              argument: "mcpSidecar.enabled",
            },
            LOG,
          ];
    case "starting":
      return [
        sidecar("list-tree", "Show Servers", "mcpSidecar.servers.focus"),
        LOG,
        sidecar("debug-restart", "Restart the Sidecar", "mcpSidecar.restart"),
      ];
    case "failed":
      return [
        sidecar("debug-restart", "Start the Sidecar Again", "mcpSidecar.restart"),
        LOG,
        { ...sidecar("gear", "Open the Settings", "workbench.action.openSettings"), argument: "mcpSidecar" },
      ];
    case "running":
      return [...ofServers(servers.length > 0, tools.length > 0), ...ofSidecar()];
  }
}

function sidecar(icon: string, title: string, command: string): Action {
  return { group: "Sidecar", icon, title, command };
}

function ofServers(some: boolean, callable: boolean): Action[] {
  const of = (icon: string, title: string, command: string): Action => ({
    group: "Servers",
    icon,
    title,
    command,
  });
  return [
    of("list-tree", "Show Servers", "mcpSidecar.servers.focus"),
    ...(callable ? [of("play", "Call a Tool…", "mcpSidecar.callTool")] : []),
    ...(some
      ? [
          of("debug-start", "Connect Server…", "mcpSidecar.connect"),
          of("debug-stop", "Disconnect Server…", "mcpSidecar.disconnect"),
          of("refresh", "Reload All Servers", "mcpSidecar.reload"),
        ]
      : []),
    of("go-to-file", "Open Configuration…", "mcpSidecar.openConfig"),
  ];
}

function ofSidecar(): Action[] {
  return [
    sidecar("checklist", "Show Report (Doctor)", "mcpSidecar.doctor"),
    LOG,
    sidecar("debug-restart", "Restart the Sidecar", "mcpSidecar.restart"),
  ];
}
