"""Runs each new step once and stores its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, as_completed
from contextlib import nullcontext
from dataclasses import dataclass
from threading import Event

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from npftrace.sweep.step import Result, Step
from npftrace.sweep.store import Outcome, Store
from npftrace.sweep.workers import LocalPool, Pool


@dataclass(frozen=True)
class Failure:
    """A step whose tool failed, and what the tool printed. It is not stored, so
    the next sweep tries again."""

    status: int
    said: str


class StepRunner:
    """Runs steps on a pool, with one store of results."""

    def __init__(self, store: Store, is_shown: bool | None = None) -> None:
        self.store = store
        self.console = Console(stderr=True)
        self.is_shown = self.console.is_terminal if is_shown is None else is_shown
        #: How many steps ran, and how many were found in the store.
        self.ran, self.known = 0, 0
        #: Setting it interrupts the run after the current step.
        self.stop = Event()

    def run(
        self, steps: Sequence[Step], what: str, pool: Pool | None = None
    ) -> list[Outcome | Failure]:
        """The result of each step, in their order. Without a pool, steps run on
        the cores of this computer."""
        distinct = {step.key: step for step in steps}
        found: dict[str, Outcome | Failure] = {}
        for key, step in distinct.items():
            outcome = self.store.find(step)
            if outcome:
                found[key] = outcome
        new = [step for key, step in distinct.items() if key not in found]
        self.known += len(found)
        if new:
            with nullcontext(pool) if pool else LocalPool() as at:
                self._run_new(new, what, at, found)
        return [found[step.key] for step in steps]

    def _run_new(
        self,
        steps: list[Step],
        what: str,
        pool: Pool,
        found: dict[str, Outcome | Failure],
    ) -> None:
        total = len(steps) + len(found)
        with _bar(self.console, self.is_shown) as bar:
            task = bar.add_task(what, total=total, completed=len(found))
            futures: dict[Future[Result], Step] = {
                pool.submit(step, self.store): step for step in steps
            }
            for future in as_completed(futures):
                step = futures.pop(future)
                found[step.key] = self._stored(step, future.result())
                self.ran += 1
                bar.advance(task)
                if self.stop.is_set():
                    raise KeyboardInterrupt

    def _stored(self, step: Step, result: Result) -> Outcome | Failure:
        if result.status != 0:
            return Failure(result.status, result.said)
        return self.store.store(step, result)


def _bar(console: Console, is_shown: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("time left"),
        TimeRemainingColumn(),
        console=console,
        disable=not is_shown,
        transient=True,
    )
