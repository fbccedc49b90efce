"""The results of a sweep as JSON and as Parquet: points in the spec's order,
nothing that depends on where or when they ran."""

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
    """Parameters by their dotted names, then statistics by theirs."""
    table = as_table(result)
    row = dict(table.pop("parameters"))
    return row | flat(table.pop("stats", {})) | table


def write_parquet(path: Path, results: Sequence[PointResult]) -> None:
    """One row a point; a column that a point has not is null there."""
    # Slow to load, and needed here alone.
    import pyarrow
    from pyarrow import parquet

    rows = [as_row(result) for result in results]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: _alike([row.get(name) for row in rows]) for name in names}
    parquet.write_table(pyarrow.table(columns), path)


def _alike(values: list[object]) -> list[object]:
    """Values of one column by one type: numbers as they are, else texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return [float(v) if float in kinds and v is not None else v for v in values]  # type: ignore[arg-type]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return values
