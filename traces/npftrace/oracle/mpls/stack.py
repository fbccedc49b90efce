"""Label stacks (RFC 3032), and what of them chooses among equal-cost paths."""

from typing import NamedTuple

#: Slots of a group, and how many labels of a stack choose among them.
SLOTS, LABELS_FOLDED = 8, 16


class Entry(NamedTuple):
    """A label stack entry."""

    label: int
    exp: int
    bottom: int
    ttl: int


def unpack(data: bytes) -> Entry:
    word = int.from_bytes(data[:4], "big")
    return Entry(word >> 12, word >> 9 & 7, word >> 8 & 1, word & 255)


def pack(entry: Entry) -> bytes:
    label, exp, bottom, ttl = entry
    return (label << 12 | exp << 9 | bottom << 8 | ttl).to_bytes(4, "big")


def stack_bytes(packet: bytes) -> int:
    """The length of the label stack that a packet begins with."""
    at = 0
    while at + 4 <= len(packet) and not unpack(packet[at:]).bottom:
        at += 4
    return at + 4


def slot_of(folded: int) -> int:
    for shift in (16, 8, 4):
        folded ^= folded >> shift
    return folded % SLOTS


def fold_addresses(packet: bytes) -> int:
    """The exclusive or of the words of an IP packet's addresses."""
    begin, end = {4: (12, 20), 6: (8, 40)}.get(packet[0] >> 4 if packet else 0, (0, 0))
    folded = 0
    if len(packet) >= end:
        for at in range(begin, end, 4):
            folded ^= int.from_bytes(packet[at : at + 4], "big")
    return folded


def fold_stack(stack: bytes) -> int:
    """The exclusive or of the labels and of the addresses below them."""
    folded = 0
    for at in range(0, min(len(stack) // 4, LABELS_FOLDED) * 4, 4):
        entry = unpack(stack[at:])
        folded ^= entry.label
        if entry.bottom:
            return folded ^ fold_addresses(stack[at + 4 :])
    return folded
