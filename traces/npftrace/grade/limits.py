"""What a command of a submission may use, and what happened to one that did."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field

from npftrace.grade.usage import Usage


@dataclass(frozen=True)
class Limits:
    """Bounds of one command, with all its processes together. The kernel holds each
    process to those of processor time and memory; the sums are looked at a few times a
    second."""

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
    #: What it left in its folder besides its inputs, by name, if it succeeded.
    files: dict[str, bytes] = field(default_factory=dict)
    #: Why it was ended, or an empty string.
    ended: str = ""


def wrote_too_much(limits: Limits) -> str:
    return f"it wrote more than {limits.disk_mib} MiB"


def excess_of(used: Usage, limits: Limits) -> str:
    """Says which limit the processes of a command exceed together, or nothing."""
    if used.cpu_seconds > limits.cpu_seconds + 1:
        return f"it used more than {limits.cpu_seconds} s of processor time"
    if limits.memory_mib and used.memory_bytes > limits.memory_mib << 20:
        return f"it used more than {limits.memory_mib} MiB of memory"
    return ""


def reason_of(status: int, limits: Limits) -> str:
    """Says which limit ended a command with this exit status of a shell, or which
    signal did; an empty string if it ended by itself."""
    if status <= 128:
        return ""
    number = status - 128
    if number in (signal.SIGXCPU, signal.SIGKILL):
        return f"it used more than {limits.cpu_seconds} s of processor time"
    if number == signal.SIGXFSZ:
        return wrote_too_much(limits)
    try:
        name = signal.Signals(number).name
    except ValueError:
        return ""
    return f"it was ended by {name} (it may use {limits.memory_mib} MiB of memory)"
