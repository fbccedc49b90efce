"""Stores files by the SHA-256 of their content, and results of steps by their key.

A file gets its name when it is complete. So any number of sweeps may use one
store, and an interrupt leaves no partial file.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from npftrace.sweep.step import Result, Step


@dataclass(frozen=True)
class Outcome:
    """The result of a step whose tool succeeded."""

    #: The digest of each output, by file name.
    outputs: dict[str, str]
    said: str
    seconds: float


def default_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "npftrace"


class Store:
    """A folder of `files/` and `outcomes/`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        for name in ("files", "outcomes"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def path(self, digest: str) -> Path:
        return self.folder / "files" / digest

    def add(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        if not self.path(digest).exists():
            self._write(self.path(digest), data)
        return digest

    def add_file(self, path: Path) -> str:
        return self.add(path.read_bytes())

    def read(self, digest: str) -> bytes:
        return self.path(digest).read_bytes()

    def find(self, step: Step) -> Outcome | None:
        try:
            text = (self.folder / "outcomes" / step.key).read_text()
        except FileNotFoundError:
            return None
        outcome = Outcome(**json.loads(text))
        here = all(self.path(digest).exists() for digest in outcome.outputs.values())
        return outcome if here else None

    def store(self, step: Step, result: Result) -> Outcome:
        outputs = {name: self.add(data) for name, data in result.outputs.items()}
        outcome = Outcome(outputs, result.said, result.seconds)
        text = json.dumps(vars(outcome)).encode()
        self._write(self.folder / "outcomes" / step.key, text)
        return outcome

    def _write(self, path: Path, data: bytes) -> None:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
        os.replace(file.name, path)


def digest_of(paths: Iterable[Path]) -> str:
    """One digest of several files' names and contents."""
    whole = hashlib.sha256()
    for path in sorted(paths):
        data = path.read_bytes()
        whole.update(f"{path.name} {len(data)}\n".encode())
        whole.update(data)
    return whole.hexdigest()
