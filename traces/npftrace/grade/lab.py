"""A lab's folder: what is handed in, and the rubric by which it is graded.

    01-first-packets/
      README.md           for the student
      lab.yaml            files to hand in; the public lines of the rubric
      starter/            what the student begins with
      tests/              files that the public lines use
      teacher/            missing in a student's tree
        rubric.yaml       the hidden lines
        tests/            files that they use
        solution/
        wrong.yaml        typical wrong solutions, for the tests of the lab

A line of a rubric runs packet tests, or commands whose results it compares:

    - title: It beats the compiler
      points: 3
      run:
        - bakerc ttl.baker -o ttl.ixp
        - ixpsim ttl.ixp --trace=t.pcap --stats=s.json --quiet
      expect:
        - {value: "s.json:per_packet.instructions", at_most: 40}
      says: Fill the delay slots.

A line of packet tests names them under `packets`. `where` lists where they run, and
with `orders: N` the simulator also lets frames arrive together in N orders.

`npftrace.grade.expectations` describes what can be expected. A command reads the
files handed in and those of `tests/` by their names, and what it writes can be
read by later ones. A command that several lines share runs once. `{source}` and
`{build}` in a command are the folders of Karakal's sources and build.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from npftrace.errors import InputError
from npftrace.grade.limits import Limits

LINE_KEYS = {"title", "points", "packets", "where", "orders", "run", "expect", "says"}
LAB_KEYS = {"title", "files", "limits", "lines"}
PLACES_DEFAULT = ("x86",)


@dataclass(frozen=True)
class RubricLine:
    """One line of a rubric. It has packet tests, or commands and expectations."""

    title: str
    points: float
    is_hidden: bool
    packets: tuple[str, ...] = ()
    #: Where packet tests run: `x86` or a level of the compiler.
    places: tuple[str, ...] = PLACES_DEFAULT
    #: In how many orders frames also arrive together, on the simulator.
    orders: int = 0
    commands: tuple[str, ...] = ()
    expectations: tuple[Mapping[str, Any], ...] = ()
    #: What a teacher says to a student whose work fails here.
    says: str = ""


@dataclass(frozen=True)
class Lab:
    """A lab with all that grading needs."""

    folder: Path
    title: str
    #: The names of the files that a student hands in.
    files: tuple[str, ...]
    limits: Limits
    lines: tuple[RubricLine, ...]
    #: Files of the lab that commands may read, by name.
    tests: Mapping[str, Path]

    @property
    def points(self) -> float:
        return sum(line.points for line in self.lines)


def find_lab(name: str, labs: Path) -> Path:
    """The folder of a lab that is named by its folder or by its number in `labs`."""
    folder = Path(name)
    if name.isdigit():
        found = sorted(labs.glob(f"{int(name):02d}-*/lab.yaml"))
        folder = found[0].parent if found else labs / name
    if not (folder / "lab.yaml").is_file():
        message = f"there is no lab '{name}': give its folder, or its number and --labs"
        raise InputError("E-traces-180", message)
    return folder


def read_lab(folder: Path) -> Lab:
    """Reads a lab; InputError if its files are wrong."""
    path = folder / "lab.yaml"
    text = _mapping(path, LAB_KEYS)
    lines = [_line(path, line, False) for line in text.get("lines", [])]
    hidden = folder / "teacher" / "rubric.yaml"
    if hidden.exists():
        more = _mapping(hidden, {"lines"})
        lines += [_line(hidden, line, True) for line in more.get("lines", [])]
    tests = {
        file.name: file
        for part in ("tests", "teacher/tests")
        for file in sorted((folder / part).glob("*"))
        if file.is_file()
    }
    if not lines or not text.get("files"):
        raise InputError("E-traces-181", "a lab needs files and lines", path)
    return Lab(
        folder,
        str(text.get("title", folder.name)),
        tuple(text["files"]),
        _limits(path, text.get("limits", {})),
        tuple(lines),
        tests,
    )


def _mapping(path: Path, keys: set[str]) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError("E-traces-181", f"cannot be read: {error}", path) from error
    if not isinstance(found, dict):
        raise InputError("E-traces-181", "expected keys and values", path)
    unknown = sorted(set(map(str, found)) - keys)
    if unknown:
        message = f"'{unknown[0]}' is not one of {', '.join(sorted(keys))}"
        raise InputError("E-traces-181", message, path)
    return found


def _limits(path: Path, given: Mapping[str, int]) -> Limits:
    known = {field.name for field in fields(Limits)}
    for name in given:
        if name not in known:
            message = f"'{name}' is not one of {', '.join(sorted(known))}"
            raise InputError("E-traces-181", message, path)
    return Limits(**given)


def _line(path: Path, given: Any, is_hidden: bool) -> RubricLine:
    if not isinstance(given, dict) or not set(given) <= LINE_KEYS:
        message = f"a line has only {', '.join(sorted(LINE_KEYS))}: {given}"
        raise InputError("E-traces-181", message, path)
    has_packets = "packets" in given
    has_commands = bool(given.get("expect"))
    if "title" not in given or "points" not in given or has_packets == has_commands:
        message = f"a line needs title, points, and packets or expect: {given}"
        raise InputError("E-traces-181", message, path)
    return RubricLine(
        title=str(given["title"]),
        points=float(given["points"]),
        is_hidden=is_hidden,
        packets=tuple(given.get("packets", ())),
        places=tuple(given.get("where", PLACES_DEFAULT)),
        orders=int(given.get("orders", 0)),
        commands=tuple(given.get("run", ())),
        expectations=tuple(given.get("expect", ())),
        says=str(given.get("says", "")),
    )
