"""Rule sets of any size from a parameter file of ClassBench (Taylor and Turner,
"ClassBench: a packet classification benchmark", 2005), in ClassBench's format.

A parameter file has the shares of the protocols, of the port classes by protocol, of
the prefix lengths by port class, and how the prefixes of real rules branch, level by
level. The rules here follow these shares. Rules that were drawn before are drawn
again, and the more specific rule comes first.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from npftrace.tables.classbench import read_classbench
from npftrace.tables.rules import Rule

#: The port classes, source then destination, in the order of their columns.
CLASSES = [
    "wc_wc", "wc_hi", "hi_wc", "hi_hi", "wc_lo", "lo_wc", "hi_lo", "lo_hi", "lo_lo",
    "wc_ar", "ar_wc", "hi_ar", "ar_hi", "wc_em", "em_wc", "hi_em", "em_hi", "lo_ar",
    "ar_lo", "lo_em", "em_lo", "ar_ar", "ar_em", "em_ar", "em_em",
]  # fmt: skip
#: The ports of a class that needs no list.
PORTS = {"wc": "0:65535", "hi": "1024:65535", "lo": "0:1023"}
#: Draws per rule that is asked for, before a set remains smaller.
DRAWS = 2
#: What ClassBench calls smoothness: how much skew of the first levels is evened out,
#: so that a set of 10,000 rules has more different addresses than the original's
#: hundreds; 2 a level that does not branch.
SMOOTHNESS = 8.0

NO_FLAGS = "0x0000/0x0000"

Shares = list[tuple[str, float]]


def drawn(shares: Shares, rng: random.Random) -> str:
    return rng.choices([x for x, _ in shares], [share for _, share in shares])[0]


class Node:
    """A prefix of a field: the likelier bit after it, and how likely it is."""

    __slots__ = ("bit", "child", "heavy", "is_end")

    def __init__(self, both: float, skew: float, rng: random.Random) -> None:
        self.bit = rng.getrandbits(1)
        self.heavy = 1 / (2 - skew) if rng.random() < both else 1.0
        self.child: list[Node | None] = [None, None]
        self.is_end = False


class Branching:
    """The prefixes of one field: a binary tree whose nodes branch as the file says."""

    def __init__(self, lines: Sequence[str], nesting: int, rng: random.Random) -> None:
        rows = [line.split() for line in lines]
        self.level = [(float(row[2]), float(row[3])) for row in rows]
        left = SMOOTHNESS
        for n, (both, skew) in enumerate(self.level):
            left -= 2 * (1 - both + skew * both)
            if left < 0:
                break
            self.level[n] = (1.0, 0.0)
        self.nesting, self.rng = nesting, rng
        self.root = Node(*self.level[0], rng)

    def walk(
        self, length: int, other: int | None, alike: Sequence[float]
    ) -> tuple[int, int, Node]:
        """A prefix, and how many shorter ones contain it. Its bits are those of
        `other` as far as the fields correlate."""
        prefix = above = 0
        at = self.root
        for level in range(length):
            above += at.is_end
            bit = at.bit
            if at.heavy < 1 and self.rng.random() >= at.heavy:
                bit = 1 - bit
            if other is not None:
                if self.rng.random() < alike[level]:
                    bit = other >> 31 - level & 1
                else:
                    other = None
            prefix = prefix << 1 | bit
            child = at.child[bit]
            if child is None:
                child = at.child[bit] = Node(*self.level[level + 1], self.rng)
            at = child
        return prefix, above, at

    def prefix(self, length: int, other: int | None, alike: Sequence[float]) -> int:
        for _ in range(3):
            found, above, end = self.walk(length, other, alike)
            if above < self.nesting:
                break
        end.is_end = True
        return found << 32 - length


def sections(seed: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in seed.read_text().splitlines():
        if line.startswith("-"):
            found[line[1:].strip()] = current = []
        elif line.strip() and not line.startswith("#"):
            current.append(line)
    return found


def listed(lines: Sequence[str]) -> Shares:
    return [(ports, float(share)) for share, ports in map(str.split, lines)]


def lengths(lines: Sequence[str]) -> Shares:
    """Pairs of prefix lengths, "SOURCE DESTINATION", with their shares."""
    pairs = []
    for line in lines:
        first, *parts = line.split()
        total, share = first.split(",")
        for part in parts:
            source, of_total = part.split(",")
            pair = f"{source} {int(total) - int(source)}"
            pairs.append((pair, float(share) * float(of_total)))
    return pairs


def make_rules(seed: Path, count: int, draw: int = 1) -> list[str]:
    """At most `count` different rules like those of a parameter file."""
    of, rng = sections(seed), random.Random(draw)
    protocols = [line.split() for line in of["prots"]]
    shares = [(row[0], float(row[1])) for row in protocols]
    classes = {
        row[0]: list(zip(CLASSES, map(float, row[2:]), strict=True))
        for row in protocols
    }
    flags = {
        line.split()[0]: [
            (value, float(share))
            for value, share in (part.split(",") for part in line.split()[1:])
        ]
        for line in of["flags"]
    }
    pairs = {name: lengths(of[name]) for name in CLASSES}
    ports = {name: listed(of[name]) for name in ("spar", "spem", "dpar", "dpem")}
    source = Branching(of["sskew"], int(of["snest"][0]), rng)
    destination = Branching(of["dskew"], int(of["dnest"][0]), rng)
    alike = [float(line.split()[1]) for line in of["pcorr"]]
    found: dict[str, int] = {}
    for _ in range(DRAWS * count):
        if len(found) == count:
            break
        protocol = drawn(shares, rng)
        kind = drawn(classes[protocol], rng)
        if not pairs[kind]:
            continue
        bits = [int(n) for n in drawn(pairs[kind], rng).split()]
        src = source.prefix(bits[0], None, alike)
        dst = destination.prefix(bits[1], src if bits[0] else None, alike)
        fields = [f"@{dotted(src)}/{bits[0]}", f"{dotted(dst)}/{bits[1]}"]
        for side, name in zip("sd", kind.split("_"), strict=True):
            range_ = PORTS.get(name) or drawn(ports[f"{side}p{name}"], rng)
            fields.append(range_.replace(":", " : "))
        number = int(protocol)
        fields.append(f"0x{number:02X}/0x{'FF' if number else '00'}")
        value = drawn(flags.get(protocol) or [(NO_FLAGS, 1.0)], rng)
        fields.append(of_firewall(value) if number in (1, 6) else NO_FLAGS)
        found.setdefault("\t".join(fields), -sum(bits))
    return sorted(found, key=lambda rule: found[rule])


def read_rules(seed: Path, count: int) -> list[Rule]:
    """The same as `make_rules`, as npftrace has rules."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("\n".join(make_rules(seed, count)) + "\n")
        file.flush()
        return read_classbench(Path(file.name))


def of_firewall(flags: str) -> str:
    """TCP's flags or ICMP's type. apps/firewall has no rules for ICMP's code."""
    value, mask = (int(word, 16) & 0xFF00 for word in flags.split("/"))
    return f"0x{value:04x}/0x{mask:04x}"


def dotted(address: int) -> str:
    return ".".join(str(address >> s & 255) for s in (24, 16, 8, 0))
