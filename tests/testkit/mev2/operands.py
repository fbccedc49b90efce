"""Operand fields, and the rules between the operands of one instruction
(reference, section 3)."""

from __future__ import annotations

from dataclasses import dataclass


class NotAnInstruction(Exception):
    """A code is unassigned or a rule of the machine is broken."""


def require(condition: bool) -> None:
    if not condition:
        raise NotAnInstruction


@dataclass(frozen=True)
class Operand:
    text: str
    #: Kind of source, of which an instruction reads one at most: A, B, literal,
    #: transfer, memory, neighbour; "" for "--".
    kind: str
    value: int = 0
    #: The pointer that it goes through, and "++" or "--".
    pointer: str = ""
    step: str = ""

    @property
    def is_literal(self) -> bool:
        return self.kind == "literal"


NONE = Operand("--", "")
STEPS = {0: "", 2: "++", 4: "--"}


def through(pointer: str, step: str, kind: str) -> Operand:
    return Operand(f"*{pointer}{step}", kind, 0, pointer, step)


def unrestricted(field: int, bank: str, destination: bool = False) -> Operand:
    """Section 3.1. `bank`, A or B, is that of the port or of the destination."""
    low = field & 0x1F
    if field >= 0x300:
        if destination:
            require(field == 0x300)
            return NONE
        return Operand(hex(field & 0xFF), "literal", field & 0xFF)
    if field < 0x20:
        return Operand(f"{bank.lower()}{low}", bank, low)
    if 0x80 <= field < 0x100:
        return Operand(f"@{bank.lower()}{field & 0x7F}", bank, field & 0x7F)
    if field in (0x100, 0x102, 0x104):
        return through("$$index", STEPS[field & 7], "transfer")
    if field in (0x140, 0x142, 0x144):
        return through("$index", STEPS[field & 7], "transfer")
    if 0x180 <= field < 0x1A0:
        return Operand(f"${low}", "transfer", low)
    if 0x1C0 <= field < 0x1E0:
        return Operand(f"$${low}", "transfer", low)
    if 0x200 <= field < 0x240:
        pointer = f"l$index{field >> 5 & 1}"
        if low < 0x10:
            return Operand(f"*{pointer}[{low}]", "memory", low, pointer)
        require(low in (0x10, 0x11))
        return through(pointer, "++" if low == 0x10 else "--", "memory")
    if field in (0x241, 0x243):
        return ring(field == 0x243, destination)
    require(0x280 <= field < 0x2A0)
    return Operand(f"n${low}", "neighbour", low)


def ring(increments: bool, destination: bool) -> Operand:
    """The next-neighbour ring is written with ++ only."""
    require(increments or not destination)
    return through("n$index", "++" if increments else "", "neighbour")


def restricted(
    field: int, bank: str, high: int = 0, destination: bool = False
) -> Operand:
    """Section 3.2. `high` is bit 7 of a literal, where the format has it."""
    low = field & 0x1F
    if field & 0x20:
        if destination:
            require(field == 0x20)
            return NONE
        value = low | field >> 6 << 5 | high << 7
        return Operand(hex(value), "literal", value)
    if field < 0x20:
        return Operand(f"{bank.lower()}{low}", bank, low)
    if field in (0x40, 0x42, 0x44):
        return through("$index", STEPS[field & 7], "transfer")
    if field in (0x48, 0x4A, 0x4C):
        return through("$$index", STEPS[field & 7], "transfer")
    if field in (0x41, 0x43):
        return ring(field == 0x43, destination)
    if 0x50 <= field < 0x60:
        pointer = f"l$index{field >> 3 & 1}"
        return Operand(f"*{pointer}[{field & 7}]", "memory", field & 7, pointer)
    require(field >= 0x80)
    return Operand(f"{'$$' if field >= 0xC0 else '$'}{low}", "transfer", low)


def check_sources(a: Operand, b: Operand) -> None:
    """Section 3.3: two sources are of different kinds."""
    require(not a.kind or a.kind != b.kind)


def check_steps(destination: Operand, *sources: Operand) -> None:
    """Section 8: one pointer is not changed in two ways."""
    for source in sources:
        same = source.pointer == destination.pointer != ""
        differ = source.step and destination.step and source.step != destination.step
        # The neighbour ring is written and read by two pointers.
        require(not (same and differ))
