"""Random tables, random calls that change them, and a model of both.

A program has a few tables. Each packet holds one key for each table, and gets
the values of the entries that the tables find. The calls are those of control
files, some of them wrong; the model tells which ones a table refuses.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

KINDS = ("exact", "lpm", "ternary", "range")
Key = tuple[tuple[int, int], ...]


@dataclass
class Field:
    name: str
    kind: str
    bits: int

    @property
    def ones(self) -> int:
        return (1 << self.bits) - 1

    def pattern(self, rng: random.Random, pool: list[int]) -> tuple[int, int]:
        """What an entry has: a value and a length, a mask or a last value."""
        value = rng.choice(pool)
        if self.kind == "lpm":
            length = rng.choice((0, self.bits, rng.randint(0, self.bits)))
            return value & ~(self.ones >> length) & self.ones, length
        if self.kind == "ternary":
            mask = rng.choice((0, self.ones, rng.getrandbits(self.bits)))
            return value & mask, mask
        if self.kind == "range":
            return value, min(self.ones, value + rng.choice((0, 1, self.ones)))
        return value, 0

    def matches(self, pattern: tuple[int, int], value: int) -> bool:
        first, second = pattern
        if self.kind == "lpm":
            return (value ^ first) >> (self.bits - second) == 0
        if self.kind == "ternary":
            return value & second == first
        if self.kind == "range":
            return first <= value <= second
        return value == first

    def literal(self, pattern: tuple[int, int]) -> str:
        first, second = pattern
        sign = {"lpm": "/", "ternary": " & ", "range": ".."}.get(self.kind)
        if sign is None:
            return self.number(first)
        return (
            self.number(first)
            + sign
            + (str(second) if self.kind == "lpm" else self.number(second))
        )

    def number(self, value: int) -> str:
        if self.bits <= 64:
            return hex(value)
        words = [value >> shift & 0xFFFF for shift in range(112, -1, -16)]
        return ":".join(f"{word:x}" for word in words)


@dataclass
class Table:
    name: str
    key: list[Field]
    values: list[int]  # widths
    limit: int
    entries: dict[tuple[Key, int], tuple[int, ...]] = field(default_factory=dict)

    @property
    def has_priority(self) -> bool:
        return any(each.kind in ("ternary", "range") for each in self.key)

    def declaration(self) -> str:
        keys = "".join(f" {each.kind} u{each.bits} {each.name};" for each in self.key)
        values = "".join(f" u{bits} x{i};" for i, bits in enumerate(self.values))
        return (
            f"  table {self.name} {{ key {{{keys} }} value {{{values} }}"
            f" size {self.limit}; }}\n"
        )

    def find(self, packet: list[int]) -> tuple[int, ...] | None:
        best: tuple[int, tuple[int, ...]] | None = None
        for (key, priority), values in self.entries.items():
            parts = list(zip(self.key, key, packet, strict=True))
            if not all(each.matches(pattern, v) for each, pattern, v in parts):
                continue
            rank = priority if self.has_priority else 0
            if not self.has_priority:
                rank = sum(p[1] for each, p, _ in parts if each.kind == "lpm")
            if best is None or rank > best[0]:
                best = rank, values
        return best[1] if best else None

    def call(self, rng: random.Random, pools: dict[int, list[int]]) -> str:
        """A random call that the table accepts, which the model makes, too."""
        while True:
            verb = rng.choice(("add",) * 20 + ("remove", "change") * 5 + ("clear",))
            if verb == "clear":
                self.entries.clear()
                return f"{self.name}.clear()"
            if verb == "add":
                key = tuple(each.pattern(rng, pools[each.bits]) for each in self.key)
                priority = rng.randint(0, 3) if self.has_priority else 0
                if (key, priority) in self.entries or len(self.entries) == self.limit:
                    continue
            elif self.entries:
                key, priority = rng.choice(list(self.entries))
            else:
                continue
            arguments = [each.literal(p) for each, p in zip(self.key, key, strict=True)]
            arguments += [f"priority: {priority}"] * self.has_priority
            if verb == "remove":
                del self.entries[key, priority]
            else:
                values = tuple(rng.getrandbits(bits) for bits in self.values)
                self.entries[key, priority] = values
                arguments += [f"x{i}: {v}" for i, v in enumerate(values)]
            return f"{self.name}.{verb}({', '.join(arguments)})"


def random_table(rng: random.Random, name: str) -> Table:
    count = rng.randint(1, 4)
    shape = rng.choice(("exact", "exact", "lpm", "rules"))
    key = []
    for i in range(count):
        kind = "exact"
        if shape == "lpm" and i == 0:
            kind = "lpm"
        elif shape == "rules":
            kind = (
                rng.choice(KINDS[2:]) if i == 0 else rng.choice(("exact", *KINDS[2:]))
            )
        widths = (1, 7, 8, 16, 32) if kind == "range" else (1, 8, 13, 32, 48, 64, 128)
        key.append(Field(f"k{i}", kind, rng.choice(widths)))
    rng.shuffle(key)
    values = [rng.choice((1, 8, 16, 32, 48)) for _ in range(rng.randint(1, 3))]
    limit = rng.choice((1, 5, 30, 200))
    return Table(name, key, values, limit)


@dataclass
class TableCase:
    source: str
    control: str
    frames: list[bytes]
    expected: list[bytes]
    tables: list[Table]  # at the end


def random_case(
    seed: int, packets: int = 40, calls: int = 80, timed: bool = True
) -> TableCase:
    """A program with a control file, its packets, and what it answers. `timed`: the
    tables change between packets."""
    rng = random.Random(seed)
    tables = [random_table(rng, f"t{i}") for i in range(rng.randint(1, 3))]
    pools = {
        each.bits: [
            rng.getrandbits(each.bits) >> rng.choice((0, 0, each.bits // 2))
            for _ in range(12)
        ]
        for table in tables
        for each in table.key
    }
    fields = [(t, each) for t in tables for each in t.key]
    widths = [each.bits for _, each in fields]
    pad = -sum(widths) % 8
    source = "protocol q {\n  head : 112;\n"
    source += "".join(f"  {t.name}_{each.name} : {each.bits};\n" for t, each in fields)
    source += f"  pad : {pad};\n" if pad else ""
    source += f"  answer : 64[{sum(len(t.values) for t in tables)}];\n"
    answers = sum(len(t.values) for t in tables)
    header = 14 + (sum(widths) + pad) // 8 + 8 * answers
    header_pad = max(0, 60 - header)
    source += f"  demux {{ {header} }};\n}}\n"
    source += "module m {\n" + "".join(t.declaration() for t in tables)
    source += (
        "  ppf f { in q_pkt * in_cc; out q_pkt * out_cc; }\n"
        "  wiring { rx -> f.in_cc; f.out_cc -> tx; }\n}\nm.f.ppf(q_pkt * ph) {\n"
    )
    at = 0
    for t in tables:
        keys = ", ".join(f"ph->{t.name}_{each.name}" for each in t.key)
        source += f"  {t.name} * r{t.name} = {t.name}.find({keys});\n"
        for i, _ in enumerate(t.values):
            source += (
                f"  ph->answer[{at}] = r{t.name} ? (u64)r{t.name}->x{i} : "
                "0xffffffffffffffff;\n"
            )
            at += 1
    source += "  ph->metadata.tx.port = 1;\n  channel_put(out_cc, ph);\n}\n"
    control = [rng.choice(tables).call(rng, pools) for _ in range(calls)]
    frames, expected = [], []
    for number in range(packets):
        for _ in range(rng.choice((0, 0, 1, 4)) if timed else 0):
            call = rng.choice(tables).call(rng, pools)
            control.append(f"@packet {number} {call}")
        values = [rng.choice(pools[bits]) for bits in widths]
        if rng.random() < 0.3:
            values = [
                v ^ (1 << rng.randrange(b)) for v, b in zip(values, widths, strict=True)
            ]
        bits = 0
        for value, width in zip(values, widths, strict=True):
            bits = bits << width | value
        head = (
            bytes(12)
            + b"\x12\x34"
            + (bits << pad).to_bytes((sum(widths) + pad) // 8, "big")
        )
        frames.append(head + bytes(8 * answers + header_pad))
        answer, at = b"", 0
        for t in tables:
            found = t.find(values[at : at + len(t.key)])
            at += len(t.key)
            for i, _ in enumerate(t.values):
                answer += (found[i] if found else 2**64 - 1).to_bytes(8, "big")
        expected.append(head + answer + bytes(header_pad))
    return TableCase(source, "\n".join(control) + "\n", frames, expected, tables)
