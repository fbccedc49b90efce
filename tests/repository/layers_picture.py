"""Draws docs/layers.svg from the layer table cmake/Layers.cmake.

python tests/repository/layers_picture.py

A box is a row of the table with its rooms, bottom-up. An arrow leads to a row that
may be included; it is left out if a longer path of arrows leads there.
"""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import matplotlib

sys.path.insert(0, str(Path(__file__).parent))

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from repository import ROOT, layers, rooms

PICTURE = ROOT / "docs/layers.svg"
BOX_WIDTH, ROW_HEIGHT, LINE_HEIGHT = 1.75, 1.45, 0.17
ARROW_COLOR = "#7a8794"
# Colour by what a row belongs to; every other row is the compiler's.
COLORS = {
    "support": "#e8eaec",
    "target-ixp": "#f3e3c3",
    "target-ixp/assembler": "#f3e3c3",
    "target-ixp/microcode": "#f3e3c3",
    "traces": "#d8ecd3",
    "sim-ixp": "#d8ecd3",
}
COMPILER = "#d5e3f3"


def levels() -> dict[str, int]:
    """The line of each row, counted from the bottom: just below the lowest row that
    may include it, or just above the highest that it may include if there is none."""
    lowest: dict[str, int] = {}
    for name, row in layers().items():  # bottom-up
        lowest[name] = 1 + max((lowest[r] for r in row.may_include), default=-1)
    found: dict[str, int] = {}
    for name in reversed(layers()):
        users = [found[u] for u, row in layers().items() if name in row.may_include]
        found[name] = min(users) - 1 if users else lowest[name]
    return found


def reachable() -> dict[str, frozenset[str]]:
    """The rows that each row reaches in one step or more."""
    found: dict[str, frozenset[str]] = {}
    for name, row in layers().items():
        found[name] = row.may_include.union(*(found[r] for r in row.may_include))
    return found


def arrows() -> list[tuple[str, str]]:
    """The arrows that no longer path implies, in the table's order."""
    reach = reachable()
    return [
        (name, below)
        for name, row in layers().items()
        for below in layers()
        if below in row.may_include
        and not any(below in reach[other] for other in row.may_include)
    ]


def positions() -> dict[str, tuple[float, float]]:
    """The centre of each box: a line for each level, spread over the width."""
    level = levels()
    lines = [
        [n for n in layers() if level[n] == i] for i in range(1 + max(level.values()))
    ]
    width = max(map(len, lines))
    return {
        name: ((i + 0.5) * width / len(line) * (BOX_WIDTH + 0.2), y * ROW_HEIGHT)
        for y, line in enumerate(lines)
        for i, name in enumerate(line)
    }


def label(name: str) -> list[str]:
    """The rooms of a row, top of the folder first, as lines of its box."""
    inside = [room for room in reversed(rooms().get(name, ())) if room != "."]
    return [" · ".join(inside[i : i + 2]) for i in range(0, len(inside), 2)]


def svg() -> str:
    """The picture; the same bytes for the same table."""
    at = positions()
    x_max = max(x for x, _ in at.values()) + BOX_WIDTH
    y_max = max(y for _, y in at.values())
    figure = Figure(figsize=(x_max * 0.82, (y_max + ROW_HEIGHT) * 0.82))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(-0.1, x_max - 0.4)
    axes.set_ylim(-0.75, y_max + 0.75)
    axes.axis("off")
    half = {name: 0.22 + LINE_HEIGHT / 2 * len(label(name)) for name in at}
    for name, below in arrows():
        (x0, y0), (x1, y1) = at[name], at[below]
        arrow = FancyArrowPatch(
            (x0, y0 - half[name]),
            (x1, y1 + half[below]),
            arrowstyle="-|>",
            mutation_scale=9,
            linewidth=0.9,
            color=ARROW_COLOR,
            shrinkA=0,
            shrinkB=0,
        )
        arrow.set_gid(f"{name} includes {below}")
        axes.add_patch(arrow)
    for name, (x, y) in at.items():
        axes.add_patch(
            FancyBboxPatch(
                (x - BOX_WIDTH / 2, y - half[name]),
                BOX_WIDTH,
                2 * half[name],
                boxstyle="round,pad=0,rounding_size=0.06",
                facecolor=COLORS.get(name, COMPILER),
                edgecolor="#4a5560",
                linewidth=0.8,
            )
        )
        inside = label(name)
        top = y + LINE_HEIGHT / 2 * len(inside)
        axes.text(x, top, name, ha="center", va="center", fontsize=8.5, weight="bold")
        for i, line in enumerate(inside, 1):
            axes.text(
                x,
                top - i * LINE_HEIGHT - 0.03,
                line,
                ha="center",
                va="center",
                fontsize=7,
            )
    out = StringIO()
    with matplotlib.rc_context(
        {"svg.hashsalt": "karakal", "svg.fonttype": "none", "font.family": "sans-serif"}
    ):
        figure.savefig(
            out, format="svg", metadata={"Date": None, "Title": "The layers of Karakal"}
        )
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(svg())
