"""Streams of table updates as a router saw them.

`bgpdump -m` prints BGP updates one a line, `BGP4MP|SECONDS|A|…` for an
announcement and `W` for a withdrawal. `schedule` plays their times against a
stream of packets, faster or slower than they happened.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from npftrace.errors import InputError

#: Packets a second of 64 bytes at 2.5 Gbit/s, the chip's design point.
PACKETS_PER_SECOND = 2.5e9 / (64 * 8)


def read_times(path: Path) -> list[float]:
    """Seconds of each update since the first. Updates of one second, which is
    as fine as the file tells, are spread evenly over it."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    seconds: list[int] = []
    for number, line in enumerate(data.decode("latin-1").splitlines(), 1):
        fields = line.split("|")
        if len(fields) < 3 or not fields[1].isdigit():
            raise InputError("E-traces-150", "is no line of `bgpdump -m`", path, number)
        if fields[2] in ("A", "W"):
            seconds.append(int(fields[1]))
    if not seconds:
        raise InputError("E-traces-151", "holds no update", path)
    return spread(sorted(seconds))


def spread(seconds: list[int]) -> list[float]:
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
