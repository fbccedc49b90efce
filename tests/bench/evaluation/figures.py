"""The panels of each figure: ours solid, the paper's dashed and rust-coloured."""

from __future__ import annotations

from typing import Any

from bench.evaluation import paper
from bench.evaluation.draw import (
    BAND,
    COLUMN_COLOURS,
    CYCLE_COLOURS,
    INK,
    LEVEL_COLOURS,
    LEVEL_MARKERS,
    MUTED,
    PAGE,
    PAPER,
    Panel,
    spread,
)
from bench.evaluation.results import ENGINES, MOST, Results
from bench.harness.workloads import APPS
from testkit.applications import LEVELS

RATE_MOST = 3.4
CYCLE_NAMES = {
    "issue": "instructions",
    "aborted": "dead slots after branches and swaps",
    "stall": "command FIFO full",
    "idle": "every context waits",
}
CYCLE_TEXTS = {"issue": "#ffffff", "aborted": "#22262b"}
COLUMN_NAMES = (
    "packet: scratch", "packet: SRAM", "packet: DRAM",
    "application: scratch", "application: SRAM",
)  # fmt: skip


def rates(results: Results, app: str) -> Panel:
    """Figures 13 to 15: forwarding rate by engines and level."""
    said = paper.BEST[app]

    def draw(axes: Any) -> None:
        axes.axvspan(paper.SATURATED_FROM, MOST, color=BAND, linewidth=0, zorder=0)
        for level in LEVELS:
            axes.plot(
                ENGINES, results.curve(app, level), color=LEVEL_COLOURS[level],
                marker=LEVEL_MARKERS[level],
            )  # fmt: skip
        best, target = f"paper: best {said.gbps}", f"paper: all {paper.TARGET_GBPS}"
        axes.plot([1, MOST], [said.gbps] * 2, "--", color=PAPER, label=best)
        axes.plot([1, MOST], [paper.TARGET_GBPS] * 2, ":", color=PAPER, label=target)
        ends = [results.gbps(app, level) for level in LEVELS]
        for level, end, place in zip(LEVELS, ends, spread(ends, 0.17), strict=True):
            axes.annotate(
                paper.LEVEL_NAMES[level], (MOST, end), (MOST + 0.22, place),
                color=LEVEL_COLOURS[level], va="center", fontweight="bold",
                fontsize=9, annotation_clip=False,
            )  # fmt: skip
        axes.text(
            4.05, 0.05, "paper: PAC and\nlater flatten", color=PAPER, fontsize=8.5
        )
        axes.legend(
            loc="upper left", ncols=2, labelcolor=PAPER, fontsize=8.5,
            borderaxespad=0, handlelength=1.8, columnspacing=1.2,
        )  # fmt: skip
        axes.set(
            xlim=(0.9, 6.1), ylim=(0, 3.75), xticks=ENGINES,
            xlabel="microengines", ylabel="Gbps, 64-byte packets",
            title=paper.NAMES[app],
        )  # fmt: skip
        axes.grid(axis="x", visible=False)

    alt = f"Forwarding rate of {paper.NAMES[app]} by microengines and level"
    return Panel(f"figure{said.figure}", alt, draw)


def accesses(results: Results, app: str) -> Panel:
    """Table 1 as bars: ours above the paper's, level by level."""

    def draw(axes: Any) -> None:
        for row, level in enumerate(LEVELS):
            ours = [results.accesses(app, level, *column) for column in paper.COLUMNS]
            theirs = paper.TABLE1[app][paper.SAME_ROW.get(level, level)]
            for counts, up, is_paper in ((ours, -0.2, False), (theirs, 0.2, True)):
                _stack(axes, counts, row + up, is_paper)
        names = [paper.LEVEL_NAMES[level] for level in LEVELS]
        axes.set(
            yticks=range(len(LEVELS)), yticklabels=names, xlim=(0, 105),
            xlabel="memory accesses per packet", title=paper.NAMES[app],
        )  # fmt: skip
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)

    return Panel(
        f"table1-{app}", f"Accesses of {paper.NAMES[app]}, beside the paper's", draw
    )


