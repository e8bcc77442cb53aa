package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// renderPythonRequests writes the method `request` of the Python clients, with
// one overload for each request of a host: what in TypeScript is the type
// HostRequests.
func renderPythonRequests(p *protocol) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", generated)
	b.WriteString(`"""Every request of the protocol, by the name of its method, with the types of its params and result.

The methods of SidecarClient are for those that most programs need; this is the way to all others:

>>> await sidecar.request("mcp/servers")
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, overload

from .protocol_gen import (
`)
	for _, name := range namesInRequests(p) {
		fmt.Fprintf(&b, "    %s,\n", name)
	}
	b.WriteString(")\n")
	pythonRequests(&b, p, "Requests", "The requests of a client that awaits their answers.", "async def", "await ")
	pythonRequests(&b, p, "SyncRequests", "The requests of a client that blocks until they are answered.", "def", "")
	return b.Bytes(), nil
}

func pythonRequests(b *bytes.Buffer, p *protocol, name, doc, def, await string) {
	fmt.Fprintf(b, "\n\nclass %s:\n    \"\"\"%s\"\"\"\n\n", name, doc)
	for _, m := range requestsOfHosts(p) {
		given := ""
		if !needsParams(p, m) {
			given = " = ..."
		}
		fmt.Fprintf(b, "    @overload\n    %s request(\n        self, method: Literal[%q], params: %s%s, /\n    ) -> %s: ...\n",
			def, m.wire, m.params, given, m.result)
	}
	fmt.Fprintf(b, `    %[1]s request(self, method: str, params: Any = None, /) -> Any:
        """Asks, and gives the result. One that carries a set of tools takes effect, whoever asks."""
        return %[2]sself.request_any(method, {} if params is None else params)

    %[1]s request_any(self, method: str, params: Mapping[str, Any]) -> Any:
        """Asks something that the protocol of this package does not know, or has no types for."""
        raise NotImplementedError
`, def, await)
}

func requestsOfHosts(p *protocol) []method {
	return slices.DeleteFunc(slices.Clone(p.methods), func(m method) bool { return !m.fromHost() || m.isNotified() })
}

// namesInRequests are the types of params and results, sorted as ruff does.
func namesInRequests(p *protocol) []string {
	var names []string
	for _, m := range requestsOfHosts(p) {
		names = append(names, m.params, m.result)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return slices.Compact(names)
}

// needsParams: is there a member that cannot be left out?
func needsParams(p *protocol, m method) bool {
	return slices.ContainsFunc(p.types, func(t wireType) bool {
		return t.name == m.params && slices.ContainsFunc(t.fields, func(f field) bool { return !f.optional })
	})
}
