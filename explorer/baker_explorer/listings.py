"""A program's forms as text, with the source line that each line comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePath


@dataclass
class Listing:
    """The lines of a form. `sources` has for each line the file (its last name) and
    line of the source, or None."""

    lines: list[str]
    sources: list[tuple[str, int] | None] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def lines_of(self, source: tuple[str, int]) -> list[int]:
        """The lines, from 1, that come from a line of the source."""
        return [i for i, found in enumerate(self.sources, 1) if found == source]


def _place(file: str, line: str) -> tuple[str, int]:
    return PurePath(file).name, int(line)


_MICROCODE_PLACE = re.compile(r"; (\S+\.(?:baker|uc)):(\d+)\s*$")


def microcode(text: str) -> Listing:
    """`bakerc --emit=asm`. An instruction without a place belongs to that of the
    instruction before it, up to a label."""
    listing = Listing(text.splitlines())
    place: tuple[str, int] | None = None
    for line in listing.lines:
        found = _MICROCODE_PLACE.search(line)
        if found:
            place = _place(found[1], found[2])
        elif not line.startswith(" "):
            place = None
        listing.sources.append(place if line.startswith(" ") else None)
    return listing


_DEBUG = re.compile(r",? !dbg !(\d+)")
_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+),(.*)\)$")
_SCOPE = re.compile(
    r"^!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock\w*)\((.*)\)$"
)
_FILE = re.compile(r'^!(\d+) = !DIFile\(filename: "([^"]*)"')
_NUMBER = re.compile(r"(\w+): !(\d+)")


def llvm(text: str) -> Listing:
    """`bakerc --emit=llvm`, without its metadata, whose places it applies."""
    files: dict[str, str] = {}
    scopes: dict[str, dict[str, str]] = {}
    locations: dict[str, tuple[int, str]] = {}
    for line in text.splitlines():
        if found := _LOCATION.match(line):
            scope = dict(_NUMBER.findall(found[3])).get("scope", "")
            locations[found[1]] = (int(found[2]), scope)
        elif found := _SCOPE.match(line):
            scopes[found[1]] = dict(_NUMBER.findall(found[2]))
        elif found := _FILE.match(line):
            files[found[1]] = found[2]
    listing = Listing([])
    for line in text.splitlines():
        if line.startswith("!"):
            continue
        number = _DEBUG.search(line)
        place = None
        if number and number[1] in locations:
            source, scope = locations[number[1]]
            of = scopes.get(scope, {})
            file = files.get(of.get("file", ""), "")
            if file and source:
                place = _place(file, str(source))
        listing.lines.append(_DEBUG.sub("", line))
        listing.sources.append(place)
    while listing.lines and not listing.lines[-1].strip():
        listing.lines.pop()
        listing.sources.pop()
    return listing


_MLIR_PLACE = re.compile(r"\s*loc\((.*)\)\s*$")
_MLIR_FILE = re.compile(r'"([^"]+)":(\d+):\d+')


def dialect(text: str) -> Listing:
    """A module of the baker dialect, printed with its places, which are taken out."""
    listing = Listing([])
    for line in text.splitlines():
        place = None
        if found := _MLIR_PLACE.search(line):
            line = line[: found.start()]
            if inner := _MLIR_FILE.search(found[1]):
                place = _place(inner[1], inner[2])
        listing.lines.append(line)
        listing.sources.append(place)
    return listing


_TREE_PLACE = re.compile(r"  @(\S+):(\d+)$")


def tree(text: str) -> Listing:
    """`bakerc --emit=ast`."""
    listing = Listing([])
    for line in text.splitlines():
        place = None
        if found := _TREE_PLACE.search(line):
            line = line[: found.start()]
            place = _place(found[1], found[2])
        listing.lines.append(line)
        listing.sources.append(place)
    return listing
