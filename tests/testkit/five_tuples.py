"""Rules of five fields and TCP's flags as entries of a declared table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npftrace.frames.wire import ipv4_text
from npftrace.tables.rules import ANY_PROTOCOL, Rule

#: The key of the table, and its fields cut out of `ph->k`, of so many bits.
KEY = (
    "ternary u32 src; ternary u32 dst; range u16 sport; range u16 dport; "
    "ternary u8 kind; ternary u8 flags;"
)
WIDTHS = (32, 32, 16, 16, 8, 8)
BITS = sum(WIDTHS)
FIND = ", ".join(
    f"(u{width})(ph->k >> {BITS - sum(WIDTHS[: i + 1])})"
    for i, width in enumerate(WIDTHS)
)


def distinct(rules: Sequence[Rule]) -> list[Rule]:
    """Rules in order, without those that match what one before them matches."""
    return list(dict.fromkeys(rules))


def arguments(rule: Rule, priority: int) -> str:
    """The key of `rule` as a call of `add` takes it."""

    def prefix(address: int, length: int) -> str:
        mask = 0xFFFFFFFF << (32 - length) & 0xFFFFFFFF
        return f"{ipv4_text(address)} & {ipv4_text(mask)}"

    protocol = "any" if rule.protocol == ANY_PROTOCOL else str(rule.protocol)
    return (
        f"{prefix(rule.src, rule.src_length)}, {prefix(rule.dst, rule.dst_length)}, "
        f"{rule.sports[0]}..{rule.sports[1]}, {rule.dports[0]}..{rule.dports[1]}, "
        f"{protocol}, {rule.flags[0]} & {rule.flags[1]}, {priority}"
    )


def adds(rules: Sequence[Rule]) -> list[str]:
    """Calls that fill the table; the first rule has the highest priority, and the
    value of an entry is the number of its rule."""
    return [
        f"t.add({arguments(rule, len(rules) - i)}, {i})" for i, rule in enumerate(rules)
    ]


def key_of(rule: Rule, rng: np.random.Generator) -> tuple[int, ...]:
    """The fields of a packet that matches a rule."""
    noise = [int(rng.integers(1 << 32)) for _ in range(4)]
    protocol = noise[2] & 255 if rule.protocol == ANY_PROTOCOL else rule.protocol
    value, mask = rule.flags
    return (
        rule.src | noise[0] & 0xFFFFFFFF >> rule.src_length,
        rule.dst | noise[1] & 0xFFFFFFFF >> rule.dst_length,
        int(rng.integers(rule.sports[0], rule.sports[1] + 1)),
        int(rng.integers(rule.dports[0], rule.dports[1] + 1)),
        protocol,
        value | noise[3] & 255 & ~mask,
    )


def packed(key: Sequence[int]) -> int:
    """The fields as one number of BITS bits."""
    number = 0
    for width, value in zip(WIDTHS, key, strict=True):
        number = number << width | value
    return number


def first_match(rules: Sequence[Rule], key: Sequence[int]) -> int | None:
    """The number of the first rule that matches."""
    src, dst, sport, dport, protocol, flags = key
    for number, rule in enumerate(rules):
        if (
            (src ^ rule.src) >> (32 - rule.src_length) == 0
            and (dst ^ rule.dst) >> (32 - rule.dst_length) == 0
            and rule.sports[0] <= sport <= rule.sports[1]
            and rule.dports[0] <= dport <= rule.dports[1]
            and rule.protocol in (ANY_PROTOCOL, protocol)
            and flags & rule.flags[1] == rule.flags[0]
        ):
            return number
    return None
