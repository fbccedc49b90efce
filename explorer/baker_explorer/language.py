"""Diagnostics of baker-lsp, which checks a text while it is edited."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baker_explorer.tools import start_tool


@dataclass(frozen=True)
class Diagnostic:
    """A message about a part of a text; lines and columns count from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    severity: str
    message: str


def _diagnostic(found: dict[str, Any]) -> Diagnostic:
    begin, end = found["range"]["start"], found["range"]["end"]
    return Diagnostic(
        begin["line"] + 1,
        begin["character"] + 1,
        end["line"] + 1,
        end["character"] + 1,
        "error" if found.get("severity", 1) == 1 else "warning",
        found["message"],
    )


class Language:
    """One baker-lsp. `on_found` is called with a file and its diagnostics."""

    def __init__(
        self, folder: Path, on_found: Callable[[Path, list[Diagnostic]], None]
    ) -> None:
        self._folder = folder
        self._on_found = on_found
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._versions: dict[str, int] = {}

    async def check(self, path: Path, text: str) -> None:
        """Asks for the diagnostics of a text."""
        if self._process is None or self._process.returncode is not None:
            await self._start()
        uri = path.as_uri()
        version = self._versions[uri] = self._versions.get(uri, 0) + 1
        document: dict[str, Any] = {"uri": uri, "version": version}
        if version == 1:
            document |= {"languageId": "baker", "text": text}
            await self._notify("textDocument/didOpen", {"textDocument": document})
        else:
            changes = [{"text": text}]
            await self._notify(
                "textDocument/didChange",
                {"textDocument": document, "contentChanges": changes},
            )

    def stop(self) -> None:
        """Ends the language server."""
        if self._reader:
            self._reader.cancel()
        if self._process and self._process.returncode is None:
            self._process.kill()

    async def _start(self) -> None:
        self._versions.clear()
        self._process = await start_tool("baker-lsp", [], self._folder)
        self._reader = asyncio.create_task(self._read(self._process))
        await self._send({"id": 1, "method": "initialize", "params": {}})
        await self._notify("initialized", {})

    async def _notify(self, method: str, parameters: dict[str, Any]) -> None:
        await self._send({"method": method, "params": parameters})

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._process and self._process.stdin
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        header = f"Content-Length: {len(body)}\r\n\r\n".encode()
        self._process.stdin.write(header + body)
        await self._process.stdin.drain()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout
        while True:
            length = 0
            while (line := await process.stdout.readline()).strip():
                name, _, value = line.decode().partition(":")
                if name.lower() == "content-length":
                    length = int(value)
            if not length:
                return
            message = json.loads(await process.stdout.readexactly(length))
            if message.get("method") == "textDocument/publishDiagnostics":
                found = message["params"]
                path = Path(found["uri"].removeprefix("file://"))
                self._on_found(path, [_diagnostic(d) for d in found["diagnostics"]])
