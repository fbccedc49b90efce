"""What a command of a submission may use, and what happened to one that did."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """Bounds of one command. Processor time, memory and file size hold for each of
    its processes; time on the clock and the private folder for all together."""

    cpu_seconds: int = 30
    wall_seconds: int = 240
    #: 0: no limit, for programs with sanitizers, which reserve address space.
    memory_mib: int = 4096
    #: The private folder, which holds what the command prints, too.
    disk_mib: int = 128
    processes: int = 32


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    status: int
    printed: str
    complained: str
    #: What it left in its folder besides its inputs, by name.
    files: dict[str, bytes] = field(default_factory=dict)
    #: Why it was ended, or an empty string.
    ended: str = ""


def reason_of(status: int, limits: Limits) -> str:
    """Says which limit ended a command with this exit status of a shell, or which
    signal did; an empty string if it ended by itself."""
    if status <= 128:
        return ""
    number = status - 128
    if number in (signal.SIGXCPU, signal.SIGKILL):
        return f"it used more than {limits.cpu_seconds} s of processor time"
    if number == signal.SIGXFSZ:
        return f"it wrote more than {limits.disk_mib} MiB"
    try:
        name = signal.Signals(number).name
    except ValueError:
        return ""
    return f"it was ended by {name} (it may use {limits.memory_mib} MiB of memory)"
