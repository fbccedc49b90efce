"""How much rates depend on the numbers that no document gives.

Each of them is made a fifth smaller and larger, one at a time: at the limits of
Figure 6, and for the applications, whose rates so get a bracket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from bench.harness.bench import Bench, Failed
from bench.harness.text_table import table
from bench.harness.workloads import APPS, point_of, run_options
from bench.simulator.fig6 import rate
from npftrace.sweep.spec import Table
from npftrace.sweep.sweep import Sweep
from testkit.applications import LEVELS
from testkit.paths import ROOT

PARAMETERS = ROOT / "target-ixp/chip/ChipParameters.def"
ROW = re.compile(
    r'^KARAKAL_CHIP_PARAMETER\(\w+,\s*"([^"]+)",\s*(\d+), (\d+), (\d+), '
    r'"([^"]+)", "(\w)"',
    re.MULTILINE,
)
#: Sources that are none: assumed, and fitted to the paper's Figure 6.
UNSOURCED = ("M", "F")
#: Without a source, but not varied.
LEFT_OUT = {
    "me.clock_hz": "the grade of the part; the times of its memories are in its cycles",
    "me.control_store": "a limit of the code, not a time",
    "sram.channels": "an image is compiled for its channels",
}
#: Units of numbers that are powers of two, or nearly: these are halved and doubled.
DOUBLED = ("banks", "bytes", "quadwords", "commands")
#: Others of a number that decides how large rings are: an image is compiled for
#: each, and the IXP2400's scratch has no room for rings that hold more.
COMPILED = {"bus.inlet": [8, 24]}
ENGINES = (1, 6)
LEVEL = LEVELS[-1]
#: The paper's limits: memory, width, accesses that fit and that do not.
LIMITS = (("dram", 8, 2, 4), ("sram", 4, 8, 16), ("scratch", 4, 64, 128))
#: Each number that Figure 6 is fitted by, or shows, a fifth lower and higher.
AT_THE_LIMITS = {
    "dram.bank_cycles": (29, 36, 43),
    "sram.op_cycles": (7, 9, 11),
    "scratch.op_cycles": (1, 2, 3),
    "dram.latency": (96, 120, 144),
    "sram.latency": (72, 90, 108),
    "scratch.latency": (48, 60, 72),
}


@dataclass(frozen=True)
class Setting:
    """A parameter without a source and another value for it."""

    name: str
    value: int

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


@dataclass(frozen=True)
class Bracket:
    """The rate, and the lowest and highest of all settings."""

    gbps: float
    low: float
    high: float
    low_at: str
    high_at: str

    def __str__(self) -> str:
        return f"{self.low:.2f} to {self.high:.2f}"


def settings() -> list[Setting]:
    """All settings of the table of parameters, in its order."""
    found = []
    for name, value, least, most, unit, source in ROW.findall(PARAMETERS.read_text()):
        if source not in UNSOURCED or name in LEFT_OUT:
            continue
        number = int(value)
        step = max(round(number / 5), 1)
        others = [number - step, number + step]
        if unit == "0 or 1":
            others = [1 - number]
        elif unit in DOUBLED:
            others = [number // 2, number * 2]
        others = COMPILED.get(name, others)
        found += [
            Setting(name, other) for other in others if int(least) <= other <= int(most)
        ]
    return found


def bracket_of(gbps: float, by_setting: dict[str, float]) -> Bracket:
    """The bracket of a rate; where no setting moves it, none is named."""
    at = {"": gbps} | by_setting
    low, high = min(at, key=lambda s: at[s]), max(at, key=lambda s: at[s])
    return Bracket(gbps, at[low], at[high], low, high)


def with_set(chosen: Table, wanted: bool = True) -> Table:
    """The option `--set` of the parameters, if there are any and it is wanted."""
    return {"set": chosen} if chosen and wanted else {}


def rates(bench: Bench, app: str, engines: int) -> dict[str, float]:
    """The rate of an application for each setting, and as it is under ""."""
    options = run_options(bench.packets, engines)
    point = replace(point_of(app, root=bench.root), compile={"level": LEVEL})
    tables: dict[str, dict[str, int]] = {"": {}}
    tables |= {str(setting): {setting.name: setting.value} for setting in settings()}
    points = [
        replace(
            point,
            compile=point.compile | with_set(chosen, chosen.keys() <= COMPILED.keys()),
            simulate=options | with_set(chosen),
        )
        for chosen in tables.values()
    ]
    found = {}
    for setting, result in zip(
        tables, Sweep(bench.engine, bench.tools).run(points), strict=True
    ):
        if result.error:
            raise Failed(f"{app}, {setting}: {result.error}")
        found[setting] = float(result.stats["rate"]["forwarded_gbps"])
    return found


def at_the_limits(bench: Bench) -> list[dict[str, Any]]:
    """The rates of Figure 6 at the paper's limits."""
    result: list[dict[str, Any]] = []
    rows: list[list[object]] = []
    for parameter, values in AT_THE_LIMITS.items():
        for value in values:
            row: dict[str, Any] = {"parameter": parameter, "cycles": value}
            for memory, width, *counts in LIMITS:
                for n in counts:
                    setting = (f"{parameter}={value}",)
                    gbps = rate(bench, memory, width, n, settings=setting)
                    row[f"{memory}_{n}_gbps"] = gbps
            result.append(row)
            rows.append([parameter, *list(row.values())[1:]])
    headings = ["parameter", "cycles"]
    headings += [f"{memory} x {n}" for memory, _, *counts in LIMITS for n in counts]
    table("Gbps at the limits of Figure 6, by fitted number", headings, rows)
    return result


def of_applications(bench: Bench) -> dict[str, Any]:
    """The bracket of each application's rate, and the settings that move it."""
    result: dict[str, Any] = {}
    rows: list[list[object]] = []
    for app in APPS:
        for engines in ENGINES:
            found = rates(bench, app, engines)
            gbps = found.pop("")
            bracket = bracket_of(gbps, found)
            result.setdefault(app, {})[str(engines)] = {
                "gbps": gbps,
                "low_gbps": bracket.low,
                "low_at": bracket.low_at,
                "high_gbps": bracket.high,
                "high_at": bracket.high_at,
                "by_setting": found,
            }
            rows.append(
                [app, engines, gbps, bracket.low, bracket.low_at, bracket.high,
                 bracket.high_at]
            )  # fmt: skip
    headings = ["application", "engines", "Gbps", "lowest", "by", "highest", "by "]
    table(f"Rates at {LEVEL}, and the bracket of all settings", headings, rows)
    return result


def sensitivity(bench: Bench) -> dict[str, Any]:
    """How much the limits of Figure 6 and the applications' rates change."""
    return {"limits": at_the_limits(bench), "applications": of_applications(bench)}
