"""Writes the results of a sweep as JSON and as Parquet.

Points are in the spec's order, and nothing depends on where or when they ran.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from npftrace.sweep.spec import Table, flat
from npftrace.sweep.sweep import PointResult


def as_table(result: PointResult) -> Table:
    found: Table = {"parameters": result.point.parameters()}
    if result.error:
        return found | {"error": result.error}
    return found | {
        "code_words": result.code_words,
        "predicted_gbps": result.predicted_gbps(),
        "stats": result.stats,
    }


def write_json(path: Path, results: Sequence[PointResult]) -> None:
    whole = {"schema": 1, "points": [as_table(result) for result in results]}
    path.write_text(json.dumps(whole, indent=1) + "\n")


def as_row(result: PointResult) -> Table:
    """Parameters, then statistics, by their dotted names."""
    table = as_table(result)
    row = dict(table.pop("parameters"))
    return row | flat(table.pop("stats", {})) | table


def write_parquet(path: Path, results: Sequence[PointResult]) -> None:
    """Writes one row per point; columns that a point lacks are null."""
    # Slow to load, so only loaded here.
    import pyarrow
    from pyarrow import parquet

    rows = [as_row(result) for result in results]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: _of_one_type([row.get(name) for row in rows]) for name in names}
    parquet.write_table(pyarrow.table(columns), path)


def _of_one_type(values: list[object]) -> list[object]:
    """The values of a column in one type: numbers, or else text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return [float(v) if float in kinds and v is not None else v for v in values]  # type: ignore[arg-type]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return values
