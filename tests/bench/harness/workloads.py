"""The benchmarks' applications: their traffic, images and runs."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Failed, progress
from npftrace.sweep.runner import Failure
from npftrace.sweep.spec import Point, read_spec
from npftrace.sweep.step import Step
from npftrace.sweep.sweep import Sweep, Traffic, compile_step, simulate_step
from testkit.paths import ROOT
from testkit.workloads import Workload

#: The sweep behind the paper's tables: programs, traffic, levels, engines.
PAPER = ROOT / "tests/bench/paper.yaml"
#: Additional traffic: the options that differ from the main traffic.
FURTHER: dict[str, dict[str, dict[str, Any]]] = {
    "l3-switch": {"bridged": {"bridged": 0.2}, "zipf": {"locality": "zipf"}},
    "firewall": {
        "rules10": {"rules": 10},
        "rules1000": {"rules": 1000},
        "rules10000": {"rules": 10000},
        "zipf": {"locality": "zipf"},
    },
    "mpls": {"zipf": {"locality": "zipf"}},
}
APPS = tuple(FURTHER)


def sweep_traffic(bench: Bench, load: Workload) -> Traffic:
    """A workload as input of a sweep's steps: the digests of its files."""
    store = bench.engine.store
    return Traffic(store.add_file(load.trace), store.add_file(load.control))


@cache
def points() -> list[Point]:
    """The points of the paper's sweep."""
    return read_spec(PAPER)


def point_of(app: str, traffic: str = "", root: Path = ROOT) -> Point:
    """A point of an application with one kind of traffic, profiled with the main
    traffic, so that all use the same image."""
    point = next(point for point in points() if point.name == app)
    further = FURTHER[app][traffic] if traffic else {}
    program = root / point.program.relative_to(ROOT)
    return replace(point, program=program, traffic=point.traffic | further)


def source_of(bench: Bench, app: str) -> Path:
    return point_of(app, root=bench.root).program


def workload(bench: Bench, app: str, traffic: str = "", **more: object) -> Workload:
    """Makes the traffic of an application, once; `more` replaces options."""
    progress(f"making traffic for {app} {traffic}")
    sweep = Sweep(bench.engine, bench.tools)
    made = sweep.traffic([point_of(app, traffic).traffic | more])[0]
    if isinstance(made, Failure) or made.control is None:
        raise Failed(f"no traffic for {app} {traffic}: {made}")
    store = bench.engine.store
    return Workload(store.path(made.trace), store.path(made.control), app)


def image_step(
    bench: Bench, app: str, level: str, load: Workload, **options: object
) -> Step:
    profile = sweep_traffic(bench, load)
    table = {"level": level, **options}
    return compile_step(bench.tools, source_of(bench, app), table, profile)


def image_of(bench: Bench, app: str, level: str, load: Workload) -> Path:
    """Compiles an application at a level, profiled with its own traffic."""
    progress(f"compiling {app}, level {level}")
    return bench.result(image_step(bench, app, level, load), "image.ixp")


def report_of(bench: Bench, app: str, level: str, load: Workload) -> dict[str, Any]:
    """The compiler's report on the same image."""
    step = image_step(bench, app, level, load)
    report: dict[str, Any] = json.loads(bench.result(step, "report.json").read_text())
    return report


def run_options(packets: int, engines: int) -> dict[str, Any]:
    """The first quarter of the packets warms up: until the rings before and after
    the program are full, a few hundred packets meet no queue."""
    return {"packets": packets, "warmup": packets // 4, "mes": engines}


def simulate(
    bench: Bench, image: Path, load: Workload, engines: int, packets: int
) -> dict[str, Any]:
    """The statistics of a run at full load."""
    progress(f"simulating on {engines} engines, {packets} packets")
    store = bench.engine.store
    step = simulate_step(
        store.add_file(bench.tools.ixpsim), store.add_file(image),
        sweep_traffic(bench, load), run_options(packets, engines),
    )  # fmt: skip
    stats: dict[str, Any] = json.loads(bench.result(step, "stats.json").read_text())
    return stats
