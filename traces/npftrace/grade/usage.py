"""What the processes of one command use together, read from /proc.

The kernel bounds each process by itself. A command with many processes is held to
the same bounds by adding them up, a few times a second.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
#: The fields of /proc/PID/stat after the name, which may hold spaces: processor time
#: of the process and of its children that have ended, and resident pages.
TIMES, RESIDENT = slice(11, 15), 21


@dataclass(frozen=True)
class Usage:
    """Processor time since the start, and memory now."""

    cpu_seconds: float
    memory_bytes: int


def _children(process: int) -> list[int]:
    found = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        found += [int(word) for word in path.read_text().split()]
    return found


def usage(process: int) -> Usage:
    """The sums over a process and its descendants; those that end meanwhile are
    left out."""
    seconds, memory = 0.0, 0
    waiting = [process]
    while waiting:
        one = waiting.pop()
        try:
            stat = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            waiting += _children(one)
        except OSError:
            continue
        seconds += sum(map(int, stat[TIMES])) / TICKS
        memory += int(stat[RESIDENT]) * PAGE_BYTES
    return Usage(seconds, memory)
