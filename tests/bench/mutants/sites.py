"""A site: a part of a source text that a mutant changes, and its switch.

A site becomes a switch by a list of pieces. A piece is either text, in which
`@` stands for the mutant's number, or an extent of the source, which is copied
with the switches of the sites inside it. `a + 1 < b` with two mutants:

    change<7>((change<8>((a), (1), ...)), (b), ..., ...)
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

#: Bytes [start, end) of a source.
Extent = tuple[int, int]


@dataclass(frozen=True)
class Site:
    """One possible change. All changes of one node have the same extent and kind."""

    start: int
    end: int
    #: What distinguishes nodes of the same extent; a lower one is the outer.
    rank: int
    was: str
    becomes: str
    pieces: tuple[str | Extent, ...]

    @property
    def node(self) -> tuple[int, int, int]:
        return self.start, self.end, self.rank

    @property
    def order(self) -> tuple[int, int, int]:
        """Outer sites come before those inside them."""
        return self.start, -self.end, self.rank


@dataclass(frozen=True)
class Span:
    """Where the switch of a mutant lies in the instrumented text."""

    number: int
    start: int
    end: int


def short(text: bytes, limit: int = 70) -> str:
    """The text on one line, cut."""
    words = " ".join(text.decode(errors="replace").split())
    return words if len(words) <= limit else words[: limit - 3] + "..."


def render(source: bytes, sites: dict[int, Site]) -> tuple[bytes, list[Span]]:
    """The source with the switches of these sites, by mutant number, and where
    each switch lies. A node has one site at most."""
    out: list[bytes] = []
    spans: list[Span] = []
    length = 0

    def put(text: bytes) -> None:
        nonlocal length
        out.append(text)
        length += len(text)

    def copy(extent: Extent, inside: list[tuple[int, Site]]) -> None:
        position, end = extent
        while inside:
            number, site = inside[0]
            put(source[position : site.start])
            nested = [s for s in inside[1:] if s[1].end <= site.end]
            inside = [s for s in inside[1:] if s[1].start >= site.end]
            begin = length
            for piece in site.pieces:
                if isinstance(piece, str):
                    put(piece.replace("@", str(number)).encode())
                else:
                    low, high = piece
                    copy(
                        piece,
                        [s for s in nested if low <= s[1].start and s[1].end <= high],
                    )
            spans.append(Span(number, begin, length))
            position = site.end
        put(source[position:end])

    ordered = sorted(sites.items(), key=lambda item: item[1].order)
    copy((0, len(source)), ordered)
    return b"".join(out), spans


class Lines:
    """Line and column of a byte, both from 1."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.starts = [0, *(i + 1 for i, b in enumerate(text) if b == 0x0A)]

    def at(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column - 1

    def line_of(self, offset: int) -> str:
        """The text of the line that holds the byte."""
        start = self.starts[bisect_right(self.starts, offset) - 1]
        end = self.text.find(b"\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)]
        return line.decode(errors="replace").strip()
