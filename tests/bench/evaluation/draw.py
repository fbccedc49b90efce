"""Panels: small charts of one size, as SVG, as PNG, and as SVG within the page.
There, colours are variables of the page, so that they follow its light or dark
mode."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import itertools

from matplotlib import pyplot

SIZE_INCHES = (4.6, 3.7)
PNG_DPI = 160

#: Colours by the name of the page's CSS variable; files have these values. The
#: paper's curves are always rust-coloured.
INK, MUTED, GRID, PAGE, PAPER = "#1b1f24", "#6b7178", "#e3e1dc", "#fefefe", "#b4522a"
BAND, IDLE = "#f6e7df", "#d6d3cb"
VARIABLES = {
    INK: "ink", MUTED: "muted", GRID: "grid", PAGE: "page", PAPER: "paper",
    BAND: "band", IDLE: "idle",
}  # fmt: skip
#: Levels: greys before packet access is combined, colours from there on.
LEVEL_COLOURS = {
    "base": "#b3b0a9", "o1": "#95928b", "o2": "#76736d", "pac": "#74a9d8",
    "soar": "#2f78b7", "phr": "#2a9d8a", "swc": "#7d55b4",
}  # fmt: skip
LEVEL_MARKERS = dict(zip(LEVEL_COLOURS, "osv^DPX", strict=True))
#: Columns of Table 1: packet scratch, SRAM, DRAM; application scratch, SRAM.
COLUMN_COLOURS = ("#c9c5bb", "#74a9d8", "#2f78b7", "#d9c48a", "#2a9d8a")
CYCLE_COLOURS = {
    "issue": "#2f78b7", "aborted": "#9fc4e4", "stall": "#d9a441", "idle": IDLE,
}  # fmt: skip

STYLE: dict[str, Any] = {
    "svg.hashsalt": "karakal",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.facecolor": PAGE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "figure.facecolor": PAGE,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "hatch.linewidth": 0.8,
}


@dataclass(frozen=True)
class Panel:
    """One chart; its files have its name."""

    name: str
    alt: str
    draw: Callable[[Any], None]
    #: Width and height relative to a usual panel.
    scale: tuple[float, float] = (1.0, 1.0)

    def save(self, folder: Path) -> str:
        """Writes SVG and PNG; returns the SVG for the page."""
        with matplotlib.rc_context(STYLE):
            size = [
                inches * by for inches, by in zip(SIZE_INCHES, self.scale, strict=True)
            ]
            figure, axes = pyplot.subplots(figsize=size, layout="constrained")
            self.draw(axes)
            # No date and no version: the same results give the same bytes.
            text = io.StringIO()
            figure.savefig(text, format="svg", metadata={"Date": None})
            figure.savefig(
                folder / f"{self.name}.png", dpi=PNG_DPI, metadata={"Software": None}
            )
            pyplot.close(figure)
        (folder / f"{self.name}.svg").write_text(text.getvalue())
        return self._inlined(text.getvalue())

    def _inlined(self, svg: str) -> str:
        svg = svg[svg.index("<svg") :]
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
        svg = on_page(svg)
        # Names are unique within the page, and the page sets the size.
        svg = re.sub(r'\bid="', f'id="{self.name}-', svg)
        svg = re.sub(r'(href="|url\()#', rf"\g<1>#{self.name}-", svg)
        svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
        svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
        return svg.replace("<svg", f'<svg role="img" aria-label="{self.alt}"', 1)


def on_page(text: str) -> str:
    """Replaces fixed colours by variables of the page."""
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, f"var(--{variable})")
    return text


def spread(values: list[float], least: float) -> list[float]:
    """Positions for labels at `values`, in order and at least `least` apart."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    places = list(values)
    for _ in range(200):
        moved = False
        for low, high in itertools.pairwise(order):
            lack = least - (places[high] - places[low])
            if lack > 1e-9:
                places[low] -= lack / 2
                places[high] += lack / 2
                moved = True
        if not moved:
            break
    return places
