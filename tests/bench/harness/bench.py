"""Runs the tools of a build for benchmarks, and measures their time.

Traffic, images and runs that depend only on their inputs are steps of a sweep
(`npftrace.sweep`): they run in parallel, and only once.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from npftrace.sweep.runner import Failure, StepRunner
from npftrace.sweep.step import Step
from npftrace.sweep.store import Outcome, Store
from npftrace.sweep.sweep import Tools
from testkit.paths import ROOT


class Missing(Exception):
    """A program or level that does not exist; the benchmark skips it."""


class Failed(Exception):
    """A tool failed."""


@dataclass
class Bench:
    """The settings that the benchmarks of one call share."""

    build: Path
    packets: int
    engines: tuple[int, ...]
    all_sets: bool
    #: Whether a rough result will do.
    quick: bool = field(default=False, kw_only=True)
    #: The checkout whose programs are compiled.
    root: Path = ROOT
    #: The clock of the last simulated chip.
    clock_hz: float = 0
    #: Messages about skipped parts, printed once each.
    left_out: list[str] = field(default_factory=list)

    @cached_property
    def engine(self) -> StepRunner:
        return StepRunner(Store(self.build / "cache"))

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
        """Runs a tool of the build; returns wall-clock seconds and its output."""
        tool = self.build / "bin" / name
        if not tool.exists():
            raise Missing(f"{name} is not built")
        return run([str(tool), *map(str, arguments)])

    def output(self, name: str, *arguments: object) -> str:
        """Runs a tool of the build; returns its output."""
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
        """An output file of a step."""
        return self.engine.store.path(self.done(step).outputs[name])


def run(command: list[str]) -> tuple[float, str]:
    """Runs a program; returns wall-clock seconds and all that it printed."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        raise Failed(f"exit status {done.returncode}: {' '.join(command)}\n{said}")
    return seconds, done.stdout + done.stderr


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
