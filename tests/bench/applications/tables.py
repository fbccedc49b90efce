"""Declared tables: what a look-up costs, what a table takes, how fast it changes.

Each set is a program with one table, a control file that fills it, and packets
whose keys are spread over its entries. Accesses are those of the program's data
at `swc`; times are those of the chip. Beside rules of five fields stands what
DPDK's access-control library makes of the same rules.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.applications import acl_library
from bench.harness.bench import Bench, Failed
from bench.harness.text_table import table
from npftrace.tables.fw1_rules import make_rules
from npftrace.tables.prefixes import make_prefixes
from npftrace.tables.rules import Rule
from testkit import classbench, five_tuples
from testkit.captures import write_pcap
from testkit.tools import read_json

SEED = 21
PACKETS = 2000
#: Entries from which on a table needs a board with 32 MB of SRAM in a channel.
LARGE = 200_000


@dataclass(frozen=True)
class TableSet:
    kind: str
    name: str
    key: str
    bits: int
    #: Calls of `add`, and keys that the table finds.
    fill: Callable[[np.random.Generator], tuple[list[str], list[int]]]
    #: The type of the one value.
    value: str = "u32"
    #: The arguments of `find`.
    find: str = "ph->k"
    #: The rules, where they are of five fields.
    rules: Callable[[np.random.Generator], list[Rule]] | None = None


def exact(bits: int, count: int) -> TableSet:
    def fill(rng: np.random.Generator) -> tuple[list[str], list[int]]:
        words = rng.integers(0, 1 << 32, size=(count, bits // 32), dtype=np.uint64)
        keys = list({int("".join(f"{w:08x}" for w in row), 16) for row in words})
        return [f"t.add({number(key, bits)}, {i})" for i, key in enumerate(keys)], keys

    return TableSet("exact", f"{bits} bits, {count:,}", f"u{bits} k;", bits, fill)


def number(key: int, bits: int) -> str:
    if bits <= 64:
        return hex(key)
    return ":".join(f"{key >> shift & 0xFFFF:x}" for shift in range(112, -1, -16))


def routes(count: int, value_bits: int = 32) -> TableSet:
    def fill(rng: np.random.Generator) -> tuple[list[str], list[int]]:
        prefixes = make_prefixes(count, rng)
        adds = [
            f"t.add({address:#x}/{length}, {i % (1 << value_bits)})"
            for i, (address, length) in enumerate(prefixes)
        ]
        return adds, [
            address | int(rng.integers(0, 1 << (32 - length)))
            for address, length in prefixes
        ]

    name = f"IPv4, {count:,}"
    if value_bits != 32:
        name += f", values of {value_bits} bits"
    return TableSet("lpm", name, "lpm u32 k;", 32, fill, f"u{value_bits}")


def routes6(count: int) -> TableSet:
    """Lengths as in the global table: most are /48, then /32 to /44."""

    def fill(rng: np.random.Generator) -> tuple[list[str], list[int]]:
        lengths = rng.choice((48, 32, 44, 40, 36, 29, 64), count,
                             p=(0.5, 0.15, 0.1, 0.1, 0.07, 0.04, 0.04))  # fmt: skip
        allocated = rng.integers(0, 1 << 17, max(1, count // 8))
        found: dict[tuple[int, int], None] = {}
        for length in lengths:
            high = 0x2000 << 16 | int(rng.choice(allocated))
            low = int(rng.integers(0, 1 << 32))
            mask = ~((1 << (64 - int(length))) - 1)
            found[((high << 32 | low) & mask) << 64, int(length)] = None
        adds = [
            f"t.add({number(key, 128)}/{length}, {i})"
            for i, (key, length) in enumerate(found)
        ]
        return adds, [key | int(rng.integers(0, 1 << 60)) for key, _ in found]

    return TableSet("lpm", f"IPv6, {count:,}", "lpm u128 k;", 128, fill)


def rules(count: int) -> TableSet:
    def fill(rng: np.random.Generator) -> tuple[list[str], list[int]]:
        keys = [int(k) for k in rng.integers(0, 1 << 32, count)]
        adds = [f"t.add({key:#x} & 0xffffffff, {i}, {i})" for i, key in enumerate(keys)]
        return adds, keys

    return TableSet("ternary", f"{count:,} rules", "ternary u32 k;", 32, fill)


def rule_set(name: str, read: Callable[[np.random.Generator], list[Rule]]) -> TableSet:
    """Rules of five fields."""

    def fill(rng: np.random.Generator) -> tuple[list[str], list[int]]:
        rules = five_tuples.distinct(read(rng))
        keys = [five_tuples.packed(five_tuples.key_of(rule, rng)) for rule in rules]
        return five_tuples.adds(rules), keys

    return TableSet(
        "five fields", name, five_tuples.KEY, five_tuples.BITS, fill,
        find=five_tuples.FIND, rules=read,
    )  # fmt: skip


def made(count: int) -> TableSet:
    return rule_set(f"{count:,} rules", lambda rng: make_rules(count, rng))


def classbench_sets() -> list[TableSet]:
    """Sets of ClassBench's twelve kinds, where its parameter files are at hand."""
    data = os.environ.get("KARAKAL_TEST_DATA")
    if not data:
        return []

    def drawn(kind: Path, count: int) -> TableSet:
        name = f"{kind.name.removesuffix('_seed')}, {count:,}"
        return rule_set(name, lambda _: classbench.read_rules(kind, count))

    kinds = sorted(Path(data).glob("rules/seeds/[afi][cwp]*_seed"))
    return [drawn(kind, count) for kind in kinds for count in (100, 1000, 10000)]


