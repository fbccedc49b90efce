"""Random graphs of PPFs as Baker programs.

A graph is a chain of PPFs, some with a second channel further down; each PPF
does some of what packet programs do, in random order: it computes, reads tables
of words and of structures, writes them, counts, asks the hash unit, branches,
holds one of many locks, and changes the frame; some drop packets. Packets only
ever move forward.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

PPFS_MAX = 8

#: Declarations and statements of one action of a PPF, with numbered names.
Lines = tuple[list[str], list[str]]


@dataclass(frozen=True)
class Node:
    declarations: tuple[str, ...]
    body: tuple[str, ...]
    #: The distance to the PPF of the second channel; 0 for none.
    skip: int
    drops: bool


Graph = tuple[Node, ...]


def compute(rng: random.Random, n: str) -> Lines:
    rounds = rng.choice((5, 10, 20, 40, 80, 120))
    return [], [
        f"for (u32 i{n} = 0; i{n} < {rounds}; i{n}++)",
        f"  x = (x ^ (x << 3)) + i{n};",
    ]


def read(rng: random.Random, n: str) -> Lines:
    line = f"x += t{n}[(x >> {rng.randint(0, 6)}) & 1023] ^ (x >> 7);"
    return [f"u32 t{n}[1024];"], [line] * rng.randint(1, 4)


def read_struct(rng: random.Random, n: str) -> Lines:
    words = rng.choice((2, 4, 8))
    declared = [f"struct s{n} {{ u32 v[{words}]; }};", f"s{n} w{n}[256];"]
    adds = [f"x += w{n}[j{n}].v[{i}];" for i in range(words)]
    return declared, [f"u32 j{n} = x & 255;", *adds]


def write(rng: random.Random, n: str) -> Lines:
    return [f"u32 z{n}[1024];"], [f"z{n}[x & 1023] = x;"]


def count(rng: random.Random, n: str) -> Lines:
    return [f"u32 c{n}[64];"], [f"atomic_add(c{n}[x & 63], 1);"]


def ask_hash(rng: random.Random, n: str) -> Lines:
    return [], ["x = (u32)hash64((u64)x);"]


def branch(rng: random.Random, n: str) -> Lines:
    rounds = rng.choice((20, 60))
    return [f"u32 y{n}[1024];"], [
        "if ((x & 3) == 0)",
        f"  for (u32 i{n} = 0; i{n} < {rounds}; i{n}++)",
        f"    x = (x ^ (x << 5)) + i{n};",
        "else",
        f"  x += y{n}[x & 1023];",
    ]


def hold_lock(rng: random.Random, n: str) -> Lines:
    return [f"lock l{n}[64];", f"u32 g{n}[64];"], [
        f"u32 q{n} = x & 63;",
        f"critical (l{n}[q{n}])",
        f"  g{n}[q{n}] = g{n}[q{n}] + 1;",
    ]


def read_field(rng: random.Random, n: str) -> Lines:
    return [], ["x += ph->type;"]


Deed = Callable[[random.Random, str], Lines]
DEEDS: tuple[Deed, ...] = (
    compute, compute, read, read, read_struct, write, count, ask_hash, branch,
    hold_lock, read_field,
)  # fmt: skip


def make_graph(seed: int) -> Graph:
    rng = random.Random(seed)
    size = rng.randint(2, PPFS_MAX)
    nodes = []
    for i in range(size):
        declarations: list[str] = []
        body: list[str] = []
        for k in range(rng.randint(1, 4)):
            declared, lines = rng.choice(DEEDS)(rng, f"{i}_{k}")
            declarations += declared
            body += lines
        left = size - 1 - i
        skip = rng.randint(2, left) if left >= 2 and rng.random() < 0.4 else 0
        drops = rng.random() < 0.1
        nodes.append(Node(tuple(declarations), tuple(body), skip, drops))
    return tuple(nodes)


def ppf_names(graph: Graph) -> list[str]:
    return [f"g.p{i}" for i in range(len(graph))]


def source_of(graph: Graph) -> str:
    declared, wires, bodies = [], [], []
    for i, node in enumerate(graph):
        second = " out ether_pkt * b_cc;" if node.skip else ""
        declared += node.declarations
        declared.append(
            f"ppf p{i} {{ in ether_pkt * in_cc; out ether_pkt * a_cc;{second} }}"
        )
        there = f"p{i + 1}.in_cc" if i + 1 < len(graph) else "tx"
        wires.append(f"p{i}.a_cc -> {there};")
        body = ["u32 x = (u32)ph->src ^ (u32)ph->dst;", *node.body, "ph->src = (u48)x;"]
        if node.drops:
            body += ["if ((x & 15) == 0) {", "  packet_drop(ph);", "  return;", "}"]
        put = ["channel_put(a_cc, ph);"]
        if node.skip:
            wires.append(f"p{i}.b_cc -> p{i + node.skip}.in_cc;")
            put = [
                "if ((x & 3) == 0)",
                "  channel_put(b_cc, ph);",
                "else",
                "  " + put[0],
            ]
        bodies += [f"g.p{i}.ppf(ether_pkt * ph) {{", *indented(body + put), "}"]
    wiring = ["wiring {", *indented(["rx -> p0.in_cc;", *wires]), "}"]
    lines = ["import net.ether;", "module g {", *indented(declared + wiring), "}"]
    return "\n".join([*lines, *bodies]) + "\n"


def indented(lines: list[str]) -> list[str]:
    return ["  " + line for line in lines]
