"""Loaded latency: the latency of an access by offered load.

A closed loop: each context waits for one access after the other and does nothing
else. With n contexts and r accesses per cycle, one access and its two or three
instructions take n / r cycles (Little's law).
"""

from __future__ import annotations

import json
from typing import Any

from bench.harness.bench import Bench, Failed, progress
from bench.harness.svg_plot import Line, linear, write_svg
from bench.harness.text_table import table
from bench.simulator.fig6 import BEGIN, END, WIDTHS, assemble

#: The number of engines, and of contexts per engine.
LOADS = ((1, 1), (1, 2), (1, 4), (2, 4), (4, 4), (4, 8), (5, 8), (6, 8))


def point(
    bench: Bench, memory: str, width: int, spread: bool, load: tuple[int, int]
) -> dict[str, Any]:
    """The rate and mean latency at one offered load."""
    engines, threads = load
    progress(f"latency: {memory}, {width} bytes, {engines} x {threads} contexts")
    ucode = assemble(bench, memory, width, 8, spread)
    stats = bench.folder / "latency-stats.json"
    sent = []
    for cycles in (BEGIN, END):
        bench.run(
            "ixpsim", *(f"--ucode={1 + i}:{ucode}" for i in range(engines)),
            f"--threads={threads}", f"--max-cycles={cycles}", f"--stats={stats}",
            "--quiet",
        )  # fmt: skip
        found = json.loads(stats.read_text())
        if found["ended"] != "cycles":
            raise Failed(f"{ucode}: the loop has ended")
        sent.append(sum(engine["commands"] for engine in found["microengines"]))
    rate = (sent[1] - sent[0]) / (END - BEGIN)
    return {
        "memory": memory,
        "width_bytes": width,
        "addresses": "spread" if spread else "fixed",
        "contexts": engines * threads,
        "accesses_per_s": round(rate * found["clock_hz"]),
        "latency_cycles": round(engines * threads / rate, 1),
    }


def latency(bench: Bench) -> list[dict[str, Any]]:
    """Latency against offered load of each memory."""
    result: list[dict[str, Any]] = []
    rows: list[list[object]] = []
    lines = []
    for group, (memory, widths) in enumerate(WIDTHS.items()):
        for width in (widths[0], widths[-1]):
            for spread in (False, True):
                found = [point(bench, memory, width, spread, at) for at in LOADS]
                result += found
                name = f"{memory}, {width} B{', spread' if spread else ''}"
                rows.append([name, *(p["latency_cycles"] for p in found)])
                points = [
                    (p["accesses_per_s"] / 1e6, p["latency_cycles"]) for p in found
                ]
                lines.append(Line(name, group, points))
    headings = ["contexts", *(str(engines * threads) for engines, threads in LOADS)]
    table("Cycles from one access to the next of a context", headings, rows)
    picture = bench.folder / "latency.svg"
    write_svg(
        picture,
        "Latency against load",
        linear("million accesses per second", 300, 50),
        linear("cycles per access", 2400, 400),
        lines,
        None,
    )
    print(f"plot: {picture}")
    return result
