"""The tools as a benchmark runs them: by command line, with their time.

Traffic, images and runs that depend on nothing but their inputs are steps of a
sweep (`npftrace.sweep`): they run in parallel, and once.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from images import read_manifest

from npftrace.sweep.engine import Engine, Failure
from npftrace.sweep.points import (
    PointResult,
    Sweep,
    Tools,
    Traffic,
    compile_step,
    simulate_step,
)
from npftrace.sweep.spec import Point, read_spec
from npftrace.sweep.step import Step
from npftrace.sweep.store import Outcome, Store

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ("base", "o1", "o2", "pac", "soar", "phr", "swc")
#: The sweep behind the paper's tables: programs, traffic, levels, engines.
PAPER = Path(__file__).with_name("paper.yaml")
#: Further sets of traffic: what they change in the main one.
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


class Missing(Exception):
    """A program or level that is not there; the benchmark leaves it out."""


class Failed(Exception):
    """A tool did not do what it must."""


@dataclass
class Bench:
    """What the benchmarks of one call share."""

    build: Path
    packets: int
    engines: tuple[int, ...]
    all_sets: bool
    #: Checkout whose programs are compiled.
    root: Path = ROOT
    #: Clock of the last chip that ran.
    clock_hz: float = 0
    #: Lines about what was left out, printed once each.
    left_out: list[str] = field(default_factory=list)

    @cached_property
    def engine(self) -> Engine:
        return Engine(Store(self.build / "cache"))

    @cached_property
    def tools(self) -> Tools:
        for name in ("bakerc", "ixpsim"):
            if not (self.build / "bin" / name).exists():
                raise Missing(f"{name} is not built")
        return Tools(self.build / "bin")

    @property
    def folder(self) -> Path:
        folder = self.build / "bench"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def leave_out(self, what: object) -> None:
        line = f"left out: {what}"
        if line not in self.left_out:
            self.left_out.append(line)
            print(line, flush=True)

    def run(self, name: str, *arguments: object) -> tuple[float, str]:
        """Runs a tool of the build; returns wall seconds and what it said."""
        tool = self.build / "bin" / name
        if not tool.exists():
            raise Missing(f"{name} is not built")
        return run([str(tool), *map(str, arguments)])

    def output(self, name: str, *arguments: object) -> str:
        """Runs a tool of the build; returns what it printed."""
        command = [str(self.build / "bin" / name), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"exit status {done.returncode}: {' '.join(command)}")
        return done.stdout

    def done(self, step: Step) -> Outcome:
        outcome = self.engine.run([step], step.tool)[0]
        if isinstance(outcome, Failure):
            raise Failed(f"{' '.join(step.command)}\n{outcome.said[-2000:]}")
        return outcome

    def result(self, step: Step, name: str) -> Path:
        """A file that a step gives."""
        return self.engine.store.path(self.done(step).outputs[name])


def run(command: list[str]) -> tuple[float, str]:
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        raise Failed(f"exit status {done.returncode}: {' '.join(command)}\n{said}")
    return seconds, done.stderr


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def code_words(image: Path) -> int:
    """Control store words of all aggregates of the program."""
    return sum(a["words"] for a in read_manifest(image)["aggregates"])


@dataclass(frozen=True)
class Workload:
    """A trace with the control file that sets up the tables for it."""

    trace: Path
    control: Path

    def traffic(self, store: Store) -> Traffic:
        return Traffic(store.add_file(self.trace), store.add_file(self.control))


@cache
def points() -> list[Point]:
    """The points of the paper's sweep."""
    return read_spec(PAPER)


def point_of(app: str, traffic: str = "", root: Path = ROOT) -> Point:
    """A point of an application on one of its sets of traffic, with the profile
    of the main one: the same image serves all."""
    point = next(point for point in points() if point.name == app)
    further = FURTHER[app][traffic] if traffic else {}
    program = root / point.program.relative_to(ROOT)
    return replace(point, program=program, traffic=point.traffic | further)


def source_of(bench: Bench, app: str) -> Path:
    return point_of(app, root=bench.root).program


def workload(bench: Bench, app: str, traffic: str = "") -> Workload:
    """Makes the traffic of an application, once."""
    progress(f"making traffic for {app} {traffic}")
    sweep = Sweep(bench.engine, bench.tools)
    made = sweep.traffic([point_of(app, traffic).traffic])[0]
    if isinstance(made, Failure) or made.control is None:
        raise Failed(f"no traffic for {app} {traffic}: {made}")
    store = bench.engine.store
    return Workload(store.path(made.trace), store.path(made.control))


def image_step(
    bench: Bench, app: str, level: str, load: Workload, **options: object
) -> Step:
    profile = load.traffic(bench.engine.store)
    table = {"level": level, **options}
    return compile_step(bench.tools, source_of(bench, app), table, profile)


def image_of(bench: Bench, app: str, level: str, load: Workload) -> Path:
    """Compiles an application at a level, profiled with its own traffic."""
    progress(f"compiling {app}, level {level}")
    return bench.result(image_step(bench, app, level, load), "image.ixp")


def report_of(bench: Bench, app: str, level: str, load: Workload) -> dict[str, Any]:
    """What the compiler reports of the same."""
    step = image_step(bench, app, level, load)
    report: dict[str, Any] = json.loads(bench.result(step, "report.json").read_text())
    return report


def run_options(packets: int, engines: int) -> dict[str, Any]:
    """A quarter of the packets warm up: until the rings before and behind the
    program are full, some hundred packets are in no one's way."""
    return {"packets": packets, "warmup": packets // 4, "mes": engines}


def simulate(
    bench: Bench, image: Path, load: Workload, engines: int, packets: int
) -> dict[str, Any]:
    """The statistics of a run at full load."""
    progress(f"simulating on {engines} engines, {packets} packets")
    store = bench.engine.store
    step = simulate_step(
        store.add_file(bench.tools.ixpsim), store.add_file(image),
        load.traffic(store), run_options(packets, engines),
    )  # fmt: skip
    stats: dict[str, Any] = json.loads(bench.result(step, "stats.json").read_text())
    return stats


#: Results by application (with its set of traffic), level and engines.
Grid = dict[tuple[str, str, int], PointResult]


def grid(
    bench: Bench,
    engines: tuple[int, ...],
    apps: tuple[str, ...] = APPS,
    levels: tuple[str, ...] = LEVELS,
) -> Grid:
    """Applications at these levels on so many engines; further sets of traffic if
    the bench asks for them."""
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
