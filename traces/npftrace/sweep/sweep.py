"""From points to steps: traffic, then images, then runs."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from npftrace.errors import InputError
from npftrace.sweep.runner import Failure, StepRunner
from npftrace.sweep.spec import Point, Table
from npftrace.sweep.step import Step
from npftrace.sweep.store import Outcome, digest_of
from npftrace.sweep.workers import Pool

PACKAGE = Path(__file__).resolve().parents[1]
TRACE, CONTROL = "trace.pcap", "control.txt"


@dataclass(frozen=True)
class Traffic:
    """Digests of a trace and of its control file."""

    trace: str
    control: str | None

    def inputs(self) -> tuple[tuple[str, str], ...]:
        control = ((CONTROL, self.control),) if self.control else ()
        return ((TRACE, self.trace), *control)

    def control_option(self) -> tuple[str, ...]:
        return (f"--control={CONTROL}",) if self.control else ()


@dataclass(frozen=True)
class PointResult:
    """The result of a point: the compiler's report and the statistics of the
    run, or the error message of a tool."""

    point: Point
    report: Table
    stats: Table
    error: str = ""

    @property
    def code_words(self) -> int:
        return sum(part["words"] for part in self.report["aggregates"])

    def predicted_gbps(self) -> float | None:
        """The rate that the compiler predicts for the engines of the run."""
        engines = sum(e["role"] == "app" for e in self.stats["microengines"])
        by_engines = self.report.get("predicted", {}).get("by_engines", [])
        return next((p["gbps"] for p in by_engines if p["engines"] == engines), None)


class Tools:
    """The compiler and the simulator of one build."""

    def __init__(self, folder: Path | None = None) -> None:
        """Finds the tools in `folder`, or on the PATH."""
        self.bakerc = _tool("bakerc", folder)
        self.ixpsim = _tool("ixpsim", folder)
        self._own = digest_of([self.bakerc, *_library(self.bakerc)])

    def reads(self, program: Path) -> str:
        """A digest of all that an image depends on besides its options."""
        return self._own + digest_of(program.parent.glob("*.baker"))


def _tool(name: str, folder: Path | None) -> Path:
    found = shutil.which(name, path=str(folder) if folder else None)
    if not found:
        where = folder or "the PATH"
        raise InputError("E-traces-174", f"there is no {name} on {where}")
    return Path(found).resolve()


def _library(bakerc: Path) -> list[Path]:
    """The runtime files that the compiler reads, from the folder that the
    environment names or from the checkout in which it was built."""
    named = os.environ.get("KARAKAL_RUNTIME_DIR")
    folders = [Path(named)] if named else [up / "runtime" for up in bakerc.parents]
    for folder in folders:
        if (folder / "packet.ll").exists():
            return [path for path in folder.rglob("*") if path.is_file()]
    return []


def options(table: Table) -> tuple[str, ...]:
    """`{"mes": 2, "strict": true, "set": {"a.b": 1}}` as a command line."""
    found: list[str] = []
    for key, value in table.items():
        if isinstance(value, dict):
            found += [f"--{key}={name}={each}" for name, each in value.items()]
        elif value is True:
            found.append(f"--{key}")
        elif value is not False and value is not None:
            found.append(f"--{key}={value}")
    return tuple(found)


@cache
def _package_digest() -> str:
    return digest_of(PACKAGE.rglob("*.py"))


def traffic_step(traffic: Table) -> Step:
    """The call of `npftrace make` that writes this traffic."""
    rest = {key: value for key, value in traffic.items() if key != "kind"}
    command = (
        sys.executable, "-m", "npftrace", "make", str(traffic.get("kind")),
        *options(rest), f"--out={TRACE}", f"--control={CONTROL}",
    )  # fmt: skip
    return Step(command, (), (TRACE, CONTROL), _package_digest())


def compile_step(tools: Tools, program: Path, table: Table, profile: Traffic) -> Step:
    command = (
        str(tools.bakerc), str(program), *options(table),
        f"--profile-trace={TRACE}", *profile.control_option(),
        "--report=report.json", "-o", "image.ixp",
    )  # fmt: skip
    outputs = ("image.ixp", "report.json")
    return Step(command, profile.inputs(), outputs, tools.reads(program))


def simulate_step(simulator: str, image: str, traffic: Traffic, table: Table) -> Step:
    """A run of the simulator. `simulator` and `image` are digests, because both
    files are sent to the worker that runs the step."""
    command = (
        "./ixpsim", "image.ixp", f"--trace={TRACE}", *traffic.control_option(),
        *options(table), "--stats=stats.json", "--quiet",
    )  # fmt: skip
    inputs = (("ixpsim", simulator), ("image.ixp", image), *traffic.inputs())
    return Step(command, inputs, ("stats.json",))


class Sweep:
    """Runs points in three stages: traffic, images, runs. A point whose step fails
    ends there; the others continue."""

    def __init__(self, runner: StepRunner, tools: Tools) -> None:
        self.runner, self.tools = runner, tools

    def traffic(self, tables: Sequence[Table]) -> list[Traffic | Failure]:
        store = self.runner.store
        steps = [traffic_step(t) for t in tables if "trace" not in t]
        made = iter(self.runner.run(steps, "traffic"))
        found: list[Traffic | Failure] = []
        for table in tables:
            if "trace" in table:
                files = [Path(table[k]) for k in ("trace", "control") if k in table]
                trace, *control = map(store.add_file, files)
                found.append(Traffic(trace, control[0] if control else None))
                continue
            outcome = next(made)
            if isinstance(outcome, Outcome):
                files_of = outcome.outputs
                found.append(Traffic(files_of[TRACE], files_of[CONTROL]))
            else:
                found.append(outcome)
        return found

    def run(
        self, points: Sequence[Point], pool: Pool | None = None
    ) -> list[PointResult]:
        """Runs all points. Simulations run on `pool`, the rest on this computer."""
        traffics = self.traffic([p.traffic for p in points])
        profiles = self.traffic([p.profile for p in points])
        images = self._run_stage(
            "images",
            [
                compile_step(self.tools, p.program, p.compile, profile)
                if isinstance(profile, Traffic)
                else profile
                for p, profile in zip(points, profiles, strict=True)
            ],
        )
        simulator = self.runner.store.add_file(self.tools.ixpsim)
        runs = self._run_stage(
            "simulations",
            [
                _run_of(simulator, p, image, traffic)
                for p, image, traffic in zip(points, images, traffics, strict=True)
            ],
            pool,
        )
        return [self._result(*each) for each in zip(points, images, runs, strict=True)]

    def _run_stage(
        self, what: str, steps: Iterable[Step | Failure], pool: Pool | None = None
    ) -> list[Outcome | Failure]:
        """Runs the steps of one stage; earlier failures stay in their positions."""
        steps = list(steps)
        waiting = [step for step in steps if isinstance(step, Step)]
        done = iter(self.runner.run(waiting, what, pool))
        return [next(done) if isinstance(step, Step) else step for step in steps]

    def _result(
        self, point: Point, image: Outcome | Failure, run: Outcome | Failure
    ) -> PointResult:
        if isinstance(run, Failure):
            return PointResult(
                point, {}, {}, run.said or "the tool failed without a message"
            )
        assert isinstance(image, Outcome)
        report = self._json(image.outputs["report.json"])
        return PointResult(point, report, self._json(run.outputs["stats.json"]))

    def _json(self, digest: str) -> Table:
        found: dict[str, Any] = json.loads(self.runner.store.read(digest))
        return found


def _run_of(
    simulator: str, point: Point, image: Outcome | Failure, traffic: Traffic | Failure
) -> Step | Failure:
    if isinstance(image, Failure):
        return image
    if isinstance(traffic, Failure):
        return traffic
    digest = image.outputs["image.ixp"]
    return simulate_step(simulator, digest, traffic, point.simulate)
