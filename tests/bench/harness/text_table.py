"""Prints tables of results."""

from __future__ import annotations

from bench.harness.bench import progress


def table(title: str, headings: list[str], rows: list[list[object]]) -> None:
    """Prints rows under headings, with numbers right-aligned."""
    progress("")
    text = [[cell(value) for value in row] for row in rows]
    widths = [
        max(len(line[i]) for line in [headings, *text]) for i in range(len(headings))
    ]
    print(f"\n{title}")
    for line in [headings, ["-" * width for width in widths], *text]:
        first, *rest = (part for part in zip(line, widths, strict=True))
        cells = [first[0].ljust(first[1]), *(part.rjust(width) for part, width in rest)]
        print("  " + "  ".join(cells).rstrip(), flush=True)


def cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
