"""Compares this checkout's build with another one, metric by metric.

    compare.py --against=CHECKOUT [--name=REV] [--only=APP]… [--level=LEVEL]…
               [--packets=N] [--json=FILE]

`./dev compare REV` builds revision REV beside this one and calls this. Both
compile the programs at every level and run them on one and on all engines, over
the same traffic, one build after the other. Counts are exact, so any change is
shown. Times are processor time of both builds at once on one processor
(harness/pairs.py), and are shown if they differ by more than a fiftieth. Exit
status: 0 done, 1 a tool failed, 2 the command line is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from rich.console import Console
from rich.table import Table

from bench.harness.bench import Bench, Failed, Missing, progress
from bench.harness.grid import grid
from bench.harness.pairs import Pairs, seconds_of_both
from bench.harness.workloads import APPS, image_of, source_of, workload
from bench.simulator.speed import LEVELS as SPEED_LEVELS
from bench.simulator.speed import START_PACKETS, counting, counts
from npftrace.errors import InputError
from testkit.applications import LEVELS
from testkit.paths import ROOT

ENGINES = (1, 6)
#: Times that differ by at most this share count as equal.
TIME_NOISE = 0.02
#: Rounds of pairs: of compilations, and of simulations.
COMPILE_ROUNDS, SPEED_ROUNDS = 4, 12
#: A timed simulation is so many times as long as others.
SPEED_LENGTH = 5
#: Counts are printed with few digits; a smaller change is ignored.
COUNT_NOISE = 1e-9


@dataclass(frozen=True)
class Kind:
    """A kind of metric: its name, and whether more is better."""

    words: str
    more_is_better: bool = False
    is_time: bool = False


KINDS = {
    "packet.scratch": Kind("packet scratch accesses"),
    "packet.sram": Kind("packet SRAM accesses"),
    "packet.dram": Kind("packet DRAM accesses"),
    "application.scratch": Kind("application scratch accesses"),
    "application.sram": Kind("application SRAM accesses"),
    "instructions": Kind("instructions per packet"),
    "code_words": Kind("code words"),
    "gbps_1": Kind("Gbps, 1 engine", more_is_better=True),
    "gbps_6": Kind("Gbps, 6 engines", more_is_better=True),
    "compile_seconds": Kind("compile time, CPU s", is_time=True),
    "chip_cycles_per_s": Kind(
        "chip cycles simulated a CPU s", more_is_better=True, is_time=True
    ),
}

#: (program, level, kind) to value.
Metrics = Mapping[tuple[str, str, str], float]


@dataclass(frozen=True)
class Change:
    """A metric that changed; a build without it has None."""

    program: str
    level: str
    kind: str
    before: float | None
    after: float | None
    ratio: float | None

    @property
    def is_better(self) -> bool:
        if self.ratio is None:
            return False
        return (self.ratio > 1) == KINDS[self.kind].more_is_better


def moved(before: Metrics, after: Metrics) -> list[Change]:
    """The counts that differ, in order."""
    changes = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if old is None or new is None:
            changes.append(Change(*key, old, new, None))
            continue
        larger = max(abs(old), abs(new))
        if larger and abs(new - old) / larger > COUNT_NOISE:
            changes.append(Change(*key, old, new, new / old if old else None))
    return changes


def moved_times(pairs: Mapping[tuple[str, str, str], Pairs]) -> list[Change]:
    """The times that differ by more than their noise, in order."""
    return [
        Change(*key, pair.first, pair.second, pair.ratio)
        for key, pair in pairs.items()
        if abs(pair.ratio - 1) > TIME_NOISE
    ]


def measure(bench: Bench, apps: tuple[str, ...], levels: tuple[str, ...]) -> Metrics:
    """What is counted of one build: all metrics but times."""
    found: dict[tuple[str, str, str], float] = {}
    for (app, level, engines), result in grid(bench, ENGINES, apps, levels).items():
        rate = result.stats["rate"]["forwarded_gbps"]
        found[app, level, f"gbps_{engines}"] = rate
        if engines != ENGINES[-1]:
            continue
        per_packet = result.stats["per_packet"]
        for group in ("packet", "application"):
            for memory, count in per_packet[group].items():
                found[app, level, f"{group}.{memory}"] = count
        found[app, level, "instructions"] = per_packet["instructions"]
        found[app, level, "code_words"] = result.code_words
    return found


Sides = tuple[Bench, Bench]


def times(
    sides: Sides, apps: tuple[str, ...], levels: tuple[str, ...]
) -> dict[tuple[str, str, str], Pairs]:
    """Compile time and simulator speed of both builds, measured together."""
    found = {}
    for app in apps:
        found[app, "swc", "compile_seconds"] = compile_seconds(sides, app)
        for level in SPEED_LEVELS:
            if level in levels:
                key = (app, level, "chip_cycles_per_s")
                found[key] = chip_cycles_per_s(sides, app, level)
    progress("")
    return found


def compile_seconds(sides: Sides, app: str) -> Pairs:
    """Processor seconds of a compilation with a profile."""
    progress(f"compiling {app} with both builds")
    old, new = (compilation(bench, app) for bench in sides)
    return Pairs(
        tuple(seconds_of_both((old, new), turn) for turn in range(COMPILE_ROUNDS))
    )


def compilation(bench: Bench, app: str) -> list[str]:
    load = workload(bench, app)
    profile = [f"--profile-trace={load.trace}", f"--control={load.control}"]
    out = ["-o", str(bench.folder / "compared.ixp")]
    return [str(bench.build / "bin/bakerc"), str(source_of(bench, app)), *profile, *out]


def chip_cycles_per_s(sides: Sides, app: str, level: str) -> Pairs:
    """Chip cycles per second of processor time, without a run's start."""
    progress(f"simulating {app} at {level} with both builds")
    loads = [workload(bench, app) for bench in sides]
    images = [
        image_of(bench, app, level, load)
        for bench, load in zip(sides, loads, strict=True)
    ]

    def both(packets: int, turn: int) -> list[tuple[float, int]]:
        """Seconds and chip cycles of a run on each side."""
        old, new = (
            counting(bench, image, load, ENGINES[-1], packets)
            for bench, image, load in zip(sides, images, loads, strict=True)
        )
        seconds = seconds_of_both((old, new), turn)
        cycles = [counts(bench)["chip_cycles"] for bench in sides]
        return list(zip(seconds, cycles, strict=True))

    rounds = []
    for turn in range(SPEED_ROUNDS):
        starts = both(START_PACKETS, turn)
        wholes = both(SPEED_LENGTH * sides[0].packets, turn)
        old, new = (
            (cycles - fewer) / (seconds - start)
            for (start, fewer), (seconds, cycles) in zip(starts, wholes, strict=True)
        )
        rounds.append((old, new))
    return Pairs(tuple(rounds))