def _stack(axes: Any, counts: Any, at: float, is_paper: bool) -> None:
    left = 0.0
    for count, colour in zip(counts, COLUMN_COLOURS, strict=True):
        axes.barh(
            at, count, height=0.36, left=left, color=colour,
            alpha=0.45 if is_paper else 1,
        )  # fmt: skip
        left += count
    if is_paper:
        axes.barh(
            at, left, height=0.36, facecolor="none", edgecolor=PAPER, linestyle="--",
            linewidth=1,
        )  # fmt: skip
    colour = PAPER if is_paper else INK
    axes.text(left + 1, at, f"{left:.0f}", va="center", fontsize=8, color=colour)


def figure6(results: Results, memory: str) -> Panel:
    """Rate by accesses per packet; the paper's limit is marked."""
    rows = [row for row in results.fig6 if row["memory"] == memory]
    widths = sorted({row["width_bytes"] for row in rows})
    shades = ("#b9d4ec", "#8db9de", "#5b9acb", "#2f78b7", "#1c4f7d")[-len(widths) :]
    limit = paper.FIGURE6_LIMITS[memory]
    name = memory if memory == "scratch" else memory.upper()

    def draw(axes: Any) -> None:
        for width, shade in zip(widths, reversed(shades), strict=True):
            points = [
                (row["accesses"], row["gbps"])
                for row in rows
                if row["width_bytes"] == width
            ]
            axes.plot(*zip(*points, strict=True), "o-", color=shade, label=f"{width} B")
        axes.axhline(paper.TARGET_GBPS, color=PAPER, linestyle=":", linewidth=1.2)
        axes.plot(
            [limit], [paper.TARGET_GBPS], "o", markersize=11, markerfacecolor="none",
            markeredgecolor=PAPER, markeredgewidth=1.6,
        )  # fmt: skip
        axes.annotate(
            f"paper: at most {limit}\nfor 2.5 Gbps", (limit, paper.TARGET_GBPS),
            (0, 34), textcoords="offset points", color=PAPER, fontsize=8.5,
            ha="center", arrowprops={"arrowstyle": "-", "color": PAPER, "shrinkB": 6},
        )  # fmt: skip
        axes.set(
            xscale="log", yscale="log", xlim=(0.9, 160), ylim=(0.03, 300),
            xlabel="accesses per packet", ylabel="Gbps, 64-byte packets", title=name,
        )  # fmt: skip
        axes.set_xticks([2**i for i in range(8)], [str(2**i) for i in range(8)])
        axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
        axes.minorticks_off()
        axes.legend(loc="lower left", fontsize=8.5, labelcolor=INK)

    return Panel(f"figure6-{memory}", f"Rate by {name} accesses per packet", draw)


def bars(results: Results, app: str, what: str) -> Panel:
    """Instructions per packet, or code words, by level; the limit is dashed."""
    is_code = what == "code"
    limit = paper.CONTROL_STORE_WORDS if is_code else paper.INSTRUCTION_BUDGET
    words = "one engine's control store" if is_code else "paper: budget at 2.5 Gbps"

    def draw(axes: Any) -> None:
        values = [
            results.run(app, level).code_words
            if is_code
            else results.instructions(app, level)
            for level in LEVELS
        ]
        colours = [LEVEL_COLOURS[level] for level in LEVELS]
        axes.bar(range(len(LEVELS)), values, color=colours, width=0.7)
        axes.axhline(limit, color=PAPER, linestyle="--", linewidth=1.3)
        axes.text(
            6.5,
            limit * 1.015,
            words,
            color=PAPER,
            fontsize=8.5,
            ha="right",
            va="bottom",
        )
        most = 4700 if is_code else max(limit * 1.2, 1750)
        for at, value in enumerate(values):
            axes.text(
                at, value + most * 0.012, f"{value:,.0f}", ha="center", fontsize=8
            )
        names = [paper.LEVEL_NAMES[level] for level in LEVELS]
        axes.set_xticks(range(len(LEVELS)), names)
        axes.set(
            ylim=(0, most), title=paper.NAMES[app],
            ylabel="words of microcode" if is_code else "instructions per packet",
        )  # fmt: skip
        axes.grid(axis="x", visible=False)

    alt = f"{'Code size' if is_code else 'Instructions'} of {paper.NAMES[app]} by level"
    return Panel(f"{what}-{app}", alt, draw)


