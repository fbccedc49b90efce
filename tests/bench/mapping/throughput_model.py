"""The throughput model and the mapping that it leads to, against simulation."""

from __future__ import annotations

from typing import Any

from bench.harness.bench import Bench, Missing
from bench.harness.grid import Grid, grid
from bench.harness.text_table import table
from bench.harness.workloads import APPS, source_of, workload
from bench.harness.x86_run import packets_per_s
from bench.mapping.cross_validation import point_of, validate
from bench.mapping.mappings import app_mappings, show
from npftrace.sweep.sweep import PointResult

Row = dict[str, Any]


def model(bench: Bench) -> Row:
    """What the compiler's throughput model predicts, against the simulator."""
    found = grid(bench, bench.engines)
    results = compared(found)
    cells: dict[tuple[str, str], list[object]] = {}
    for row in results:
        text = f"{row['predicted_gbps']:.2f}/{row['simulated_gbps']:.2f}"
        text += f" {row['relative_error']:+.0%}"
        cells.setdefault((row["app"], row["level"]), []).append(text)
    headings = ["application", "level", *(f"{n} ME" for n in bench.engines)]
    rows = [[*key, *row] for key, row in cells.items()]
    table("Rate in Gbps, predicted/simulated", headings, rows)
    validated = cross_validated(bench, found)
    choices = app_mappings(bench)
    show("Mappings of the applications on 6 engines", choices)
    errors = [abs(row["relative_error"]) for row in results]
    summary = {
        "max_relative_error": max(errors, default=0.0),
        "mean_relative_error": sum(errors) / max(len(errors), 1),
        "worst_choice_over_best": min(
            (row["chosen_over_best"] for row in choices), default=1.0
        ),
    }
    print(
        f"  relative error: largest {summary['max_relative_error']:.1%}, "
        f"mean {summary['mean_relative_error']:.1%}; chosen mapping over the "
        f"best: {summary['worst_choice_over_best']:.1%} at worst"
    )
    return {"apps": results, **summary, "cross_validation": validated}


def cross_validated(bench: Bench, found: Grid) -> Row | None:
    """The fits without one application; None without the tool."""
    points = [
        point_of(app, level, engines, result.report, served_gbps(result))
        for (app, level, engines), result in found.items()
    ]
    try:
        return validate(bench, points)
    except Missing as missing:
        bench.leave_out(missing)
        return None


def compared(found: Grid) -> list[Row]:
    """One row per run that the report predicts."""
    rows: list[Row] = []
    for (app, level, engines), result in found.items():
        predicted = result.predicted_gbps()
        if predicted is None:
            continue
        simulated = served_gbps(result)
        rows.append(
            {
                "app": app,
                "level": level,
                "mes": engines,
                "predicted_gbps": predicted,
                "simulated_gbps": simulated,
                "relative_error": predicted / simulated - 1,
            }
        )
    return rows


def served_gbps(result: PointResult) -> float:
    """The rate of processed packets, including those that the program drops."""
    packets = result.stats["packets"]
    share = packets["forwarded"] / max(packets["received"], 1)
    gbps: float = result.stats["rate"]["forwarded_gbps"] / max(share, 1e-9)
    return gbps


def profile_speed(bench: Bench) -> dict[str, Any]:
    """Packets per second of the functional profiler with all counters on."""
    result: dict[str, Any] = {}
    for app in APPS:
        try:
            load = workload(bench, app)
            result[app] = packets_per_s(bench, source_of(bench, app), load)
        except Missing as missing:
            bench.leave_out(missing)
    rows: list[list[object]] = [[app, rate] for app, rate in result.items()]
    table("Functional profiler", ["application", "packets/s"], rows)
    return {"packets_per_s": result}
