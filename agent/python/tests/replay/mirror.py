"""What a host must show after each message that it was sent.

A model of its own, made from rpc/PROTOCOL.md ("Keeping the tool set") and from nothing that the client under
test is made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# An event that the host must tell: its name and what it carries.
Told = tuple[str, Any]

# The events of the notifications that are passed on as they are.
_PASSED_ON = {
    "runtime/log": "Log",
    "resources/changed": "ResourcesChanged",
    "resources/updated": "ResourceUpdated",
    "prompts/changed": "PromptsChanged",
    "elicitation/complete": "ElicitationComplete",
}

# The member of an answer that has the snapshot; "" is the answer itself.
_SNAPSHOTS = {
    "runtime/initialize": "snapshot",
    "runtime/configure": "snapshot",
    "mcp/reload": "snapshot",
    "tools/snapshot": "",
}

_REASONS = {"runtime/configure": "configure", "mcp/reload": "reload"}

_STATES = {"live": "live", "cache": "deferred"}


class DialogueError(Exception):
    """The dialogue contradicts itself."""


class Mirror:
    """The host, as far as it can be seen."""

    def __init__(self) -> None:
        self.revision = 0
        self.hash = ""
        self.tools: list[dict[str, Any]] = []
        self.servers: list[dict[str, Any]] = []
        self.errors: list[Any] = []
        self.exa_api_keys: list[str] = []
        self.info: Any = None
        self.methods: list[str] = []
        # A push was missed: the host asks for tools/snapshot, once, and is in the gap until that is answered.
        self.gap = False

    def notified(self, method: str, params: Any) -> list[Told]:
        """Takes a notification, and says what the host must tell its program."""
        if method in _PASSED_ON:
            return [(_PASSED_ON[method], params)]
        if method == "tools/changed":
            return self._push(params)
        if method == "mcp/status":
            return self._status(params)
        if method == "config/diagnostics":
            self.errors = params["errors"]
            return [("DiagnosticsChanged", self.errors)]
        return []

    def answered(self, method: str, result: Any) -> list[Told]:
        """Takes the answer to a request of the host's."""
        if method not in _SNAPSHOTS:
            return []
        if method == "runtime/initialize":
            self.info = result["sidecar"]
            self.methods = result["methods"]
        snapshot = result[_SNAPSHOTS[method]] if _SNAPSHOTS[method] else result
        if snapshot.get("unchanged"):
            return []
        return self._snapshot(snapshot, _REASONS.get(method, "snapshot"))

    def _push(self, push: Mapping[str, Any]) -> list[Told]:
        if push["revision"] <= self.revision:
            return []
        if push["previousRevision"] != self.revision:
            self.gap = True
            return []
        came = [*push["added"], *push["updated"]]
        replaced = {*push["removed"], *(tool["name"] for tool in came)}
        self.tools = _by_name([*(tool for tool in self.tools if tool["name"] not in replaced), *came])
        self.revision = push["revision"]
        self.hash = push["hash"]
        return [self._change({member: push[member] for member in _DIFFERENCE})]

    def _snapshot(self, snapshot: Mapping[str, Any], reason: str) -> list[Told]:
        if snapshot["revision"] < self.revision:
            return []
        before = {tool["name"]: tool for tool in self.tools}
        now = {tool["name"]: tool for tool in snapshot["tools"]}
        added = [tool for name, tool in now.items() if name not in before]
        updated = [tool for name, tool in now.items() if name in before and _differ(before[name], tool)]
        removed = [tool for name, tool in before.items() if name not in now]
        changed = [*added, *updated, *removed]
        if changed and snapshot["revision"] == self.revision:
            raise DialogueError(f"the dialogue tells two sets of tools under revision {self.revision}")
        first = self.revision == 0
        self.revision = snapshot["revision"]
        self.hash = snapshot["hash"]
        self.tools = _by_name(snapshot["tools"])
        self.servers = _by_name(snapshot["servers"])
        self.errors = snapshot["errors"]
        self.exa_api_keys = snapshot.get("exaApiKeys", [])
        if first or not changed:
            return []
        difference = {
            "added": added,
            "updated": updated,
            "removed": [tool["name"] for tool in removed],
            "servers": sorted({tool["server"] for tool in changed}),
            "reason": reason,
        }
        return [self._change(difference)]

    def _change(self, difference: Mapping[str, Any]) -> Told:
        whole = {"tools": self.tools, "revision": self.revision, "hash": self.hash}
        return "ToolsChanged", {**difference, **whole}

    def _status(self, server: dict[str, Any]) -> list[Told]:
        servers = [other for other in self.servers if other["name"] != server["name"]]
        if server["phase"] != "removed":
            servers.append(server)
        self.servers = _by_name(servers)
        state = _STATES.get(server["tools"]["from"])
        if state is not None:
            self.tools = [
                {**tool, "state": state} if tool["server"] == server["name"] else tool for tool in self.tools
            ]
        return [("StatusChanged", server)]


_DIFFERENCE = ("added", "updated", "removed", "servers", "reason")


def _differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two tools of a name differ. Their state alone makes no difference."""
    return {**one, "state": ""} != {**other, "state": ""}


def _by_name(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(items, key=lambda item: str(item["name"]))
