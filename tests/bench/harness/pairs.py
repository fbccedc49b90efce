"""Processor time of two programs that share a processor.

On a busy or virtual machine the speed of a processor may change by half from one
second to the next, and processor time with it. The kernel gives two processes on
one processor turns of a few milliseconds, so both meet the same machine and the
ratio of their times is steady.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.harness.bench import Failed

Command = Sequence[str]


@dataclass(frozen=True)
class Pairs:
    """A quantity of two programs, round by round: (first, second)."""

    rounds: tuple[tuple[float, float], ...]

    @property
    def first(self) -> float:
        return median(first for first, _ in self.rounds)

    @property
    def second(self) -> float:
        return median(second for _, second in self.rounds)

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios, second to first."""
        return median(second / first for first, second in self.rounds)


def seconds_of_both(
    commands: tuple[Command, Command], turn: int
) -> tuple[float, float]:
    """Processor seconds of two programs that run at once on one processor. In
    four successive turns each starts first on each of two processors. Raises
    Failed if one fails."""
    processors = sorted(os.sched_getaffinity(0))
    pin = ["taskset", "-c", str(processors[turn // 2 % len(processors)])]
    order = (0, 1) if turn % 2 == 0 else (1, 0)
    started = {
        which: subprocess.Popen([*pin, *commands[which]], stdout=subprocess.DEVNULL)
        for which in order
    }
    seconds = {}
    for which, process in started.items():
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds[which] = used.ru_utime + used.ru_stime
    for which, process in started.items():
        if process.returncode != 0:
            said = " ".join(commands[which])
            raise Failed(f"exit status {process.returncode}: {said}")
    return seconds[0], seconds[1]
