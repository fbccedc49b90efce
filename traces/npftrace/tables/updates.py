"""Streams of routing updates as a router saw them.

`bgpdump -m` prints BGP updates one per line: `BGP4MP|SECONDS|A|…` announces a
route, `W` withdraws one. `schedule` maps their times onto a stream of packets,
faster or slower than they happened.
"""

from __future__ import annotations

from pathlib import Path

from npftrace.errors import InputError
from npftrace.files import read_bytes

#: Packets per second of 64 bytes at 2.5 Gbit/s, the chip's design point.
PACKETS_PER_SECOND = 2.5e9 / (64 * 8)


def read_times(path: Path) -> list[float]:
    """The seconds of each update after the first. The file has whole seconds;
    updates of the same second are spread evenly over it."""
    data = read_bytes(path, "E-traces-190", "the file of updates")
    seconds: list[int] = []
    for number, line in enumerate(data.decode("latin-1").splitlines(), 1):
        fields = line.split("|")
        if len(fields) < 3 or not fields[1].isdigit():
            message = "this is not a line of `bgpdump -m`"
            raise InputError("E-traces-191", message, path, number)
        if fields[2] in ("A", "W"):
            seconds.append(int(fields[1]))
    if not seconds:
        raise InputError("E-traces-192", "the file holds no update", path)
    return spread(sorted(seconds))


def spread(seconds: list[int]) -> list[float]:
    """Sorted whole seconds as seconds after the first, those of the same second
    spread evenly over it."""
    first = seconds[0]
    times: list[float] = []
    begin = 0
    while begin < len(seconds):
        end = begin
        while end < len(seconds) and seconds[end] == seconds[begin]:
            end += 1
        for i in range(begin, end):
            share = (i - begin) / (end - begin)
            times.append(seconds[begin] - first + share)
        begin = end
    return times


def schedule(times: list[float], speed: float, packets: int) -> list[int]:
    """The packets before which the updates happen, of the first `packets`,
    if time runs `speed` times as fast."""
    numbers = [int(time / speed * PACKETS_PER_SECOND) for time in times]
    return [number for number in numbers if number < packets]