SETS = [
    exact(32, 1000),
    exact(64, 10000),
    exact(128, 10000),
    exact(64, 1_000_000),
    exact(128, 1_000_000),
    routes(10000),
    routes(10000, 16),
    routes6(5000),
    rules(16),
    rules(100),
    made(100),
    made(1000),
    made(10000),
]


def program(of: TableSet, size: int) -> str:
    header = 18 + of.bits // 8
    return f"""
protocol q {{ head : 112; k : {of.bits}; answer : 32; demux {{ {header} }}; }}
module m {{
  table t {{
    key {{ {of.key} }}
    value {{ {of.value} v; }}
    size {size};
  }}
  ppf f {{ in q_pkt * in_cc; out q_pkt * out_cc; }}
  wiring {{ rx -> f.in_cc; f.out_cc -> tx; }}
}}
m.f.ppf(q_pkt * ph) {{
  ph->answer = t.find({of.find})->v;
  channel_put(out_cc, ph);
}}
"""


def bytes_of(described: str) -> int:
    sizes = re.findall(r"global m\.t\.own\.\S+: \S+ \S+, (\d+) bytes", described)
    return sum(int(size) for size in sizes)


def measure(bench: Bench, of: TableSet, folder: Path) -> dict[str, Any]:
    rng = np.random.default_rng(SEED)
    adds, keys = of.fill(rng)
    chosen = rng.integers(0, len(keys), PACKETS)
    frames = [
        bytes(12) + struct.pack(">H", 0x1234)
        + keys[i].to_bytes(of.bits // 8, "big") + bytes(46 - of.bits // 8)
        for i in chosen
    ]  # fmt: skip
    source, control, trace, image, stats = (
        folder / name for name in ("t.baker", "t.txt", "t.pcap", "t.ixp", "t.json")
    )
    source.write_text(program(of, len(adds)))
    control.write_text("\n".join(adds) + "\n")
    write_pcap(trace, frames)
    inputs = (f"--trace={trace}", f"--control={control}")
    board = ("--set=sram.size=33554432",) if len(adds) >= LARGE else ()
    bench.run(
        "bakerc", source, "-o", image, f"--profile-trace={trace}", inputs[1], *board
    )
    bench.run("ixpsim", image, *inputs, f"--stats={stats}", "--quiet")
    found = read_json(stats)
    build = found["setup_cycles"] / found["clock_hz"]
    accesses = found["per_packet"]["application"]
    return {
        "entries": len(adds),
        "accesses": accesses["sram"] + accesses["scratch"],
        # Those of the packet, about 2, and of a table that lies in DRAM.
        "dram": found["per_packet"]["packet"]["dram"],
        "bytes": bytes_of(bench.output("ixpsim", "--describe", image)),
        "build_s": build,
        "updates_per_s": len(adds) / build,
    }


def tables(bench: Bench) -> dict[str, Any]:
    folder = bench.folder / "tables"
    folder.mkdir(exist_ok=True)
    results: dict[str, Any] = {}
    rows: list[list[object]] = []
    for of in [*SETS, *classbench_sets()]:
        try:
            found = measure(bench, of, folder)
        except Failed as failed:
            [why, *_] = re.findall(r"error: (.*)", str(failed)) or [str(failed)]
            bench.leave_out(f"{of.kind}: {of.name}: {why}")
            continue
        if of.rules and acl_library.is_installed():
            rules = of.rules(np.random.default_rng(SEED))
            found |= acl_library.measure(rules, folder)
        results.setdefault(of.kind, {})[of.name] = found
        rows.append([f"{of.kind}: {of.name}", *found.values()])
    headings = ["set", "entries", "accesses", "DRAM", "bytes", "build s", "updates/s",
                "ACL accesses", "ACL bytes"]  # fmt: skip
    for row in rows:
        row += ["-"] * (len(headings) - len(row))
    table("declared tables", headings, rows)
    if not acl_library.is_installed():
        bench.leave_out(acl_library.NOT_MEASURED)
    return results
