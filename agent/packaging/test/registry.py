"""A registry for npm on the loopback address: it has the packed files it is given, and nothing else.

npm is told to use it as its proxy as well. A request for any other place therefore arrives here, is
refused, and stands in `strangers`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import archives


class Registry:
    """The server, and what it was asked for. It serves from a thread of its own until it is closed."""

    def __init__(self, tarballs: Sequence[Path]) -> None:
        self.fetched: list[str] = []  # file names of tarballs, in the order they were asked for
        self.strangers: list[str] = []  # requests for another place than this
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._tarballs = {path.name: path.read_bytes() for path in tarballs}
        self._documents = dict(self._document(path) for path in tarballs)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and frees the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def settings(self, home: Path) -> dict[str, str]:
        """The environment in which npm knows nothing but this registry and a directory of its own."""
        (home / "npmrc").touch()
        (home / "global-npmrc").touch()
        return {
            "npm_config_registry": self.url,
            "npm_config_proxy": self.url,
            "npm_config_https_proxy": self.url,
            "npm_config_noproxy": "127.0.0.1",
            "npm_config_cache": str(home / "npm-cache"),
            "npm_config_userconfig": str(home / "npmrc"),
            "npm_config_globalconfig": str(home / "global-npmrc"),
            "npm_config_fetch_retries": "0",
            "npm_config_update_notifier": "false",
        }

    def answer(self, method: str, target: str) -> bytes | None:
        """The body for a request; None if there is no such thing here."""
        name = unquote(target.removeprefix("/"))
        if method == "GET" and name.startswith("tarballs/"):
            file = name.removeprefix("tarballs/")
            self.fetched.append(file)
            return self._tarballs.get(file)
        if method == "GET" and name in self._documents:
            return json.dumps(self._documents[name]).encode()
        if method == "CONNECT" or not target.startswith("/"):
            self.strangers.append(f"{method} {target}")
        return None  # npm asks for optional peer dependencies too, and gets along without

    def _document(self, path: Path) -> tuple[str, dict[str, Any]]:
        """What a registry says about a package that has one version."""
        manifest = json.loads(archives.read(path)["package/package.json"].text)
        digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
        dist = {"tarball": f"{self.url}/tarballs/{path.name}", "integrity": f"sha512-{digest}"}
        name, version = manifest["name"], manifest["version"]
        versions = {version: manifest | {"dist": dist}}
        return name, {"name": name, "dist-tags": {"latest": version}, "versions": versions}


def _handler(registry: Registry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            body = registry.answer(self.command, self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"{}")))
            self.end_headers()
            self.wfile.write(body or b"{}")

        do_GET = do_POST = do_PUT = do_CONNECT = _reply  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Quiet: the test looks at what was asked."""

    return Handler
