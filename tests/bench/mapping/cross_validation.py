"""The fitted figures of the throughput model, cross-validated: fitted without an
application, they predict that application.

``PYTHONPATH=traces:tests python -m bench.mapping.cross_validation`` records the points
of the quick test (tests/bench/mapping/model_points.json)."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Missing, run
from bench.harness.text_table import table

Row = dict[str, Any]
RECORDED = Path(__file__).parent / "model_points.json"


def engines_of(aggregates: list[Row], count: int) -> list[int]:
    """The engines that run each aggregate if `count` engines of an image do: one
    each, then the others in order (sim-ixp/run/Loader.cpp)."""
    left = count - len(aggregates)
    found = []
    for aggregate in aggregates:
        more = min(left, len(aggregate["engines"]) - 1)
        found.append(1 + more)
        left -= more
    return found


def point_of(
    app: str, level: str, count: int, report: Row, simulated_gbps: float
) -> Row:
    """A point for the tool model-fits."""
    aggregates = report["aggregates"]
    stages = [
        {"engines": engines, "model": aggregate["model"]}
        for aggregate, engines in zip(
            aggregates, engines_of(aggregates, count), strict=True
        )
    ]
    return {
        "app": app,
        "level": level,
        "mes": count,
        "simulated_gbps": simulated_gbps,
        "stages": stages,
    }


def fit(tool: Path, points: Path) -> Row:
    """What model-fits finds for a file of points."""
    _, output = run([str(tool), str(points)])
    found: Row = json.loads(output)
    return found


def residuals(points: list[Row], key: str) -> dict[str, list[float]]:
    """Relative errors of the predictions `key`, by application."""
    errors: dict[str, list[float]] = defaultdict(list)
    for point in points:
        errors[point["app"]].append(point[key] / point["simulated_gbps"] - 1)
    return errors


def validate(bench: Bench, points: list[Row]) -> Row:
    """Fits the figures to `points` without each application, prints the residuals."""
    tool = bench.build / "tests" / "model-fits"
    if not tool.exists():
        raise Missing("model-fits is not built")
    file = bench.folder / "model-points.json"
    file.write_text(json.dumps(points))
    return show(fit(tool, file))


def show(found: Row) -> Row:
    """Prints a table with a row for each application that a fit has not seen."""
    unseen = residuals(found["points"], "unseen_gbps")
    seen = residuals(found["points"], "fitted_gbps")
    rows: list[list[object]] = []
    for app, errors in unseen.items():
        fitted = found["fits"][app]
        rows.append(
            [
                app,
                f"{fitted['unit_loss']:.2f}",
                f"{mean(errors):.1%}",
                f"{largest(errors):.1%}",
                f"{mean(seen[app]):.1%}",
                f"{largest(seen[app]):.1%}",
            ]
        )
    headings = [
        "left out", "unitLoss", "mean", "largest", "mean, seen",
        "largest, seen",
    ]  # fmt: skip
    table("Relative errors of the throughput model, cross-validated", headings, rows)
    return found


def mean(errors: list[float]) -> float:
    return sum(map(abs, errors)) / len(errors)


def largest(errors: list[float]) -> float:
    return max(map(abs, errors))


def record(folder: Path) -> None:
    """Writes the points from the reports and statistics that `folder` holds:
    APP.LEVEL.json and APP.LEVEL.ENGINES.stats.json."""
    points = []
    for report in sorted(folder.glob("*.*.json")):
        if report.name.endswith(".stats.json"):
            continue
        app, level = report.stem.split(".")
        for stats in sorted(folder.glob(f"{report.stem}.*.stats.json")):
            count = int(stats.name.split(".")[2])
            run_of = json.loads(stats.read_text())
            packets = run_of["packets"]
            share = packets["forwarded"] / packets["received"]
            gbps = run_of["rate"]["forwarded_gbps"] / share
            points.append(
                point_of(app, level, count, json.loads(report.read_text()), gbps)
            )
    RECORDED.write_text(json.dumps(rounded(points), separators=(",", ":")) + "\n")


def rounded(value: Any) -> Any:
    """The value with six significant digits."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return value


if __name__ == "__main__":
    record(Path(sys.argv[1]))
