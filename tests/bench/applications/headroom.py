"""What the ports hide: rates, limits and polls with ports three times as fast."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bench.harness.bench import Bench, Failed
from bench.harness.text_table import table
from bench.harness.workloads import APPS, point_of, run_options
from npftrace.sweep.sweep import PointResult, Sweep

#: The rate of a port: three times that of the chip (`ports.rate_bps`).
FAST_PORTS = {"ports.rate_bps": 3_000_000_000}
#: The level of the images.
LEVEL = "swc"

#: What is known of a run by application and number of engines.
Headroom = dict[str, dict[str, dict[str, Any]]]


def unit_utilization(stats: dict[str, Any]) -> dict[str, float]:
    """The share of its time in which each unit works, by name."""
    units = stats["units"]
    found = {name: units[name]["utilization"] for name in ("scratch", "dram", "hash")}
    found["dram bank"] = max(units["dram"]["bank_utilization"])
    for channel, sram in enumerate(units["sram"]):
        found[f"sram {channel}"] = sram["utilization"]
    for way in ("receive", "transmit"):
        found[f"media bus, {way}"] = units["msf"][f"{way}_utilization"]
    for kind in ("command", "pull", "push"):
        found[f"{kind} bus"] = max(units["bus"][f"{kind}_utilization"])
    found["ports"] = stats["rate"]["port_utilization"]
    for role in ("rx", "tx", "app"):
        engines = [e for e in stats["microengines"] if e["role"] == role]
        cycles = sum(e["cycles"] for e in engines)
        idle = sum(e["idle_cycles"] for e in engines)
        found[f"{role} engines"] = 1 - idle / cycles
    return found


def figures(result: PointResult, engines: int) -> dict[str, Any]:
    stats = result.stats
    gbps = stats["rate"]["forwarded_gbps"]
    per = stats["per_packet"]
    return {
        "gbps": gbps,
        "gbps_per_engine": gbps / engines,
        "limit": stats["bottleneck"]["unit"],
        "limit_utilization": stats["bottleneck"]["utilization"],
        "empty_polls_per_packet": per["empty_polls"] / per["packets"],
        "unit_utilization": unit_utilization(stats),
    }


def measure(bench: Bench, engines: tuple[int, ...]) -> Headroom:
    """Runs the applications on these numbers of engines with fast ports."""
    keys = [(app, count) for app in APPS for count in engines]
    points = [
        replace(
            point_of(app, root=bench.root),
            compile={"level": LEVEL},
            simulate=run_options(bench.packets, count) | {"set": FAST_PORTS},
        )
        for app, count in keys
    ]
    found: Headroom = {}
    results = Sweep(bench.engine, bench.tools).run(points)
    for (app, count), result in zip(keys, results, strict=True):
        if result.error:
            raise Failed(f"{app} on {count} engines: {result.error}")
        found.setdefault(app, {})[str(count)] = figures(result, count)
    return found


def headroom(bench: Bench) -> dict[str, Any]:
    """Rates with ports three times as fast, by number of engines."""
    found = measure(bench, bench.engines)
    rows: list[list[object]] = []
    for app, by_engines in found.items():
        for engines, run in by_engines.items():
            units = run["unit_utilization"]
            named = f"{run['limit']}, {100 * run['limit_utilization']:.0f} %"
            rows.append(
                [app, int(engines), run["gbps"], run["gbps_per_engine"],
                 run["empty_polls_per_packet"], units["scratch"], units["dram bank"],
                 max(units["sram 0"], units["sram 1"]), units["app engines"], named]
            )  # fmt: skip
    headings = [
        "application", "MEs", "Gbps", "Gbps/ME", "empty polls/packet", "scratch",
        "DRAM bank", "SRAM", "engines", "limit",
    ]  # fmt: skip
    table(f"Full load at {LEVEL}, ports three times as fast", headings, rows)
    return found
