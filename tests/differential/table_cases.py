"""Programs that do nothing but look up random tables, with calls that change the
tables, and the answers that a model gives.

A program has a few tables. Each packet holds its number and one key for each table,
and gets the values of the entries that the tables find.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from differential.tables import Call, Entry, Field, State, Table, random_table

#: A field of an answer that no entry gave.
NOTHING = 2**64 - 1
#: The bytes that a look-up tells a table.
LENGTH = 0x7100_0003
#: Packets of a skewed case until other keys are frequent.
SPELL = 240


@dataclass
class TableCase:
    tables: list[Table]
    #: The searched values of a packet's keys, a list for each table.
    keys: list[list[list[int]]]
    initial: list[Call]
    #: Calls with the number of the packet before which they are made.
    timed: list[tuple[int, Call]]

    # ---- the program and its inputs --------------------------------------

    @property
    def answers(self) -> int:
        return sum(len(table.values) for table in self.tables)

    def source(self) -> str:
        fields = [(t, each) for t in self.tables for each in t.key]
        lines = ["protocol q {", "  head : 112;"]
        lines += [f"  {t.name}_{each.name} : {each.bits};" for t, each in fields]
        if pad := -sum(each.bits for _, each in fields) % 8:
            lines.append(f"  pad : {pad};")
        lines.append(f"  answer : 64[{self.answers}];")
        lines += [f"  demux {{ {len(self.head(0)) + 8 * self.answers} }};", "}"]
        lines.append("module m {")
        for table in self.tables:
            lines += table.declaration()
        lines += [
            "  ppf f { in q_pkt * in_cc; out q_pkt * out_cc; }",
            "  wiring { rx -> f.in_cc; f.out_cc -> tx; }",
            "}",
            "m.f.ppf(q_pkt * ph) {",
        ]
        at = 0
        for t in self.tables:
            keys = ", ".join(f"ph->{t.name}_{each.name}" for each in t.key)
            if "bytes" in t.counters:
                keys += f", {LENGTH:#x}"
            lines.append(f"  {t.name} * r{t.name} = {t.name}.find({keys});")
            for i, _ in enumerate(t.values):
                value = f"r{t.name} ? (u64)r{t.name}->x{i} : {NOTHING:#x}"
                lines.append(f"  ph->answer[{at}] = {value};")
                at += 1
        lines += ["  ph->metadata.tx.port = 1;", "  channel_put(out_cc, ph);", "}"]
        return "\n".join(lines) + "\n"

    def control(self, timed: bool = True) -> str:
        lines = [str(call) for call in self.initial]
        if timed:
            lines += [f"@packet {number} {call}" for number, call in self.timed]
        return "".join(line + "\n" for line in lines)

    def head(self, number: int) -> bytes:
        widths = [each.bits for table in self.tables for each in table.key]
        values = [value for key in self.keys[number] for value in key]
        bits = 0
        for value, width in zip(values, widths, strict=True):
            bits = bits << width | value
        bits <<= -sum(widths) % 8
        keys = bits.to_bytes((sum(widths) + 7) // 8, "big")
        return number.to_bytes(12, "big") + b"\x12\x34" + keys

    def frame(self, number: int, answer: bytes) -> bytes:
        return (self.head(number) + answer).ljust(60, b"\0")

    def frames(self) -> list[bytes]:
        return [self.frame(i, bytes(8 * self.answers)) for i in range(len(self.keys))]

    # ---- what is expected ------------------------------------------------

    def loaded(self) -> dict[str, State]:
        """The tables before the first packet."""
        states = {table.name: State(table) for table in self.tables}
        for call in self.initial:
            states[call.table.name].make(call)
        return states

    def after_all(self) -> dict[str, State]:
        states = self.loaded()
        for _, call in self.timed:
            states[call.table.name].make(call)
        return states

    def expected(self, timed: bool = True) -> list[bytes]:
        return self.outcome(timed)[0]

    def outcome(self, timed: bool = True) -> tuple[list[bytes], dict[str, State]]:
        """The frames that leave, and the tables after the last one."""
        states, calls = self.loaded(), list(self.timed if timed else [])
        frames = []
        for number, keys in enumerate(self.keys):
            while calls and calls[0][0] <= number:
                _, call = calls.pop(0)
                states[call.table.name].make(call)
            pairs = list(zip(self.tables, keys, strict=True))
            answer = b"".join(
                answer_of(states[t.name].find(key), t) for t, key in pairs
            )
            frames.append(self.frame(number, answer))
            for table, key in pairs:
                states[table.name].note(key)
        return frames, states

    def parts(self, frame: bytes) -> Iterator[bytes]:
        """What each table answered."""
        at = len(self.head(0))
        for table in self.tables:
            size = 8 * len(table.values)
            yield frame[at : at + size]
            at += size


def answer_of(entry: Entry | None, table: Table) -> bytes:
    values = entry.values if entry else (NOTHING,) * len(table.values)
    return b"".join((value % 2**64).to_bytes(8, "big") for value in values)


def random_case(
    seed: int,
    packets: int = 40,
    calls: int = 80,
    counters: bool = False,
    skewed: bool = False,
) -> TableCase:
    """`counters`: tables have counters and idle entries, which expire. `skewed`: most
    packets have the keys of one entry for a while, and there are fewer calls."""
    rng = random.Random(seed)
    drawn: dict[int, list[int]] = {}

    def pools(of: Field) -> list[int]:
        if of.bits not in drawn:
            drawn[of.bits] = [
                rng.getrandbits(of.bits) >> rng.choice((0, 0, of.bits // 2))
                for _ in range(12)
            ]
        return drawn[of.bits]

    tables = [random_table(rng, f"t{i}", pools) for i in range(rng.randint(1, 3))]
    for table in tables if counters else []:
        table.counters = rng.choice(
            (("packets",), ("bytes",), ("packets", "bytes"), ("bytes", "packets"), ())
        )
        table.has_idle = not table.counters or rng.random() < 0.5
    case = TableCase(tables, [], [], [])
    states = {table.name: State(table) for table in tables}

    def call() -> Call:
        return states[rng.choice(tables).name].random_call(rng, pools)

    def counter_call() -> Call:
        table = rng.choice(tables)
        verbs = ["expire"] * table.has_idle + ["reset"] * (len(table.counters) > 0)
        made = Call(table, rng.choice(verbs))
        states[table.name].make(made)
        return made

    def favourites() -> list[list[int]]:
        entries = [list(states[t.name].entries) for t in tables]
        return [
            [part[0] for part in rng.choice(known)[0]] if known else [0] * len(t.key)
            for known, t in zip(entries, tables, strict=True)
        ]

    case.initial = [call() for _ in range(calls)]
    often: list[list[int]] = []
    for number in range(packets):
        chances = (0,) * 24 + (1,) if skewed else (0, 0, 1, 4)
        case.timed += [(number, call()) for _ in range(rng.choice(chances))]
        if counters and rng.random() < (0.004 if skewed else 0.2):
            case.timed.append((number, counter_call()))
        if skewed and number % SPELL == 0:
            often = favourites()
        near = rng.random() < 0.3
        case.keys.append(
            [
                [
                    rng.choice(pools(each)) ^ (near << rng.randrange(each.bits))
                    for each in table.key
                ]
                for table in tables
            ]
        )
        if skewed and rng.random() < 0.85:
            case.keys[-1] = often
        for table, key in zip(tables, case.keys[-1], strict=True):
            states[table.name].note(key)
    return case
