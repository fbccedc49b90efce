"""Random tables, random calls that change them, and a model of both.

The calls are those of control files; the model makes only those that a table
accepts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from differential.expressions import Type, random_type, random_value

KINDS = ("exact", "lpm", "ternary", "range")
#: For each field of a key a value, and a length, a mask or a last value; and the
#: priority, which is 0 if the table has none.
Key = tuple[tuple[tuple[int, int], ...], int]
Pools = Callable[["Field"], list[int]]

#: The limit of a table that is searched tuple by tuple.
MANY = 2000
#: Such a table takes entries of any masks up to this number.
ANY_MASKS = 60


@dataclass
class Field:
    name: str
    kind: str
    bits: int

    @property
    def ones(self) -> int:
        return (1 << self.bits) - 1

    @property
    def shift(self) -> int:
        """The place of the bit in which keys often differ."""
        return self.bits * 7 % (min(self.bits, 64) - 1) if self.bits > 1 else 0

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

    def literal(self, pattern: tuple[int, int], of_source: bool = False) -> str:
        first, second = pattern
        dots = " .. " if of_source else ".."
        sign = {"lpm": "/", "ternary": " & ", "range": dots}.get(self.kind)
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
class Entry:
    """The values of an entry, and the mutable field `n` that packets add to."""

    values: tuple[int, ...]
    count: int = 0
    is_miss: bool = False
    #: What look-ups have written: their number, and whether there was one since the
    #: last `expire`, or the entry is new.
    hits: int = 0
    is_idle: bool = False


@dataclass(frozen=True)
class Call:
    """A call that a table accepts, in the state that the calls before it leave."""

    table: Table
    verb: str
    key: Key = ((), 0)
    values: tuple[int, ...] = ()

    def __str__(self) -> str:
        arguments = self.table.key_literals(self.key) if self.key[0] else []
        arguments += [f"x{i}: {value}" for i, value in enumerate(self.values)]
        return f"{self.table.name}.{self.verb}({', '.join(arguments)})"


@dataclass(eq=False)
class Table:
    """A declaration."""

    name: str
    key: list[Field]
    values: list[Type]
    limit: int
    has_count: bool = False
    counters: tuple[str, ...] = ()
    has_idle: bool = False
    #: What a look-up without a match finds.
    miss: tuple[int, ...] = ()
    constants: list[tuple[Key, tuple[int, ...]]] = field(default_factory=list)

    @property
    def entries_max(self) -> int:
        return min(self.limit, ANY_MASKS) if self.limit == MANY else self.limit

    @property
    def has_priority(self) -> bool:
        return any(each.kind in ("ternary", "range") for each in self.key)

    def key_literals(self, key: Key, of_source: bool = False) -> list[str]:
        parts, priority = key
        literals = [
            each.literal(part, of_source)
            for each, part in zip(self.key, parts, strict=True)
        ]
        return literals + [f"priority: {priority}"] * self.has_priority

    def declaration(self) -> list[str]:
        keys = [f"{each.kind} u{each.bits} {each.name};" for each in self.key]
        values = [f"{type_} x{i};" for i, type_ in enumerate(self.values)]
        values += ["mutable u32 n;"] * self.has_count
        lines = [
            f"  table {self.name} {{",
            f"    key {{ {' '.join(keys)} }}",
            f"    value {{ {' '.join(values)} }}",
            f"    size {self.limit};",
        ]
        if self.counters:
            lines.append(
                f"    counters {{ {' '.join(f'{c};' for c in self.counters)} }}"
            )
        lines += ["    idle;"] * self.has_idle
        if self.miss:
            fields = ", ".join(f"x{i}: {value}" for i, value in enumerate(self.miss))
            lines.append(f"    default {{ {fields} }}")
        if self.constants:
            lines.append("    entries {")
            for key, row in self.constants:
                fields = [f"x{i}: {value}" for i, value in enumerate(row)]
                parts = self.key_literals(key, of_source=True) + fields
                lines.append(f"      {{ {', '.join(parts)} }},")
            lines[-1] = lines[-1][:-1]
            lines.append("    }")
        return [*lines, "  }"]

    def told(self, entry: Entry, length: int) -> str:
        """What `dump` tells of an entry after its values. Each look-up is told
        `length` bytes."""
        numbers = {"packets": entry.hits, "bytes": entry.hits * length}
        parts = [f"{k}: {v}" for k, v in numbers.items() if k in self.counters]
        parts += ["idle"] * (self.has_idle and entry.is_idle)
        return ", ".join(parts)

    def random_key(self, rng: random.Random, pools: Pools) -> Key:
        parts = tuple(each.pattern(rng, pools(each)) for each in self.key)
        return parts, rng.randint(0, 3) if self.has_priority else 0

    def random_values(self, rng: random.Random) -> tuple[int, ...]:
        return tuple(random_value(rng, type_) for type_ in self.values)


class State:
    """The entries of a table at one time."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.entries = {key: Entry(row) for key, row in table.constants}
        self.miss = Entry(table.miss or (0,) * len(table.values), is_miss=True)

    def matches(self, packet: Iterable[int]) -> Iterator[tuple[int, Key, Entry]]:
        """All entries that match, with their ranks, the oldest first."""
        fields, searched = self.table.key, list(packet)
        for key, entry in self.entries.items():
            patterns, rank = key
            parts = list(zip(fields, patterns, searched, strict=True))
            if not all(each.matches(pattern, v) for each, pattern, v in parts):
                continue
            if not self.table.has_priority:
                rank = sum(p[1] for each, p, _ in parts if each.kind == "lpm")
            yield rank, key, entry

    def find(self, packet: Iterable[int]) -> Entry | None:
        # The first of those with the highest rank.
        best = max(self.matches(packet), key=lambda match: match[0], default=None)
        return best[2] if best else None

    def entry(self, packet: Iterable[int]) -> Entry:
        """What a pointer from `find` points to."""
        return self.find(packet) or self.miss

    def note(self, packet: Iterable[int]) -> None:
        """A packet looks up this key."""
        if entry := self.find(packet):
            entry.hits += 1
            entry.is_idle = False

    def make(self, call: Call) -> None:
        if call.verb == "clear":
            self.entries.clear()
        elif call.verb == "expire":
            self.entries = {k: e for k, e in self.entries.items() if not e.is_idle}
            for entry in self.entries.values():
                entry.is_idle = True
        elif call.verb == "reset":
            for entry in self.entries.values():
                entry.hits = 0
        elif call.verb == "remove":
            del self.entries[call.key]
        elif call.verb == "change":
            self.entries[call.key].values = call.values
        else:
            assert call.verb == "add" and call.key not in self.entries
            self.entries[call.key] = Entry(call.values)

    def random_call(self, rng: random.Random, pools: Pools) -> Call:
        """A call that the table accepts now, which is also made."""
        table = self.table
        while True:
            verb = rng.choice(("add",) * 20 + ("remove", "change") * 5 + ("clear",))
            if verb == "clear":
                call = Call(table, verb)
            elif verb == "add":
                key = table.random_key(rng, pools)
                if key in self.entries or len(self.entries) == table.entries_max:
                    continue
                call = Call(table, verb, key, table.random_values(rng))
            elif self.entries:
                key = rng.choice(list(self.entries))
                values = table.random_values(rng) if verb == "change" else ()
                call = Call(table, verb, key, values)
            else:
                continue
            self.make(call)
            return call


def random_table(rng: random.Random, name: str, pools: Pools | None = None) -> Table:
    """With `pools` the table may have entries from the start, a default, and counts."""
    shape = rng.choice(("exact", "exact", "lpm", "rules"))
    key = []
    for i in range(rng.randint(1, 4)):
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
    limit = rng.choice((1, 5, 30, 200))
    if shape == "rules" and any(each.kind != "range" for each in key):
        limit = rng.choice((limit, MANY))
    values = [random_type(rng) for _ in range(rng.randint(1, 3))]
    table = Table(name, key, values, limit)
    if pools is None:
        return table
    table.has_count = rng.random() < 0.5
    if rng.random() < 0.4:
        table.miss = table.random_values(rng)
    # Numbers in a source have at most 64 bits.
    if rng.random() < 0.4 and all(each.bits <= 64 for each in key):
        rows = {
            table.random_key(rng, pools): table.random_values(rng)
            for _ in range(min(limit, rng.randint(1, 6)))
        }
        table.constants = list(rows.items())
    return table