def model(results: Results, app: str) -> Panel:
    """Predicted against simulated rate, for each level and number of engines."""

    def draw(axes: Any) -> None:
        axes.plot([0, RATE_MOST], [0, RATE_MOST], color=MUTED, linewidth=1)
        axes.fill_between(
            [0, RATE_MOST], [0, RATE_MOST * 0.9], [0, RATE_MOST * 1.1], color=BAND,
            linewidth=0, zorder=0,
        )  # fmt: skip
        for level in LEVELS:
            points = [
                (row["simulated_gbps"], row["predicted_gbps"])
                for row in results.model
                if row["app"] == app and row["level"] == level
            ]
            axes.plot(
                *zip(*points, strict=True), "-", color=LEVEL_COLOURS[level],
                marker=LEVEL_MARKERS[level], linewidth=0.8,
                label=paper.LEVEL_NAMES[level],
            )  # fmt: skip
        axes.set(
            xlim=(0, RATE_MOST), ylim=(0, RATE_MOST), title=paper.NAMES[app],
            xlabel="simulated, Gbps", ylabel="predicted by the compiler, Gbps",
        )  # fmt: skip
        axes.legend(loc="upper left", fontsize=8, labelcolor=INK, ncols=2)

    return Panel(
        f"model-{app}", f"Predicted and simulated rate of {paper.NAMES[app]}", draw
    )


def cycles(results: Results, app: str) -> Panel:
    """The use of the engines' cycles, with all engines enabled."""

    def draw(axes: Any) -> None:
        for row, level in enumerate(LEVELS):
            left = 0.0
            for kind, share in results.cycles(app, level).items():
                axes.barh(
                    row, 100 * share, left=left, color=CYCLE_COLOURS[kind], height=0.68
                )
                if share > 0.09:
                    axes.text(
                        left + 50 * share, row, f"{100 * share:.0f}", ha="center",
                        va="center", fontsize=8,
                        color=CYCLE_TEXTS.get(kind, INK),
                    )  # fmt: skip
                left += 100 * share
        names = [paper.LEVEL_NAMES[level] for level in LEVELS]
        axes.set_yticks(range(len(LEVELS)), names)
        axes.set(
            xlim=(0, 100), xlabel="% of the engines' cycles", title=paper.NAMES[app]
        )
        axes.invert_yaxis()
        axes.grid(visible=False)

    return Panel(f"time-{app}", f"Where the cycles of {paper.NAMES[app]} go", draw)


def kernels(results: Results) -> Panel:
    """Compiled and hand-written instructions per packet."""
    found = results.kernels["kernels"]
    names = sorted(found, key=lambda name: found[name]["ratio"])

    def draw(axes: Any) -> None:
        for row, name in enumerate(names):
            hand = found[name]["hand_instructions"]
            ours = found[name]["compiled_instructions"]
            axes.plot([hand, ours], [row, row], color=MUTED, linewidth=1.4, zorder=1)
            axes.plot(hand, row, "D", color=PAGE, markeredgecolor=INK, markersize=6)
            axes.plot(ours, row, "o", color=LEVEL_COLOURS["soar"], markersize=7)
            axes.text(
                ours * 1.06,
                row,
                f"×{found[name]['ratio']:.2f}",
                va="center",
                fontsize=9,
            )
        axes.set_yticks(range(len(names)), names)
        axes.set(
            xscale="log", xlabel="instructions per packet", xlim=(15, 400),
            title="◇ by hand    ● compiled",
        )  # fmt: skip
        axes.set_xticks([20, 50, 100, 200], ["20", "50", "100", "200"])
        axes.minorticks_off()
        axes.grid(axis="y", visible=False)

    return Panel(
        "kernels", "Instructions of compiled and hand-written kernels", draw, (1.5, 1)
    )


def every_app(make: Any, results: Results, *more: Any) -> list[Panel]:
    return [make(results, app, *more) for app in APPS]


#: Legends of bars under several panels: colours and words.
KEYS: dict[str, list[tuple[str, str]]] = {
    "table1": list(zip(COLUMN_COLOURS, COLUMN_NAMES, strict=True)),
    "time": [(CYCLE_COLOURS[kind], name) for kind, name in CYCLE_NAMES.items()],
}
