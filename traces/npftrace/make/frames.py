"""Rows of frames as numpy matrices, and files of them.

A generator builds some ten thousand frames at a time as one matrix, a row a
frame, all rows as wide as the longest; this module fills header fields by
column and writes the rows, cut to their lengths, as pcap or pcapng records.
"""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from npftrace import capture

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

# A port sends a frame, its CRC, and 20 bytes of preamble and gap at 1 Gbit/s.
NS_PER_BYTE = 8
LINE_BYTES = 24

# Frames built at a time.
CHUNK = 1 << 15


def share_out(rng: np.random.Generator, ways: int, count: int) -> Numbers:
    """`count` numbers below `ways` in random order, each as often as any other,
    or once more. So no port gets more than its share of the traffic: at line
    rate it could not send what is above."""
    rest = rng.permutation(ways)[: count % ways]
    return rng.permutation(np.append(np.tile(np.arange(ways), count // ways), rest))


def draw_evenly(rng: np.random.Generator, ports: Numbers, count: int) -> Numbers:
    """`count` random indices of `ports`, each about as often as any other, so
    that every port occurs as often as any other among them."""
    rank = np.zeros(len(ports), dtype=np.int64)
    for port in np.unique(ports):
        which = np.flatnonzero(ports == port)
        rank[which] = rng.permutation(len(which))
    in_turn = np.lexsort((ports, rank))
    taken = (rng.integers(len(ports)) + np.arange(count)) % len(ports)
    return rng.permutation(in_turn[taken])


def put(rows: Bytes, at: int, size: int, values: Any) -> None:
    """Writes big-endian fields of `size` bytes at column `at`."""
    numbers = np.broadcast_to(np.asarray(values, dtype=np.int64), len(rows))
    for index in range(size):
        rows[:, at + index] = (numbers >> 8 * (size - 1 - index)) & 0xFF


def header_sums(rows: Bytes, at: int, size: int) -> Numbers:
    """The Internet checksum of the `size` bytes from column `at`, by row."""
    words = np.ascontiguousarray(rows[:, at : at + size]).view(">u2")
    sums = words.sum(axis=1, dtype=np.int64)
    for _ in range(2):
        sums = (sums & 0xFFFF) + (sums >> 16)
    result: Numbers = ~sums & 0xFFFF
    return result


class FrameWriter:
    """Writes chunks of frames; frame i enters by port i modulo `ports`.

    The file appears under its name when all is written, and not before.
    """

    def __init__(self, path: Path, ports: int) -> None:
        self.path = path
        self.ports = ports
        self.pcapng = capture.is_pcapng(path)
        self.count = 0
        self.time_ns = 0

    def __enter__(self) -> Self:
        self.part = self.path.with_name(self.path.name + ".part")
        self.file = open(self.part, "wb")
        self.file.write(capture.file_header(self.path, self.ports))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.file.close()
        if error:
            self.part.unlink()
        else:
            self.part.replace(self.path)

    def write(self, rows: Bytes, lengths: Numbers) -> None:
        """Appends the first `lengths[i]` bytes of each row i."""
        count = len(rows)
        ports = (self.count + np.arange(count, dtype=np.int64)) % self.ports
        heads, tails = self._around(lengths, ports, self._times(lengths))
        head_bytes, tail_bytes = heads.shape[1], tails.shape[1]
        padded = (lengths + 3) & ~3 if self.pcapng else lengths
        sizes = head_bytes + padded + tail_bytes
        starts = np.cumsum(sizes) - sizes
        out = np.zeros(int(sizes.sum()), dtype=np.uint8)
        for length in np.unique(lengths):
            which = np.flatnonzero(lengths == length)
            begin = starts[which][:, None]
            out[begin + np.arange(head_bytes)] = heads[which]
            body = begin + head_bytes
            out[body + np.arange(length)] = rows[which, :length]
            end = body + int(padded[which[0]])
            out[end + np.arange(tail_bytes)] = tails[which]
        self.file.write(out.tobytes())
        self.count += count

    def _times(self, lengths: Numbers) -> Numbers:
        """Arrival times: all ports send together, as fast as the line allows."""
        row = (self.count + np.arange(len(lengths))) // self.ports
        row -= row[0]
        longest = np.zeros(int(row[-1]) + 1, dtype=np.int64)
        np.maximum.at(longest, row, (lengths + LINE_BYTES) * NS_PER_BYTE)
        begins = self.time_ns + np.cumsum(longest) - longest
        self.time_ns = int(begins[-1] + longest[-1])
        result: Numbers = begins[row]
        return result

    def _around(
        self, lengths: Numbers, ports: Numbers, times: Numbers
    ) -> tuple[Bytes, Bytes]:
        """What stands before and after each frame in the file."""
        if not self.pcapng:
            seconds, fraction = np.divmod(times, 1_000_000_000)
            return _words([seconds, fraction, lengths, lengths]), _words([], len(times))
        blocks = 32 + ((lengths + 3) & ~3)
        kind = np.full_like(lengths, 6)
        head = [kind, blocks, ports, times >> 32, times, lengths, lengths]
        return _words(head), _words([blocks])


def _words(columns: Sequence[Numbers], count: int = 0) -> Bytes:
    """Little-endian 32-bit columns as rows of bytes."""
    if not columns:
        return np.zeros((count, 0), dtype=np.uint8)
    words = np.stack([column & 0xFFFFFFFF for column in columns], axis=1)
    return words.astype("<u4").view(np.uint8)
