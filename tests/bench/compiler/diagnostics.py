"""How many errors one mistake gives."""

from __future__ import annotations

import json
from collections import defaultdict
from math import ceil
from typing import Any

from bench.harness.bench import Bench, Missing, progress, run
from bench.harness.text_table import table

MUTANTS = 1000
SEED = 1


def percentile(sorted_values: list[int], share: float) -> int:
    """The least value that `share` of the values do not exceed."""
    return sorted_values[max(ceil(share * len(sorted_values)), 1) - 1]


def diagnostics(bench: Bench, mutants: int = MUTANTS) -> dict[str, Any]:
    """Errors for one mistake in a correct program: 1,000 mutants of the applications
    and examples, from a fixed seed, without those that still compile."""
    tool = bench.build / "tests" / "diagnostics-bench"
    if not tool.exists():
        raise Missing("diagnostics-bench is not built")
    progress(f"compiling {mutants} programs with one mistake")
    _, output = run([str(tool), f"--count={mutants}", f"--seed={SEED}"])
    counts: dict[str, list[int]] = defaultdict(list)
    for line in output.splitlines():
        mutant = json.loads(line)
        counts[mutant["kind"]].append(mutant["errors"])
    everything = sorted(count for kind in counts.values() for count in kind)
    rows: list[list[object]] = []
    for kind, errors in [*sorted(counts.items()), ("all", everything)]:
        errors = sorted(errors)
        rows.append(
            [
                kind,
                len(errors),
                percentile(errors, 0.5),
                percentile(errors, 0.9),
                errors[-1],
            ]
        )
    headings = ["mistake", "programs", "median", "90 %", "most"]
    table("Errors for one mistake", headings, rows)
    return {
        "mutants": len(everything),
        "errors_median": percentile(everything, 0.5),
        "errors_p90": percentile(everything, 0.9),
        "errors_max": everything[-1],
    }
