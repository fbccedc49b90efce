"""Random graphs of PPFs as Baker programs.

A graph is a chain of PPFs, some with a second channel further down; each PPF
computes, reads a table and changes the frame. Packets only ever move forward.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

PPFS_MAX = 8


@dataclass(frozen=True)
class Graph:
    """Work and table reads of each PPF, and the skips of its second channel."""

    work: tuple[int, ...]
    reads: tuple[int, ...]
    skips: tuple[int, ...]  # 0: no second channel

    def __len__(self) -> int:
        return len(self.work)


def make_graph(seed: int) -> Graph:
    rng = random.Random(seed)
    count = rng.randint(2, PPFS_MAX)
    skips = [
        rng.randint(2, count - 1 - i)
        if count - 1 - i >= 2 and rng.random() < 0.4
        else 0
        for i in range(count)
    ]
    return Graph(
        tuple(rng.choice((10, 20, 40, 80, 120)) for _ in range(count)),
        tuple(rng.randint(0, 4) for _ in range(count)),
        tuple(skips),
    )


def ppf_names(graph: Graph) -> list[str]:
    return [f"g.p{i}" for i in range(len(graph))]


def source_of(graph: Graph) -> str:
    declared, wires, bodies = [], [], []
    for i in range(len(graph)):
        second = " out ether_pkt * b_cc;" if graph.skips[i] else ""
        declared.append(
            f"  u32 t{i}[256];\n"
            f"  ppf p{i} {{ in ether_pkt * in_cc; out ether_pkt * a_cc;{second} }}\n"
        )
        there = f"p{i + 1}.in_cc" if i + 1 < len(graph) else "tx"
        wires.append(f"    p{i}.a_cc -> {there};\n")
        put = "  channel_put( a_cc, ph );\n"
        if graph.skips[i]:
            wires.append(f"    p{i}.b_cc -> p{i + graph.skips[i]}.in_cc;\n")
            put = "  if ((x & 3) == 0)\n    channel_put( b_cc, ph );\n  else\n  " + put
        bodies.append(
            f"g.p{i}.ppf ( ether_pkt * ph )\n{{\n"
            "  u32 x = (u32)ph->dst;\n"
            f"  for (u32 i = 0; i < {graph.work[i]}; i++)\n"
            "    x = (x ^ (x << 3)) + i;\n"
            + f"  x += t{i}[x & 255] ^ (x >> 7);\n" * graph.reads[i]
            + "  ph->src = (u48)x;\n"
            + put
            + "}\n"
        )
    text = "import net.ether;\nmodule g {\n" + "".join(declared)
    return (
        text
        + "  wiring {\n    rx -> p0.in_cc;\n"
        + "".join(wires)
        + "  }\n}\n"
        + "\n".join(bodies)
    )
