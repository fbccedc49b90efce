"""Random graphs of PPFs: the mapping that the compiler chooses against others,
and the model's prediction of each against the simulator.

A graph is a chain of PPFs, some with a second channel further down; each PPF
computes, reads a table and changes the frame. All ways to cut it into
aggregates and to give these the engines are mappings; of a graph that has too
many a fixed sample is simulated, the compiler's own always.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import Bench, Failed, Workload, progress, workload
from tables import table

GRAPHS, PPFS_MAX = 20, 8
#: Mappings of one graph that are simulated besides the chosen one.
SAMPLE = 24
ENGINES = 6
PACKETS, WARMUP = 1500, 200


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


def cuts(count: int) -> Iterator[list[list[int]]]:
    """The ways to cut a chain: packets only ever move forward."""
    for bits in range(2 ** (count - 1)):
        parts = [[0]]
        for i in range(1, count):
            if bits >> (i - 1) & 1:
                parts.append([])
            parts[-1].append(i)
        if len(parts) <= ENGINES:
            yield parts


def shares(parts: int, engines: int) -> Iterator[list[int]]:
    """The ways to give all engines to so many parts, one at least to each."""
    if parts == 1:
        yield [engines]
        return
    for first in range(1, engines - parts + 2):
        for rest in shares(parts - 1, engines - first):
            yield [first, *rest]


def mappings(graph: Graph, seed: int) -> list[str]:
    every = [
        "".join(
            f"aggregate a{n} {engines}\n" + "".join(f"  g.p{i}\n" for i in part)
            for n, (part, engines) in enumerate(zip(parts, share, strict=True))
        )
        for parts in cuts(len(graph))
        for share in shares(len(parts), ENGINES)
    ]
    if len(every) <= SAMPLE:
        return every
    return random.Random(seed).sample(every, SAMPLE)


def measure(
    bench: Bench, source: Path, load: Workload, mapping: str | None
) -> dict[str, Any]:
    """Predicted and simulated rate of a mapping, None for the compiler's own."""
    image, report = source.with_suffix(".ixp"), source.with_suffix(".json")
    options: list[object] = []
    if mapping is not None:
        path = source.with_suffix(".mapping")
        path.write_text(mapping)
        options.append(f"--mapping={path}")
    bench.run(
        "bakerc", source, f"--profile-trace={load.trace}", f"--mes={ENGINES}",
        f"--report={report}", *options, "-o", image,
    )  # fmt: skip
    stats = source.with_suffix(".stats.json")
    bench.run(
        "ixpsim", image, f"--trace={load.trace}", f"--packets={PACKETS}",
        f"--warmup={WARMUP}", f"--stats={stats}", "--quiet",
        "--set=ports.rate_bps=4000000000",
    )  # fmt: skip
    found = json.loads(report.read_text())
    simulated = json.loads(stats.read_text())["rate"]["forwarded_gbps"]
    return {
        "stages": len(found["aggregates"]),
        "predicted_gbps": found["predicted"]["gbps"],
        "simulated_gbps": simulated,
        "limit": found["predicted"]["bottleneck"],
    }


def search(bench: Bench, seed: int, load: Workload) -> dict[str, Any]:
    graph = make_graph(seed)
    progress(f"graph {seed} of {len(graph)} PPFs")
    source = bench.folder / f"graph{seed}.baker"
    source.write_text(source_of(graph))
    chosen = measure(bench, source, load, None)
    others = []
    for mapping in mappings(graph, seed):
        try:
            others.append(measure(bench, source, load, mapping))
        except Failed:  # refused: packets would come back
            continue
    best = max(run["simulated_gbps"] for run in [chosen, *others])
    # The ports here are faster than those of the model: what limits them there
    # says nothing.
    wires = ("ports", "media bus", "rx", "tx")
    pipelines = [r for r in [chosen, *others] if r["limit"] not in wires]
    errors = [r["predicted_gbps"] / r["simulated_gbps"] - 1 for r in pipelines]
    return {
        "seed": seed,
        "ppfs": len(graph),
        "mappings": 1 + len(others),
        "chosen_stages": chosen["stages"],
        "chosen_gbps": chosen["simulated_gbps"],
        "chosen_over_best": chosen["simulated_gbps"] / best,
        "max_relative_error": max(map(abs, errors), default=0.0),
    }


def random_mappings(bench: Bench, graphs: int = GRAPHS) -> dict[str, Any]:
    """The compiler's mapping of random graphs against others, and the model."""
    load = workload(bench, "l3-switch")
    found = [search(bench, seed, load) for seed in range(graphs)]
    headings = ["graph", "PPFs", "mappings", "stages", "Gbps", "of best", "model error"]
    rows: list[list[object]] = [
        [
            r["seed"], r["ppfs"], r["mappings"], r["chosen_stages"], r["chosen_gbps"],
            f"{r['chosen_over_best']:.1%}", f"{r['max_relative_error']:.1%}",
        ]
        for r in found
    ]  # fmt: skip
    table("Random graphs: the chosen mapping, and the model on all", headings, rows)
    return {
        "graphs": found,
        "worst_choice_over_best": min(r["chosen_over_best"] for r in found),
        "max_relative_error": max(r["max_relative_error"] for r in found),
    }
