"""Draws the figures of the labs, from what the tools print.

python tests/labs/figures.py [LAB…]

Each figure is the same for the same tools, and a test compares it with the file of
its lab.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path

import matplotlib

sys.path.insert(0, str(Path(__file__).parents[1]))

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from testkit.paths import BUILD, ROOT
from testkit.tools import read_json

LABS = ROOT / "labs"
BLUE, RED, GREEN, GREY = "#1b6ca8", "#d1495b", "#3c8d5a", "#7a8794"
BOX = "#d5e3f3"
#: Ports that are never the limit.
FAST_PORTS = "ports.rate_bps=10000000000"
COLOURS = (BLUE, RED, GREEN, "#8d6a9f", "#e09f3e")


def as_svg(figure: Figure) -> str:
    """The figure as text, with no date and no random names."""
    out = StringIO()
    settings = {"svg.hashsalt": "labs", "svg.fonttype": "none"}
    with matplotlib.rc_context(settings):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


class Work:
    """A folder with the files of a lab, where tools run."""

    def __init__(self, lab: str, folder: Path) -> None:
        self.folder = folder
        for part in ("starter", "tests"):
            for file in sorted((LABS / lab / part).iterdir()):
                (folder / file.name).write_bytes(file.read_bytes())

    def run(self, command: str) -> str:
        tool, *words = shlex.split(command)
        done = subprocess.run(
            [BUILD / "bin" / tool, *words],
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def json(self, name: str) -> dict:  # type: ignore[type-arg]
        found: dict = read_json(self.folder / name)  # type: ignore[type-arg]
        return found


def boxes(
    axes: Axes, at: Mapping[str, tuple[float, float]], edges: Sequence[tuple[str, str]]
) -> None:
    """Draws boxes, and arrows between them, on axes measured in boxes."""
    axes.axis("off")
    axes.set_xlim(-0.6, max(x for x, _ in at.values()) + 0.6)
    heights = [y for _, y in at.values()]
    axes.set_ylim(min(heights) - 0.6, max(heights) + 0.6)
    for source, target in edges:
        (x0, y0), (x1, y1) = at[source], at[target]
        arrow = FancyArrowPatch(
            (x0 + 0.38, y0), (x1 - 0.38, y1), arrowstyle="-|>", mutation_scale=11,
            color=GREY, shrinkA=0, shrinkB=0,
        )  # fmt: skip
        axes.add_patch(arrow)
    for name, (x, y) in at.items():
        axes.add_patch(
            FancyBboxPatch(
                (x - 0.36, y - 0.16),
                0.72,
                0.32,
                boxstyle="round,pad=0.02",
                facecolor=BOX,
                edgecolor=GREY,
            )
        )
        axes.text(x, y, name, ha="center", va="center", fontsize=9)


def wiring(work: Work, program: str) -> Figure:
    """The PPFs of a program and the channels between them."""
    dot = work.run(f"bakerc {program} --emit=dot -o -")
    edges = re.findall(r'^  "([\w.]+)" -> "([\w.]+)"', dot, re.M)
    edges = [tuple(name_of(end) for end in edge) for edge in edges]
    column: dict[str, int] = {"rx": 0}
    for _ in edges:
        for source, target in edges:
            if source in column:
                column[target] = max(column.get(target, 0), column[source] + 1)
    column["tx"] = max(column.values())
    rows: dict[int, list[str]] = {}
    for name, x in column.items():
        rows.setdefault(x, []).append(name)
    at = {
        name: (float(x), (len(names) - 1) / 2 - i)
        for x, names in rows.items()
        for i, name in enumerate(names)
    }
    tall = max(map(len, rows.values()))
    figure = Figure(figsize=(1.7 * len(rows), 0.3 + 0.75 * tall))
    boxes(figure.add_axes((0, 0, 1, 1)), at, list(dict.fromkeys(edges)))
    return figure


def name_of(end: str) -> str:
    """The PPF of an input, without its module."""
    parts = end.split(".")
    return parts[0] if len(parts) == 1 else parts[1]


def bars(
    names: Sequence[str], parts: Mapping[str, Sequence[float]], what: str
) -> Figure:
    """Horizontal bars, stacked from several parts."""
    inches = 0.9 + 0.24 * len(names)
    figure = Figure(figsize=(7.5, inches))
    axes = figure.add_axes((0.42, 0.55 / inches, 0.55, 1 - 0.9 / inches))
    left = [0.0] * len(names)
    for colour, (part, values) in zip(COLOURS, parts.items(), strict=False):
        axes.barh(range(len(names)), values, left=left, color=colour, label=part)
        left = [a + b for a, b in zip(left, values, strict=True)]
    style = {"fontsize": 8, "family": "monospace", "parse_math": False}
    axes.set_yticks(range(len(names)), names, **style)
    axes.invert_yaxis()
    axes.set_xlabel(what, fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.legend(fontsize=8, frameon=False)
    return figure


def curves(
    lines: Mapping[str, Mapping[float, float]], across: str, up: str, log: bool = False
) -> Figure:
    """Lines through points, with the names at their side."""
    figure = Figure(figsize=(7, 3.4))
    axes = figure.add_axes((0.1, 0.16, 0.62, 0.78))
    for colour, (name, points) in zip(COLOURS, lines.items(), strict=False):
        axes.plot(*zip(*points.items(), strict=True), "o-", color=colour, label=name)
    ticks = sorted({x for points in lines.values() for x in points})
    if log:
        axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_ylim(bottom=0)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return figure


def first_packets(work: Work) -> dict[str, Figure]:
    return {"wiring.svg": wiring(work, "switch.baker")}


def router(work: Work) -> dict[str, Figure]:
    return {"wiring.svg": wiring(work, "router.baker")}


def slow_programs(work: Work) -> dict[str, Figure]:
    names = ("service", "parity", "counters")
    rates = []
    for name in names:
        work.run(f"bakerc {name}.baker -o {name}.ixp")
        work.run(
            f"ixpsim {name}.ixp --trace=mixed.pcap --packets=800 --warmup=200 "
            f"--set={FAST_PORTS} --stats=s.json --quiet"
        )
        rates.append(work.json("s.json")["rate"]["forwarded_mpps"])
    return {"rates.svg": bars(names, {"starter": rates}, "million packets a second")}


def microcode(work: Work) -> dict[str, Figure]:
    work.run("bakerc mark.baker --mes=1 -o mark.ixp")
    work.run("ixp-as mend.uc --format=ixp --replace=mark.ixp -o mend.ixp")
    work.run(
        "ixpsim mend.ixp --trace=frames.pcap --mes=1 --threads=1 --quiet "
        "--stats=stats.json --profile=profile.json"
    )
    packets = work.json("stats.json")["per_packet"]["packets"]
    found = [
        each
        for each in work.json("profile.json")["microcode"]["main"]["instructions"]
        if each["issued"] >= packets and each["location"].startswith("mend")
    ]
    parts = {
        "issued": [each["issued"] / packets for each in found],
        "dead slots": [each["aborted"] / packets for each in found],
        "waiting": [each["waited"] / packets for each in found],
    }
    names = [each["text"] for each in found]
    return {"cycles.svg": bars(names, parts, "cycles of a packet, on one context")}


def contexts(work: Work) -> dict[str, Figure]:
    work.run("bakerc sum.baker --mes=1 -o sum.ixp")
    work.run("ixp-as sum.uc --format=ixp --replace=sum.ixp -o hand.ixp")
    rates = {}
    for count in (1, 2, 4, 6, 8):
        work.run(
            f"ixpsim hand.ixp --trace=frames.pcap --packets=300 --warmup=50 --mes=1 "
            f"--threads={count} --set={FAST_PORTS} --stats=s.json --quiet"
        )
        rates[float(count)] = work.json("s.json")["rate"]["forwarded_mpps"]
    return {"contexts.svg": curves({"starter": rates}, "contexts", "Mpps")}


def stale(work: Work) -> dict[str, Figure]:
    text = (work.folder / "cached.baker").read_text()
    found: dict[str, dict[float, float]] = {"stale packets, %": {}, "SRAM accesses": {}}
    for share in (1, 2, 4, 6, 10):
        bounded = text.replace("1e-3", f"{share}e-4")
        (work.folder / "bounded.baker").write_text(bounded)
        work.run(
            "bakerc bounded.baker --profile-trace=classes.pcap "
            "--control=profile.control -o bounded.ixp"
        )
        work.run(
            "ixpsim bounded.ixp --trace=classes.pcap --control=updates.control "
            "--packets=16000 --warmup=500 --stats=s.json --quiet"
        )
        stats = work.json("s.json")
        tolerated = share / 10_000
        found["stale packets, %"][tolerated] = stats["caches"]["stale_rate"] * 100
        sram = stats["per_packet"]["application"]["sram"]
        found["SRAM accesses"][tolerated] = sram
    return {"stale.svg": curves(found, "@tolerate", "of the packets; of a packet")}


def accesses(work: Work) -> dict[str, Figure]:
    rules = (work.folder / "few.control").read_text().splitlines()
    work.run("bakerc classifier.baker -o c.ixp")
    found = {}
    for count in (10, 20, 40, 61):
        (work.folder / "some.control").write_text("\n".join(rules[:count]) + "\n")
        work.run(
            "ixpsim c.ixp --trace=few.pcap --control=some.control --quiet "
            "--stats=s.json"
        )
        per_packet = work.json("s.json")["per_packet"]
        found[float(count)] = sum(
            sum(per_packet[kind].get(memory, 0) for memory in ("sram", "dram"))
            for kind in ("packet", "application")
        )
    return {"accesses.svg": curves({"starter": found}, "rules", "accesses")}


def batches(work: Work) -> dict[str, Figure]:
    run = ["cc", "-O1", "-o", "batch", "batch.c", "machine.c"]
    subprocess.run(run, cwd=work.folder, check=True)
    said = subprocess.run(
        [work.folder / "batch", "1024"], check=True, capture_output=True, text=True
    )
    found = json.loads(said.stdout)
    cycles = {float(2**i): found[f"cycles_{2**i}"] for i in range(7)}
    figure = curves({"starter": cycles}, "keys of a sub-batch", "cycles of a key", True)
    return {"cycles.svg": figure}


def loads(work: Work) -> dict[str, Figure]:
    names = ("pair", "blocked", "hoist")
    found = []
    for name in names:
        work.run(f"bakerc {name}.mlir --level=o2 -o {name}.ixp")
        work.run(f"ixpsim {name}.ixp --trace=frames.pcap --stats=s.json --quiet")
        found.append(work.json("s.json")["per_packet"]["packet"]["dram"])
    files = [f"{name}.mlir" for name in names]
    return {"accesses.svg": bars(files, {"starter": found}, "DRAM accesses a packet")}


def hot_chain(work: Work) -> dict[str, Figure]:
    return {"wiring.svg": wiring(work, "hot.baker")}


#: The figures of each lab.
FIGURES: dict[str, Callable[[Work], dict[str, Figure]]] = {
    "01-first-packets": first_packets,
    "02-router": router,
    "03-where-the-time-goes": slow_programs,
    "04-microcode-by-hand": microcode,
    "05-latency-hiding": contexts,
    "06-a-pass-of-your-own": loads,
    "07-partitioning": hot_chain,
    "08-software-cache": stale,
    "09-classification": accesses,
    "10-batches-on-x86": batches,
}


def figures(lab: str) -> dict[str, str]:
    """The figures of a lab by file name, as text."""
    with tempfile.TemporaryDirectory() as name:
        found = FIGURES[lab](Work(lab, Path(name)))
        return {file: as_svg(figure) for file, figure in found.items()}


if __name__ == "__main__":
    for lab in sys.argv[1:] or FIGURES:
        for file, text in figures(lab).items():
            (LABS / lab / file).write_text(text)
