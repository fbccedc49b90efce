"""The measurements, each made when it is first needed."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from bench.applications.headroom import Headroom, measure
from bench.compiler.kernels import kernels
from bench.harness.bench import Bench
from bench.harness.grid import Grid, grid
from bench.harness.workloads import APPS, point_of, run_options
from bench.mapping.throughput_model import compared
from bench.simulator.fig6 import fig6
from bench.simulator.sensitivity import Bracket, bracket_of, rates
from bench.simulator.speed import speed
from npftrace.sweep.sweep import PointResult, Sweep
from testkit.applications import LEVELS

ENGINES = (1, 2, 3, 4, 5, 6)
MOST = ENGINES[-1]

#: Chip parameters of the parts that are made twice as fast to find the limit of a
#: program. A memory has two kinds of time: how long a command occupies it, and how
#: long a context waits for it.
KNOBS: dict[str, dict[str, float]] = {
    "SRAM occupancy": {
        "sram.op_cycles": 4,
        "sram.word_cycles": 1,
        "sram.atomic_cycles": 6,
        "sram.queue_cycles": 4,
    },
    "SRAM latency": {"sram.latency": 45},
    "DRAM occupancy": {"dram.bank_cycles": 18, "dram.quad_cycles": 1},
    "DRAM latency": {"dram.latency": 60},
    "scratch occupancy": {"scratch.op_cycles": 1, "scratch.atomic_cycles": 2},
    "ports": {"ports.rate_bps": 2_000_000_000},
}

WhatIf = dict[tuple[str, str, str], float]


class Results:
    """All measurements of the report."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    @cached_property
    def grids(self) -> dict[str, Grid]:
        """Results by application, each made when it is first needed."""
        return {}

    @cached_property
    def headroom(self) -> Headroom:
        """Runs with ports three times as fast."""
        return measure(self.bench, ENGINES)

    @cached_property
    def what_if(self) -> WhatIf:
        """Rate with one part of the chip twice as fast over the rate as it is, all
        engines, by application, level and part."""
        keys, points = [], []
        for app in APPS:
            for level in LEVELS:
                for knob, settings in KNOBS.items():
                    keys.append((app, level, knob))
                    options = run_options(self.bench.packets, MOST)
                    points.append(
                        replace(
                            point_of(app),
                            compile={"level": level},
                            simulate=options | {"set": settings},
                        )
                    )
        found = Sweep(self.bench.engine, self.bench.tools).run(points)
        return {
            key: gbps_of(result) / self.gbps(key[0], key[1], MOST)
            for key, result in zip(keys, found, strict=True)
        }

    @cached_property
    def fig6(self) -> list[dict[str, Any]]:
        return fig6(self.bench)

    @cached_property
    def by_setting(self) -> dict[tuple[str, int], dict[str, float]]:
        """Rates at SWC by application and engines, for each other value of a number
        without a source; each made when it is first needed."""
        return {}

    @cached_property
    def kernels(self) -> dict[str, Any]:
        return kernels(self.bench)

    @cached_property
    def speed(self) -> dict[str, Any]:
        return speed(self.bench)

    @cached_property
    def model(self) -> list[dict[str, Any]]:
        return [row for app in APPS for row in compared(self.grid(app))]

    # Values derived from the runs.

    def grid(self, app: str) -> Grid:
        if app not in self.grids:
            self.grids[app] = grid(self.bench, ENGINES, (app,))
        return self.grids[app]

    def run(self, app: str, level: str, engines: int = MOST) -> PointResult:
        return self.grid(app)[app, level, engines]

    def gbps(self, app: str, level: str, engines: int = MOST) -> float:
        return gbps_of(self.run(app, level, engines))

    def curve(self, app: str, level: str) -> list[float]:
        return [self.gbps(app, level, engines) for engines in ENGINES]

    def best(self, app: str, level: str = LEVELS[-1]) -> float:
        return max(self.curve(app, level))

    def settings(self, app: str, engines: int = MOST) -> dict[str, float]:
        """Rates at SWC by setting of a number without a source."""
        if (app, engines) not in self.by_setting:
            found = rates(self.bench, app, engines)
            self.by_setting[app, engines] = {k: v for k, v in found.items() if k}
        return self.by_setting[app, engines]

    def bracket(self, app: str, engines: int = MOST) -> Bracket:
        """The bracket of the rate at SWC."""
        gbps = self.gbps(app, LEVELS[-1], engines)
        return bracket_of(gbps, self.settings(app, engines))

    def other(self, app: str, level: str) -> float:
        """Commands per packet to the hash unit, the CAP and the MSF."""
        other = self.run(app, level).stats["per_packet"]["other"]
        return float(sum(other.values()))

    def instructions(self, app: str, level: str) -> float:
        found: float = self.run(app, level).stats["per_packet"]["instructions"]
        return found

    def accesses(self, app: str, level: str, group: str, memory: str) -> float:
        """The accesses of one column of Table 1."""
        per_packet = self.run(app, level).stats["per_packet"]
        return float(per_packet[group].get(memory, 0.0))

    def widest_over_narrowest(self, memory: str, accesses: int = 64) -> float:
        """What the widest accesses of Figure 6 leave of the narrowest ones' rate."""
        rates = {
            row["width_bytes"]: row["gbps"]
            for row in self.fig6
            if row["memory"] == memory and row["accesses"] == accesses
        }
        return float(rates[max(rates)] / rates[min(rates)])

    def total(self, app: str, level: str) -> float:
        """Memory accesses per packet, all columns of Table 1."""
        per_packet = self.run(app, level).stats["per_packet"]
        groups = (per_packet["packet"], per_packet["application"])
        return float(sum(sum(group.values()) for group in groups))

    def saturation(self, app: str, level: str) -> int:
        """The fewest engines that give 95 % of the curve's best rate."""
        curve = self.curve(app, level)
        return 1 + next(i for i, rate in enumerate(curve) if rate >= 0.95 * max(curve))

    def gain(self, app: str, level: str, engines: int = MOST) -> float:
        """The rate of a level over that of the level before it."""
        before = LEVELS[LEVELS.index(level) - 1]
        return self.gbps(app, level, engines) / self.gbps(app, before, engines)

    def busy(self, app: str, level: str, engines: int = MOST) -> float:
        """The share of cycles in which the program's engines are not idle."""
        return 1 - self.cycles(app, level, engines)["idle"]

    def wire(self, app: str, level: str) -> float:
        """The used share of the ports' bandwidth, with all engines enabled."""
        found: float = self.run(app, level).stats["rate"]["port_utilization"]
        return found

    def cycles(self, app: str, level: str, engines: int = MOST) -> dict[str, float]:
        """The engines' cycles by use, as shares."""
        own = [
            engine
            for engine in self.run(app, level, engines).stats["microengines"]
            if engine["role"] == "app"
        ]
        whole = sum(engine["cycles"] for engine in own)
        kinds = ("issue", "aborted", "stall", "idle")
        return {k: sum(e[f"{k}_cycles"] for e in own) / whole for k in kinds}

    def limit(self, app: str, level: str) -> tuple[str, float]:
        """The part of the chip that gains most when it is twice as fast, and the
        gain; "engines" if none gains 5 %."""
        gains = {knob: self.what_if[app, level, knob] - 1 for knob in KNOBS}
        knob = max(gains, key=lambda name: gains[name])
        return (knob, gains[knob]) if gains[knob] >= 0.05 else ("engines", 0.0)


def gbps_of(result: PointResult) -> float:
    if result.error:
        raise RuntimeError(result.error)
    gbps: float = result.stats["rate"]["forwarded_gbps"]
    return gbps
