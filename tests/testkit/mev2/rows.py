"""Reads rows.txt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

WORD_BITS = 40


@dataclass(frozen=True)
class Layout:
    """Positions of the fields of a word."""

    mask: int  #: bits that are fixed
    bits: int  #: their values
    #: Field letter: bit numbers from the most significant one.
    fields: dict[str, tuple[int, ...]]

    def get(self, word: int, letter: str) -> int:
        value = 0
        for bit in self.fields[letter]:
            value = value << 1 | word >> bit & 1
        return value

    def put(self, letter: str, value: int) -> int:
        word = 0
        for bit in reversed(self.fields[letter]):
            word |= (value & 1) << bit
            value >>= 1
        assert value == 0, f"{letter} is too narrow"
        return word


@dataclass(frozen=True)
class Row:
    """One instruction."""

    name: str
    layout: str
    fixed: dict[str, int]
    text: str
    result: str = "-"
    flags: str = "-"
    mask: int = 0
    bits: int = 0


@dataclass(frozen=True)
class Command(Row):
    """One memory or I/O command."""

    transfer: str = "none"
    count_max: int = 0
    signals: int = 0
    address: str = "sum"


@dataclass
class Table:
    layouts: dict[str, Layout] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    csrs: dict[int, str] = field(default_factory=dict)
    states: dict[int, str] = field(default_factory=dict)

    def find(self, word: int) -> Row | None:
        """The row whose fixed bits `word` has; the one with most of them, for
        nop is also an immed and cam_clear is nothing else."""
        found = [row for row in self.rows if word & row.mask == row.bits]
        return max(found, key=lambda row: row.mask.bit_count(), default=None)


def layout_of(pattern: str) -> Layout:
    assert len(pattern) == WORD_BITS, pattern
    mask = bits = 0
    fields: dict[str, tuple[int, ...]] = {}
    for index, letter in enumerate(pattern):
        bit = WORD_BITS - 1 - index
        if letter in "01":
            mask |= 1 << bit
            bits |= int(letter) << bit
        else:
            fields[letter] = (*fields.get(letter, ()), bit)
    return Layout(mask, bits, fields)


def fixed_bits(layout: Layout, fixed: dict[str, int]) -> tuple[int, int]:
    mask, bits = layout.mask, layout.bits
    for letter, value in fixed.items():
        mask |= layout.put(letter, (1 << len(layout.fields[letter])) - 1)
        bits |= layout.put(letter, value)
    return mask, bits


def row_of(line: str, layouts: dict[str, Layout]) -> Row:
    parts = [part.strip() for part in line.split("|")]
    name, layout, assignments, text = parts[:4]
    result = line.split("|", 4)[4].rsplit("|", 2)[0].strip()  # may contain "|"
    fixed = {}
    for assignment in assignments.split():
        letter, value = assignment.split("=")
        fixed[letter] = int(value, 0)
    mask, bits = fixed_bits(layouts[layout], fixed)
    return Row(name, layout, fixed, text, result, parts[-2], mask, bits)


def command_of(line: str, layout: Layout) -> Command:
    name, target, token, transfer, count, signals, address, _ = (
        part.strip() for part in line.split("|")
    )
    fixed = {"T": int(target, 16)}
    if token != "-":
        fixed["k"] = int(token)
    if address in ("alu", "data"):
        fixed["g"] = 3
    mask, bits = fixed_bits(layout, fixed)
    count_max = 0 if count == "-" else int(count)
    return Command(
        name, "command", fixed, name.replace(" ", "[") + ("" if " " in name else "["),
        mask=mask, bits=bits, transfer=transfer, count_max=count_max,
        signals=int(signals), address=address,
    )  # fmt: skip


@cache
def table() -> Table:
    result = Table()
    section = ""
    for line in Path(__file__).with_name("rows.txt").read_text().splitlines():
        if re.match(r"\s*(#|$)", line):
            continue
        if line.startswith("["):
            section = line.strip("[]")
        elif section == "layouts":
            name, *nibbles, _ = line.split()
            result.layouts[name] = layout_of("".join(nibbles))
        elif section == "rows":
            result.rows.append(row_of(line, result.layouts))
        elif section == "commands":
            result.rows.append(command_of(line, result.layouts["command"]))
        elif section == "csrs":
            result.csrs[int(line.split()[0], 16)] = line.split()[1]
        else:
            result.states[int(line.split()[0])] = line.split()[1]
    return result
