"""The files of the checkout and the layer table."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Layer:
    """One row of cmake/Layers.cmake."""

    folder: str
    may_include: frozenset[str]
    outside: frozenset[str]


@cache
def layers() -> dict[str, Layer]:
    text = (ROOT / "cmake/Layers.cmake").read_text()
    rows = re.findall(r'^  "([\w/-]+) *\|([^|"]*)\|([^|"]*)"$', text, re.M)
    return {
        folder: Layer(folder, frozenset(inside.split()), frozenset(outside.split()))
        for folder, inside, outside in rows
    }


@cache
def tracked(*patterns: str) -> tuple[Path, ...]:
    """The tracked files that match, sorted."""
    out = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return tuple(p for p in (ROOT / line for line in out.split()) if p.exists())


@cache
def rooms() -> dict[str, tuple[str, ...]]:
    """The rooms of each folder that has some, bottom-up; "." is the folder."""
    text = (ROOT / "cmake/Layers.cmake").read_text()
    rows = re.findall(r'^  "([\w-]+) *\|([^|"]*)"$', text, re.M)
    return {folder: tuple(names.split()) for folder, names in rows}


def folder_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def row_of(path: str) -> str | None:
    """The layer of a rooted path: the row of its room, if the room has one, else
    that of its folder."""
    parts = path.split("/")
    for length in (2, 1):
        if "/".join(parts[:length]) in layers() and len(parts) > length:
            return "/".join(parts[:length])
    return None


def room_of(path: str) -> str:
    """The room of a rooted path within its row."""
    below = Path(path).relative_to(row_of(path) or "").parts
    return below[0] if len(below) > 1 else "."
