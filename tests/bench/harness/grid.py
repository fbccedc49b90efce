"""Runs of the applications at every level, on every number of engines."""

from __future__ import annotations

from dataclasses import replace

from bench.harness.bench import Bench, Failed
from bench.harness.workloads import APPS, FURTHER, point_of, run_options
from npftrace.sweep.sweep import PointResult, Sweep
from testkit.applications import LEVELS

#: Results by application and traffic, level, and engines.
Grid = dict[tuple[str, str, int], PointResult]


def grid(
    bench: Bench,
    engines: tuple[int, ...],
    apps: tuple[str, ...] = APPS,
    levels: tuple[str, ...] = LEVELS,
) -> Grid:
    """Runs the applications at these levels on these numbers of engines, with
    additional traffic if the benchmark asks for it."""
    keys: list[tuple[str, str, int]] = []
    wanted = []
    for app in apps:
        for traffic in ("", *FURTHER[app]) if bench.all_sets else ("",):
            point = point_of(app, traffic, bench.root)
            name = f"{app}.{traffic}" if traffic else app
            for level in levels:
                for count in engines:
                    keys.append((name, level, count))
                    options = run_options(bench.packets, count)
                    wanted.append(
                        replace(point, compile={"level": level}, simulate=options)
                    )
    found = Sweep(bench.engine, bench.tools).run(wanted)
    for key, result in zip(keys, found, strict=True):
        if result.error:
            raise Failed(f"{key}: {result.error}")
    return dict(zip(keys, found, strict=True))
