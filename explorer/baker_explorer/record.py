"""The packets and spans of a run in SQLite, so that a view reads a page of them.

The packets are read when the run is made. There are many more spans, which only a
look into an engine asks for: they are read then.
"""

from __future__ import annotations

import csv
import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Columns by table, as in the files of `ixpsim --record`.
_TABLES = {
    "packets": (
        "number INTEGER PRIMARY KEY, fate TEXT, received INTEGER, taken INTEGER, "
        "left INTEGER, latency INTEGER, port INTEGER"
    ),
    "spans": (
        "engine INTEGER, context INTEGER, begin INTEGER, cycles INTEGER, "
        "state TEXT, pc INTEGER, wait TEXT"
    ),
}
_INDEXES = {
    "packets": (
        "CREATE INDEX by_latency ON packets (latency DESC, number)",
        "CREATE INDEX by_fate ON packets (number) WHERE fate != 'forwarded'",
    ),
    "spans": ("CREATE INDEX by_engine ON spans (engine, begin)",),
}
#: Ways to choose packets: condition and order by what the page calls them.
CHOICES = {
    "slowest": ("latency IS NOT NULL", "latency DESC, number"),
    "not forwarded": ("fate != 'forwarded'", "number"),
    "all, by number": ("1", "number"),
}


@dataclass(frozen=True)
class Span:
    """A context runs, is ready, or waits."""

    context: int
    begin: int
    cycles: int
    state: str
    pc: int | None
    wait: str


def _fill(base_path: Path, table: str, source: Path) -> None:
    """Makes a database with a table from a CSV file, which it removes."""
    base_path.unlink(missing_ok=True)  # of an attempt that was ended
    columns = _TABLES[table]
    marks = ", ".join(["nullif(?, '')"] * len(columns.split(",")))
    with sqlite3.connect(base_path) as base, source.open(newline="") as file:
        base.execute("PRAGMA synchronous = OFF")
        base.execute("PRAGMA journal_mode = OFF")
        base.execute(f"CREATE TABLE {table} ({columns})")
        reader = csv.reader(file)
        next(reader)
        base.executemany(f"INSERT INTO {table} VALUES ({marks})", reader)
        for index in _INDEXES[table]:
            base.execute(index)
    base.close()
    source.unlink()


def _page(choice: str) -> str:
    condition, order = CHOICES[choice]
    return f"SELECT * FROM packets WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"


class Record:
    """The databases of a run: `path` with the packets, and one with the spans."""

    def __init__(self, path: Path, spans: Path) -> None:
        self._path = path
        self._spans_csv = spans
        self._spans_path = path.with_suffix(".spans.sqlite")
        self._reading = threading.Lock()

    @staticmethod
    def make(csv_files: Path, path: Path) -> Record:
        """Reads the files that `ixpsim --record=csv_files` wrote, and removes
        them; the file of the spans when they are first asked for."""
        packets, spans = (
            csv_files.with_name(f"{csv_files.name}.{table}.csv") for table in _TABLES
        )
        _fill(path, "packets", packets)
        return Record(path, spans)

    def _ask(
        self, query: str, *values: Any, path: Path | None = None
    ) -> list[tuple[Any, ...]]:
        base = sqlite3.connect(f"file:{path or self._path}?mode=ro", uri=True)
        try:
            return base.execute(query, values).fetchall()
        finally:
            base.close()

    def count(self, choice: str) -> int:
        """The number of packets of a choice (CHOICES)."""
        condition, _ = CHOICES[choice]
        return int(self._ask(f"SELECT count(*) FROM packets WHERE {condition}")[0][0])

    def packets(self, choice: str, first: int, count: int) -> list[dict[str, Any]]:
        """A page of the packets of a choice."""
        names = [column.split()[0] for column in _TABLES["packets"].split(", ")]
        rows = self._ask(_page(choice), count, first)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def plan(self, choice: str) -> str:
        """How SQLite finds a page of a choice."""
        rows = self._ask("EXPLAIN QUERY PLAN " + _page(choice), 1, 0)
        return "\n".join(str(row[-1]) for row in rows)

    def spans(self, engine: int, begin: int, end: int) -> list[Span]:
        """What the contexts of an engine do between two cycles, as far as it was
        kept."""
        with self._reading:
            if self._spans_csv.exists():
                _fill(self._spans_path, "spans", self._spans_csv)
        # A span is found by its beginning; waits that are longer began before.
        rows = self._ask(
            "SELECT context, begin, cycles, state, pc, wait FROM spans WHERE "
            "engine = ? AND begin >= ? AND begin < ? AND begin + cycles > ? "
            "ORDER BY context, begin",
            engine,
            begin - (1 << 16),
            end,
            begin,
            path=self._spans_path,
        )
        return [
            Span(context, at, cycles, state, pc, wait or "")
            for context, at, cycles, state, pc, wait in rows
        ]