def show(console: Console, changes: list[Change], name: str, count: int) -> None:
    """Prints a table of the changed metrics, better in green and worse in red."""
    counted = [change for change in changes if not KINDS[change.kind].is_time]
    if changes:
        table = Table(box=None, pad_edge=False)
        table.add_column("program")
        table.add_column("level")
        table.add_column("metric")
        for heading in (name, "here", "ratio"):
            table.add_column(heading, justify="right")
        for change in changes:
            style = "green" if change.is_better else "red"
            ratio = "" if change.ratio is None else f"{change.ratio:.3f}"
            table.add_row(
                change.program, change.level, KINDS[change.kind].words,
                number(change.before), number(change.after), f"[{style}]{ratio}",
            )  # fmt: skip
        console.print(table)
    times = len(changes) - len(counted)
    what = f"{len(counted):,}" if counted else "nothing"
    console.print(f"of {count:,} metrics {what} moved, {times} times aside")


def number(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:,.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev compare", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--against", type=Path, required=True, help="a checkout with a build/"
    )
    parser.add_argument("--name", default="before", help="the name of that build")
    parser.add_argument("--only", action="append", choices=APPS, help="one program")
    parser.add_argument("--level", action="append", choices=LEVELS, help="one level")
    parser.add_argument("--packets", type=int, default=4000, help="packets per run")
    parser.add_argument("--json", type=Path, help="file to write the changes to")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    apps, levels = tuple(options.only or APPS), tuple(options.level or LEVELS)
    against = options.against.resolve()
    before, here = (
        Bench(build, options.packets, ENGINES, False, root=root)
        for build, root in ((against / "build", against), (options.build, ROOT))
    )
    try:
        counted = [measure(bench, apps, levels) for bench in (before, here)]
        timed = times((before, here), apps, levels)
    except (Failed, Missing, InputError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    changes = [*moved(*counted), *moved_times(timed)]
    show(Console(), changes, options.name, len(counted[1]) + len(timed))
    if options.json:
        rows = [asdict(change) for change in changes]
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
