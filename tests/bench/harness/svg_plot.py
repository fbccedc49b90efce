"""Line charts as SVG files, without a library, with logarithmic or linear axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

WIDTH, HEIGHT = 720, 480
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 40, 60
COLOURS = ("#1b6ca8", "#d1495b", "#3c8d5a", "#8d6a9f", "#e09f3e", "#5c5c5c")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4")


@dataclass(frozen=True)
class Line:
    """A named curve; curves of a group share a colour."""

    name: str
    group: int
    points: list[tuple[float, float]]


@dataclass(frozen=True)
class Axis:
    """The title and the range of an axis."""

    title: str
    least: float
    most: float
    ticks: list[float]
    is_log: bool = False

    def place(self, value: float) -> float:
        """The position of a value from 0 to 1; values outside the range are clamped."""
        scale = math.log if self.is_log else float
        least, most = scale(self.least), scale(self.most)
        at = scale(min(max(value, self.least), self.most))
        return (at - least) / (most - least)


def powers_of_two(title: str, least: int, most: int) -> Axis:
    ticks = [float(2**i) for i in range(40) if least <= 2**i <= most]
    return Axis(title, least, most, ticks, is_log=True)


def linear(title: str, most: float, step: float) -> Axis:
    count = int(most / step + 0.5)
    return Axis(title, 0, most, [step * i for i in range(count + 1)])


def write_svg(
    path: Path, title: str, x: Axis, y: Axis, lines: list[Line], mark: float | None
) -> None:
    """Draws `lines`; `mark` is a value to mark, such as the line rate."""

    def at(point: tuple[float, float]) -> str:
        across = LEFT + x.place(point[0]) * (WIDTH - LEFT - RIGHT)
        up = HEIGHT - BOTTOM - y.place(point[1]) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{up:.1f}"

    def text(where: str, what: str, style: str = "") -> str:
        across, up = where.split(",")
        return f'<text x="{across}" y="{up}" {style}>{what}</text>'

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(f"{LEFT},24", title, 'font-size="15"'),
    ]
    middle = 'text-anchor="middle"'
    for tick in x.ticks:
        across = at((tick, y.least)).split(",")[0]
        out.append(text(f"{across},{HEIGHT - BOTTOM + 18}", f"{tick:g}", middle))
    for tick in y.ticks:
        left, right = at((x.least, tick)), at((x.most, tick))
        out.append(f'<path d="M{left} L{right}" stroke="#ddd"/>')
        up = float(left.split(",")[1]) + 4
        out.append(text(f"{LEFT - 8},{up:.1f}", f"{tick:g}", 'text-anchor="end"'))
    centre = (LEFT + WIDTH - RIGHT) / 2
    out.append(text(f"{centre},{HEIGHT - 18}", x.title, middle))
    turned = f'{middle} transform="rotate(-90 18 {HEIGHT / 2})"'
    out.append(text(f"18,{HEIGHT / 2}", y.title, turned))
    if mark is not None:
        path_of = f"M{at((x.least, mark))} L{at((x.most, mark))}"
        out.append(f'<path d="{path_of}" stroke="black" stroke-dasharray="4 4"/>')
    seen: dict[int, int] = {}
    for number, line in enumerate(lines):
        member = seen[line.group] = seen.get(line.group, -1) + 1
        style = (
            f'stroke="{COLOURS[line.group % len(COLOURS)]}" stroke-width="1.6" '
            f'stroke-dasharray="{DASHES[member % len(DASHES)]}" fill="none"'
        )
        points = " ".join(at(point) for point in line.points)
        out.append(f'<polyline points="{points}" {style}/>')
        up = TOP + 10 + 18 * number
        begin = WIDTH - RIGHT + 12
        out.append(f'<path d="M{begin},{up} h28" {style}/>')
        out.append(text(f"{begin + 34},{up + 4}", line.name))
    out.append("</svg>")
    path.write_text("\n".join(out) + "\n")
