"""Compares this checkout's build with another one, metric by metric.

    compare.py --against=CHECKOUT [--name=REV] [--only=APP]… [--level=LEVEL]…
               [--packets=N] [--json=FILE]

`./dev compare REV` builds revision REV beside this one and calls this. Both
compile the programs at every level and run them on one and on all engines, over
the same traffic, one build after the other. Counts are exact, so any change is
shown. Times are processor time, the best of three measurements, and are shown if
they differ by more than a tenth. Exit status: 0 done, 1 a tool
failed, 2 the command line is wrong.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from rich.console import Console
from rich.table import Table

from bench.compiler.compile_speed import REPEAT
from bench.harness.bench import Bench, Failed, Missing
from bench.harness.grid import grid
from bench.harness.workloads import APPS, image_of, source_of, workload
from bench.simulator.speed import rates, run_of
from npftrace.errors import InputError
from testkit.applications import LEVELS
from testkit.paths import ROOT

ENGINES = (1, 6)
#: Times that differ by at most this share count as equal.
TIME_NOISE = 0.1
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
    """The metrics that differ, in order; times only by more than their noise."""
    changes = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if old is None or new is None:
            changes.append(Change(*key, old, new, None))
            continue
        noise = TIME_NOISE if KINDS[key[2]].is_time else COUNT_NOISE
        larger = max(abs(old), abs(new))
        if larger and abs(new - old) / larger > noise:
            changes.append(Change(*key, old, new, new / old if old else None))
    return changes


def measure(bench: Bench, apps: tuple[str, ...], levels: tuple[str, ...]) -> Metrics:
    """All metrics of one build."""
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
    for app in apps:
        found |= times(bench, app)
    return found


def times(bench: Bench, app: str) -> dict[tuple[str, str, str], float]:
    """Compile time and simulator speed at the highest level."""
    load = workload(bench, app)
    image = image_of(bench, app, "swc", load)
    out = bench.folder / "compared.ixp"
    command = ("bakerc", source_of(bench, app), f"--profile-trace={load.trace}")
    seconds, cycles_per_s = [], []
    for _ in range(REPEAT):
        begin = cpu_seconds()
        bench.run(*command, f"--control={load.control}", "-o", out)
        seconds.append(cpu_seconds() - begin)
        run = run_of(bench, image, load, 6, bench.packets)
        cycles_per_s.append(rates(run)["chip_cycles_per_s"])
    return {
        (app, "swc", "compile_seconds"): min(seconds),
        (app, "swc", "chip_cycles_per_s"): max(cycles_per_s),
    }


def cpu_seconds() -> float:
    """Processor time of all child processes; other load does not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


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
    sides = []
    try:
        for build, root in ((against / "build", against), (options.build, ROOT)):
            bench = Bench(build, options.packets, ENGINES, False, root=root)
            sides.append(measure(bench, apps, levels))
    except (Failed, Missing, InputError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    changes = moved(*sides)
    show(Console(), changes, options.name, len(sides[1]))
    if options.json:
        rows = [asdict(change) for change in changes]
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
