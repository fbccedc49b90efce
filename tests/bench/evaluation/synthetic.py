"""Synthetic results, for tests of the report and its claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.evaluation.results import ENGINES, KNOBS, MOST, Results
from bench.harness.bench import Bench
from bench.harness.grid import Grid
from bench.harness.workloads import APPS, point_of
from npftrace.sweep.sweep import PointResult
from testkit.applications import LEVELS

#: Gbps of one engine by level; more engines add up to MOST_GBPS.
RATES = dict(zip(LEVELS, (0.1, 0.2, 0.25, 0.7, 0.9, 1.0, 1.1), strict=True))
MOST_GBPS = dict(zip(LEVELS, (0.3, 0.5, 0.52, 2.6, 2.7, 2.8, 2.9), strict=True))
ACCESSES = dict(zip(LEVELS, (90, 80, 80, 25, 25, 18, 14), strict=True))


def stats(level: str, engines: int) -> dict[str, Any]:
    gbps = min(MOST_GBPS[level], engines * RATES[level])
    accesses = ACCESSES[level]
    parts = {"issue_cycles": 50, "aborted_cycles": 20, "stall_cycles": 1}
    engine = {"role": "app", "cycles": 100, "idle_cycles": 29, "instructions": 50}
    cached = [{"global": f"m.table{i}", "reads": 10} for i in range(2)]
    return {
        "rate": {
            "forwarded_gbps": gbps,
            "forwarded_mpps": gbps / 0.512,
            "port_utilization": gbps / 3.05,
        },
        "packets": {"received": 100, "forwarded": 100},
        "per_packet": {
            "packets": 100,
            "instructions": 1000.0 - 100 * LEVELS.index(level),
            "packet": {
                "scratch": 2.0,
                "sram": accesses / (2 if level not in ("phr", "swc") else 9),
                "dram": 2.0 if accesses < 30 else accesses / 4,
            },
            "application": {"scratch": 0.0, "sram": accesses / 4},
            "other": {"hash": 0.5, "cap": 0.0, "msf": 0.0},
        },
        "bottleneck": {"unit": "ports", "utilization": 0.9},
        "caches": {"globals": cached if level == "swc" else []},
        "microengines": [engine | parts] * engines,
    }


def report(level: str) -> dict[str, Any]:
    by_engines = [{"engines": n, "gbps": n * RATES[level]} for n in ENGINES]
    part = {"words": 900, "model": {"issue_cycles": 300.0}}
    return {"aggregates": [part], "predicted": {"by_engines": by_engines}}


def made_up(folder: Path) -> Results:
    results = Results(Bench(folder, 100, ENGINES, False))
    grids: dict[str, Grid] = {
        app: {
            (app, level, n): PointResult(point_of(app), report(level), stats(level, n))
            for level in LEVELS
            for n in ENGINES
        }
        for app in APPS
    }
    second = {
        "clock_hz": 6e8,
        "chip_cycles_per_s": 5e6,
        "instructions_per_s": 2e7,
        "packets_per_s": 2e4,
    }
    kernel = {
        "compiled_instructions": 30.0,
        "hand_instructions": 20.0,
        "ratio": 1.5,
        "compiled_engine_cycles": 80.0,
        "hand_engine_cycles": 77.0,
    }
    fast = {
        "gbps": 6.0,
        "gbps_per_engine": 1.0,
        "limit": "scratch",
        "limit_utilization": 0.93,
        "empty_polls_per_packet": 0.5,
        "unit_utilization": {
            "scratch": 0.93,
            "dram bank": 0.5,
            "sram 0": 0.4,
            "app engines": 0.8,
        },
    }
    fig6 = [
        {"memory": memory, "width_bytes": width, "accesses": n, "gbps": top / n / width}
        for memory, top in (("dram", 40), ("sram", 80), ("scratch", 640))
        for width in (4, 8)
        for n in (1, 2, 4, 8, 16, 32, 64, 128)
    ]
    # Results that are present are not measured.
    vars(results).update(
        grids=grids,
        what_if={(a, lv, k): 1.2 for a in APPS for lv in LEVELS for k in KNOBS},
        headroom={app: {str(n): fast for n in ENGINES} for app in APPS},
        fig6=fig6,
        by_setting={
            (app, n): {"dram.latency=96": 3.1, "dram.latency=144": 0.25 * n}
            for app in APPS
            for n in (1, MOST)
        },
        kernels={"kernels": {"one": kernel, "two": kernel}, "geomean_ratio": 1.5},
        speed=second,
    )
    return results
