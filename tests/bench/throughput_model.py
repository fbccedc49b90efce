"""The throughput model and the mapping that it leads to, against simulation."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import (
    APPS,
    Bench,
    Failed,
    Grid,
    Missing,
    Workload,
    grid,
    image_of,
    image_step,
    report_of,
    simulate,
    source_of,
    workload,
)
from mappings import shares
from npftrace.sweep.points import PointResult
from tables import table

#: The level at which mappings are compared, and the engines for them.
CHOICE_LEVEL, CHOICE_ENGINES = "o1", 6
#: Mappings of one application that are simulated at most.
CHOICES_MAX = 40


Row = dict[str, Any]


def model(bench: Bench) -> Row:
    """What the compiler's throughput model predicts, against the simulator."""
    results = compared(grid(bench, bench.engines))
    cells: dict[tuple[str, str], list[object]] = {}
    for row in results:
        text = f"{row['predicted_gbps']:.2f}/{row['simulated_gbps']:.2f}"
        text += f" {row['relative_error']:+.0%}"
        cells.setdefault((row["app"], row["level"]), []).append(text)
    headings = ["application", "level", *(f"{n} ME" for n in bench.engines)]
    rows = [[*key, *row] for key, row in cells.items()]
    table("Rate in Gbps, predicted/simulated", headings, rows)
    errors = [abs(row["relative_error"]) for row in results]
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


def compared(found: Grid) -> list[Row]:
    """One row a run that the report predicts."""
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
    """Rate of the packets that were dealt with: those that the program drops
    are served as well."""
    packets = result.stats["packets"]
    share = packets["forwarded"] / max(packets["received"], 1)
    gbps: float = result.stats["rate"]["forwarded_gbps"] / max(share, 1e-9)
    return gbps


def worst_choice(bench: Bench) -> float:
    """Rate of the mapping that the compiler chooses over that of the best one
    among all, or a fixed sample of them; the least of all applications."""
    worst = 1.0
    rows: list[list[object]] = []
    for app in APPS:
        try:
            load = workload(bench, app)
        except Missing as missing:
            bench.leave_out(missing)
            continue
        chosen = rate(bench, image_of(bench, app, CHOICE_LEVEL, load), load)
        best, mapping = chosen, "the chosen one"
        every = list(all_mappings(hot_ppfs(bench, app, load)))
        tried = random.Random(1).sample(every, min(len(every), CHOICES_MAX))
        refused = 0
        for text in tried:
            found = rate_of(bench, app, load, text)
            refused += found == 0.0
            if found > best:
                best, mapping = found, " ".join(text.split())
        worst = min(worst, chosen / best)
        counts = f"{len(tried) - refused} + {refused} refused of {len(every)}"
        rows.append([app, chosen, best, counts, mapping])
    headings = ["application", "chosen (Gbps)", "best (Gbps)", "tried", "best mapping"]
    table(f"Mappings, {CHOICE_LEVEL}, {CHOICE_ENGINES} engines", headings, rows)
    return worst


def hot_ppfs(bench: Bench, app: str, load: Workload) -> list[str]:
    """PPFs of the engines, as module.ppf."""
    report = report_of(bench, app, CHOICE_LEVEL, load)
    names = [name for a in report["aggregates"] for name in a["ppfs"]]
    return list(dict.fromkeys(name.rpartition(".")[0] for name in names))


def partitions(ppfs: list[str]) -> Iterator[list[list[str]]]:
    """Each way to put PPFs into aggregates."""
    if not ppfs:
        yield []
        return
    first, *others = ppfs
    for parts in partitions(others):
        yield [[first], *parts]
        for i, part in enumerate(parts):
            yield [*parts[:i], [first, *part], *parts[i + 1 :]]


def all_mappings(ppfs: list[str]) -> Iterator[str]:
    """Mapping files: every partition with every way to share out the engines."""
    for parts in partitions(ppfs):
        if len(parts) > CHOICE_ENGINES:
            continue
        for share in shares(len(parts), CHOICE_ENGINES):
            yield "".join(
                f"aggregate a{i} {engines}\n" + "".join(f"  {ppf}\n" for ppf in part)
                for i, (part, engines) in enumerate(zip(parts, share, strict=True))
            )


def rate_of(bench: Bench, app: str, load: Workload, text: str) -> float:
    """0 for a mapping that the compiler refuses: packets would come back to an
    aggregate, or the code does not fit."""
    mapping = bench.engine.store.add(text.encode())
    path = bench.engine.store.path(mapping)
    step = image_step(bench, app, CHOICE_LEVEL, load, mapping=path)
    try:
        return rate(bench, bench.result(step, "image.ixp"), load)
    except Failed:
        return 0.0


def rate(bench: Bench, image: Path, load: Workload) -> float:
    stats = simulate(bench, image, load, CHOICE_ENGINES, bench.packets)
    gbps: float = stats["rate"]["forwarded_gbps"]
    return gbps


def profile_speed(bench: Bench) -> dict[str, Any]:
    """Packets a second of the functional profiler, all counts taken."""
    result: dict[str, Any] = {}
    for app in APPS:
        try:
            load = workload(bench, app)
            stats = bench.folder / f"{app}-x86.json"
            said = bench.output(
                "bakerc", source_of(bench, app), "--run", f"--trace={load.trace}",
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
