"""What instructions compute, by the results in rows.txt; the CRC unit and the
CAM by the reference's sections 4.8 and 4.7."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from testkit.mev2.rows import Row

WORD = 0xFFFF_FFFF


class Flags(NamedTuple):
    n: bool
    z: bool
    v: bool
    c: bool


class Sum(NamedTuple):
    """A result with the flags that only additions and subtractions define."""

    value: int
    overflow: bool
    carry: bool


def signed(word: int) -> int:
    return word - (word >> 31 << 32)


def add(x: int, y: int, carry: int = 0) -> Sum:
    exact = signed(x) + signed(y) + carry
    value = (x + y + carry) & WORD
    return Sum(value, exact != signed(value), x + y + carry > WORD)


def sub(x: int, y: int, borrow: int = 0) -> Sum:
    """C is "no borrow" (section 4.9)."""
    exact = signed(x) - signed(y) - borrow
    value = (x - y - borrow) & WORD
    return Sum(value, exact != signed(value), x >= y + borrow)


@dataclass(frozen=True)
class Shift:
    """ "" none, "<<", ">>" or "rot" to the right; with amount None, indirect."""

    kind: str = ""
    amount: int | None = 0

    def text(self) -> str:
        amount = "indirect" if self.amount is None else str(self.amount)
        kind = {"": "", "<<": ", <<", ">>": ", >>", "rot": ", >>rot"}[self.kind]
        return kind + (amount if self.kind else "")

    def count(self, previous_a: int) -> int:
        return previous_a & 31 if self.amount is None else self.amount

    def apply(self, value: int, previous_a: int) -> int:
        n = self.count(previous_a)
        if self.kind == "<<":
            return value << n & WORD
        if self.kind == ">>":
            return value >> n
        return (value >> n | value << (32 - n)) & WORD


NO_FLAGS = Flags(False, False, False, False)
NO_SHIFT = Shift()


@dataclass(frozen=True)
class Inputs:
    """What an instruction finds."""

    a: int = 0
    b: int = 0
    old: int = 0
    #: Of the instruction before it.
    last: int = 0
    count: int = 0
    flags: Flags = NO_FLAGS
    shift: Shift = NO_SHIFT
    #: Other values that the row's result names: mask, literal, before, index …
    more: dict[str, int] = field(default_factory=dict)


def execute(row: Row, inputs: Inputs) -> tuple[int, Flags]:
    """The result and the flags after it. V and C are the old ones where the row
    does not define them."""
    n = inputs.shift.count(inputs.count)

    def fill(b: int, sign: int) -> int:
        return b >> n | (WORD << (32 - n) if sign >> 31 else 0)

    names: dict[str, Any] = {
        "a": inputs.a, "b": inputs.b, "old": inputs.old, "last": inputs.last,
        "c": int(inputs.flags.c), "add": add, "sub": sub,
        "shift": lambda b: inputs.shift.apply(b, inputs.count),
        "signed": fill,
        "double": lambda a, b: (a << 32 | b) >> n,
        "ones": int.bit_count,
        "lowest": lambda b: (b & -b).bit_length() - 1 if b else 0,
        **inputs.more,
    }  # fmt: skip
    result = eval(row.result, {}, names)
    flags = inputs.flags
    if isinstance(result, Sum):
        flags = flags._replace(v=result.overflow, c=result.carry)
        result = result.value
    value = int(result) & WORD
    if "N" in row.flags:
        flags = flags._replace(n=bool(value >> 31), z=value == 0)
    return value, flags


def is_taken(row: Row, flags: Flags, **operands: int) -> bool:
    return bool(eval(row.result, {}, {**flags._asdict(), **operands}))


#
# CRC
#

#: Bits and polynomial of a remainder.
POLYNOMIALS = {"crc_ccitt": (16, 0x1021), "crc_32": (32, 0x04C11DB7)}
#: Numbers of the bytes that each option takes.
CRC_BYTES = {
    "": (0, 1, 2, 3),
    "bytes_1_3": (1, 2, 3),
    "bytes_2_3": (2, 3),
    "byte_3": (3,),
    "bytes_0_2": (0, 1, 2),
    "bytes_0_1": (0, 1),
    "byte_0": (0,),
}


def crc(
    remainder: int, word: int, kind: str, order: str, option: str, swaps: bool
) -> int:
    """Bytes are numbered from the most significant end, or for `le` from the
    least significant one."""
    width, polynomial = POLYNOMIALS[kind]
    data = word.to_bytes(4, "big" if order == "be" else "little")
    for number in CRC_BYTES[option]:
        byte = data[number]
        if swaps:
            byte = int(f"{byte:08b}"[::-1], 2)
        remainder ^= byte << (width - 8)
        for _ in range(8):
            carries = remainder >> (width - 1) & 1
            remainder = (remainder << 1 & (1 << width) - 1) ^ carries * polynomial
    return remainder


#
# CAM
#


@dataclass
class Cam:
    tags: list[int] = field(default_factory=lambda: [0] * 16)
    states: list[int] = field(default_factory=lambda: [0] * 16)
    #: Entries, the least recently used one first.
    order: list[int] = field(default_factory=lambda: list(range(16)))

    def use(self, entry: int) -> None:
        self.order.remove(entry)
        self.order.append(entry)

    def lookup(self, tag: int) -> int:
        """State at 11:8, hit at 7, entry at 6:3."""
        if tag not in self.tags:
            return self.order[0] << 3
        entry = self.tags.index(tag)
        self.use(entry)
        return self.states[entry] << 8 | 1 << 7 | entry << 3

    def write(self, entry: int, tag: int, state: int) -> None:
        self.tags[entry], self.states[entry] = tag, state
        self.use(entry)
