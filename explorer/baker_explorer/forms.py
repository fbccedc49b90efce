"""The module after each pass, and what a pass changed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from baker_explorer.listings import Listing, dialect

_NAME = re.compile(r"^(.*)-(\d\d)-(.*)\.mlir$")
_VALUE = re.compile(r"%[\w#]+|\^bb\d+")


@dataclass(frozen=True)
class Step:
    """A pass over a program; `program` is "program", a core or an aggregate."""

    program: str
    number: int
    name: str
    path: Path

    @property
    def title(self) -> str:
        return f"{self.program}: after {self.name}"


def steps(folder: Path) -> list[Step]:
    """The files of `bakerc --dump-passes=folder` in the order of the passes: those
    over the whole program, then those of each core."""
    found = []
    for path in folder.glob("*.mlir"):
        if name := _NAME.match(path.name):
            found.append(Step(name[1], int(name[2]), name[3], path))
    return sorted(
        found,
        key=lambda s: (
            s.program != "program",
            s.program == "xscale",
            s.program,
            s.number,
        ),
    )


def read(step: Step) -> Listing:
    """The module after a step."""
    return dialect(step.path.read_text())


def changed_lines(before: Listing | None, after: Listing) -> tuple[list[int], int]:
    """The lines, from 1, that a pass wrote, and the number of lines that it removed.
    Names of values do not count, because every pass renumbers them."""
    if before is None:
        return [], 0
    left = Counter(_VALUE.sub("%", line) for line in before.lines)
    new = []
    for number, line in enumerate(after.lines, 1):
        key = _VALUE.sub("%", line)
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(number)
    return new, sum(left.values())
