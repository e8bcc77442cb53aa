"""The host's side of mcp-sidecar: all of a user's MCP servers as one set of tools that stays true.

>>> async with Sidecar(cwd=project) as sidecar:
...     for tool in sidecar.tools:
...         print(tool["name"])
...     outcome = await sidecar.call("mcp_files_read_text_file", {"path": "notes.txt"})

- `Sidecar` has a process of its own; `SyncSidecar` is the same for programs without an event loop.
- `SidecarClient` is what they are made of: one session over any `Transport`. It starts nothing.
- `adapters` give the tools to the libraries of models: OpenAI, Anthropic, LangChain.
- `protocol` has all types and codes of the wire.

A project's files can name any command. A host without an `approve` handler has them started unasked: use it
where you trust the files, or ask the user by ``Handlers(approve=...)``, or set
``settings={"trust": {"project": "deny"}}``.
"""

from __future__ import annotations

from .client import SidecarClient
from .errors import (
    BinaryNotFoundError,
    InvalidArgumentError,
    Place,
    ProtocolVersionError,
    ResponseError,
    SidecarClosedError,
    SidecarError,
)
from .event_stream import EventStream
from .events import (
    Closed,
    DiagnosticsChanged,
    ElicitationComplete,
    Event,
    Log,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    StatusChanged,
    ToolsChanged,
)
from .handlers import Handlers
from .mcp import CallOutcome, CallToolResult, ContentBlock, Tool, ToolDefinition
from .process import ProcessTransport
from .sidecar import Sidecar
from .sync import SyncEventStream, SyncSidecar
from .tool_source import ToolSource
from .transport import Transport, TransportListener
from .version import VERSION

__version__ = VERSION

__all__ = [
    "BinaryNotFoundError",
    "CallOutcome",
    "CallToolResult",
    "Closed",
    "ContentBlock",
    "DiagnosticsChanged",
    "ElicitationComplete",
    "Event",
    "EventStream",
    "Handlers",
    "InvalidArgumentError",
    "Log",
    "Place",
    "ProcessTransport",
    "PromptsChanged",
    "ProtocolVersionError",
    "ResourceUpdated",
    "ResourcesChanged",
    "ResponseError",
    "Sidecar",
    "SidecarClient",
    "SidecarClosedError",
    "SidecarError",
    "StatusChanged",
    "SyncEventStream",
    "SyncSidecar",
    "Tool",
    "ToolDefinition",
    "ToolSource",
    "ToolsChanged",
    "Transport",
    "TransportListener",
    "__version__",
]
