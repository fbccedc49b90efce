"""What the benchmark prints and writes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .judge import Verdict
from .sample import Mutant

#: What every folder should reach, in percent.
GOAL = 85

Judged = tuple[Mutant, Verdict]


def summary(judged: list[Judged]) -> dict[str, Any]:
    """The JSON of one folder."""
    killed = sum(verdict.killed for _, verdict in judged)
    survivors = [
        {
            "file": mutant.file,
            "line": mutant.line,
            "column": mutant.column,
            "was": mutant.site.was,
            "becomes": mutant.site.becomes,
            "why": verdict.why,
        }
        for mutant, verdict in in_order(judged)
        if not verdict.killed
    ]
    executed = [v for _, v in judged if not v.killed and v.executed]
    return {
        "sampled": len(judged),
        "killed": killed,
        "survived_executed": len(executed),
        "survived_not_executed": len(survivors) - len(executed),
        "killed_percent": round(100 * killed / max(len(judged), 1), 1),
        "tests_left": sum(bool(v.left) for _, v in judged),
        "survivors": survivors,
        "killers": dict(Counter(v.killer for _, v in judged if v.killed).most_common()),
    }


def in_order(judged: list[Judged]) -> list[Judged]:
    return sorted(judged, key=lambda j: (j[0].file, j[0].line, j[0].column))


HEADINGS = ["folder", "sampled", "killed", "%", "survived", "not executed", ""]


def row(folder: str, of: dict[str, Any]) -> list[object]:
    """The folder's row under HEADINGS."""
    percent = of["killed_percent"]
    return [
        folder,
        of["sampled"],
        of["killed"],
        f"{percent:.1f}",
        of["survived_executed"],
        of["survived_not_executed"],
        "" if percent >= GOAL else f"below {GOAL}",
    ]


def survivors(judged: list[Judged]) -> list[str]:
    """A line each, which an editor can jump to."""
    return [
        f"{mutant}  ({verdict.why})"
        for mutant, verdict in in_order(judged)
        if not verdict.killed
    ]
