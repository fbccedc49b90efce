"""The throughput model and the mapping that it leads to, against simulation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import (
    TRAFFIC,
    Bench,
    Failed,
    Missing,
    Workload,
    cases,
    image_of,
    simulate,
    source_of,
    workload,
)
from tables import table

#: The level at which mappings are compared, and the engines for them.
CHOICE_LEVEL, CHOICE_ENGINES = "o1", 6
#: Mappings of one application that are simulated at most.
CHOICES_MAX = 16


def model(bench: Bench) -> dict[str, Any]:
    """What the compiler's throughput model predicts, against the simulator."""
    results: list[dict[str, Any]] = []
    rows: list[list[object]] = []
    for app, level, image, load in cases(bench):
        row: list[object] = [app, level]
        for predicted in predictions(bench, app.split(".")[0], level, load):
            engines = predicted["engines"]
            if engines not in bench.engines:
                continue
            _, stats = simulate(bench, image, load, engines, bench.packets)
            simulated = served_gbps(stats)
            results.append(
                {
                    "app": app,
                    "level": level,
                    "mes": engines,
                    "predicted_gbps": predicted["gbps"],
                    "simulated_gbps": simulated,
                    "bottleneck": predicted["bottleneck"],
                }
            )
            error = predicted["gbps"] / simulated - 1
            row.append(f"{predicted['gbps']:.2f}/{simulated:.2f} {error:+.0%}")
        rows.append(row)
    headings = ["application", "level", *(f"{n} ME" for n in bench.engines)]
    table("Rate in Gbps, predicted/simulated", headings, rows)
    errors = [abs(r["predicted_gbps"] / r["simulated_gbps"] - 1) for r in results]
    summary = {
        "max_relative_error": max(errors, default=0.0),
        "mean_relative_error": sum(errors) / max(len(errors), 1),
        "worst_choice_over_best": worst_choice(bench),
    }
    print(
        f"  relative error: largest {summary['max_relative_error']:.1%}, "
        f"mean {summary['mean_relative_error']:.1%}; chosen mapping over the "
        f"best: {summary['worst_choice_over_best']:.1%} at worst"
    )
    return {"apps": results, **summary}


def served_gbps(stats: dict[str, Any]) -> float:
    """Rate of the packets that were dealt with: those that the program drops
    are served as well."""
    packets = stats["packets"]
    share = packets["forwarded"] / max(packets["received"], 1)
    gbps: float = stats["rate"]["forwarded_gbps"] / max(share, 1e-9)
    return gbps


def predictions(
    bench: Bench, app: str, level: str, load: Workload
) -> list[dict[str, Any]]:
    """The rates that the report predicts, by number of engines."""
    report = bench.folder / "model.json"
    bench.run(
        "bakerc", source_of(app), f"--level={level}", f"--report={report}",
        f"--profile-trace={load.trace}", f"--control={load.control}",
        "-o", bench.folder / "model.ixp",
    )  # fmt: skip
    by_engines: list[dict[str, Any]] = json.loads(report.read_text())["predicted"][
        "by_engines"
    ]
    return by_engines


def worst_choice(bench: Bench) -> float:
    """Rate of the mapping that the compiler chooses over that of the best one
    among all that cut the PPFs of the engines in two; the least of all
    applications."""
    worst = 1.0
    rows: list[list[object]] = []
    for app in TRAFFIC:
        try:
            load = workload(bench, app)
        except Missing as missing:
            bench.leave_out(missing)
            continue
        chosen = rate(bench, image_of(bench, app, CHOICE_LEVEL, load), load)
        best, mapping = chosen, "the chosen one"
        for part in cuts(hot_ppfs(bench, app, load)):
            found = rate_of_cut(bench, app, load, part)
            if found > best:
                best, mapping = found, "+".join(part)
        worst = min(worst, chosen / best)
        rows.append([app, chosen, best, mapping])
    headings = ["application", "chosen (Gbps)", "best (Gbps)", "best mapping"]
    table(f"Mappings, {CHOICE_LEVEL}, {CHOICE_ENGINES} engines", headings, rows)
    return worst


def hot_ppfs(bench: Bench, app: str, load: Workload) -> list[str]:
    """PPFs of the engines, as module.ppf."""
    predictions(bench, app, CHOICE_LEVEL, load)
    report = json.loads((bench.folder / "model.json").read_text())
    names = [name for a in report["aggregates"] for name in a["ppfs"]]
    return list(dict.fromkeys(name.rpartition(".")[0] for name in names))


def cuts(ppfs: list[str]) -> Iterator[list[str]]:
    """Each way to put some of the PPFs, not all, into a second aggregate."""
    for bits in range(1, min(2 ** len(ppfs) - 1, CHOICES_MAX + 1)):
        yield [ppf for i, ppf in enumerate(ppfs) if bits >> i & 1]


def rate_of_cut(bench: Bench, app: str, load: Workload, part: list[str]) -> float:
    """0 for a mapping that the compiler refuses."""
    mapping, image = bench.folder / "cut.mapping", bench.folder / "cut.ixp"
    rest = [ppf for ppf in hot_ppfs(bench, app, load) if ppf not in part]
    lines = ["aggregate one", *part, "aggregate two", *rest]
    mapping.write_text("\n".join(lines) + "\n")
    try:
        bench.run(
            "bakerc", source_of(app), f"--level={CHOICE_LEVEL}",
            f"--profile-trace={load.trace}", f"--control={load.control}",
            f"--mapping={mapping}", "-o", image,
        )  # fmt: skip
    except Failed:
        return 0.0
    return rate(bench, image, load)


def rate(bench: Bench, image: Path, load: Workload) -> float:
    _, stats = simulate(bench, image, load, CHOICE_ENGINES, bench.packets)
    gbps: float = stats["rate"]["forwarded_gbps"]
    return gbps


def profile_speed(bench: Bench) -> dict[str, Any]:
    """Packets a second of the functional profiler, all counts taken."""
    result: dict[str, Any] = {}
    for app in TRAFFIC:
        try:
            load = workload(bench, app)
            stats = bench.folder / f"{app}-x86.json"
            said = bench.output(
                "bakerc", source_of(app), "--run", f"--trace={load.trace}",
                f"--control={load.control}", f"--stats={stats}",
            )  # fmt: skip
        except Missing as missing:
            bench.leave_out(missing)
            continue
        found = re.search(r"([0-9.]+) million packets", said)
        result[app] = float(found.group(1)) * 1e6 if found else 0.0
    rows: list[list[object]] = [[app, rate] for app, rate in result.items()]
    table("Functional profiler", ["application", "packets/s"], rows)
    return {"packets_per_s": result}
