"""Frames as the rows of a numpy matrix.

A generator builds some ten thousand frames at a time as one chunk: a row per
frame, all rows as wide as the longest frame. Header fields are filled by column.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from npftrace.draws import Numbers

Bytes = NDArray[np.uint8]
#: The payload begins with the packet's number.
SEQUENCE_BYTES = 8


def put(rows: Bytes, at: int, size: int, values: Any) -> None:
    """Writes big-endian fields of `size` bytes at column `at`."""
    numbers = np.broadcast_to(np.asarray(values, dtype=np.int64), len(rows))
    for index in range(size):
        rows[:, at + index] = (numbers >> 8 * (size - 1 - index)) & 0xFF


def header_sums(rows: Bytes, at: int, size: int) -> Numbers:
    """The Internet checksum of the `size` bytes from column `at`, for each row."""
    words = np.ascontiguousarray(rows[:, at : at + size]).view(">u2")
    sums = words.sum(axis=1, dtype=np.int64)
    for _ in range(2):
        sums = (sums & 0xFFFF) + (sums >> 16)
    result: Numbers = ~sums & 0xFFFF
    return result


class Chunk:
    """Some frames, their lengths without CRC, and the kind of each."""

    def __init__(
        self, names: list[str], kinds: Numbers, ports: Numbers, lengths: Numbers
    ) -> None:
        """`kinds` are indices of `names`."""
        self.names = names
        self.kinds = kinds
        self.ports = ports
        self.lengths = lengths
        self.rows: Bytes = np.zeros((len(kinds), int(lengths.max())), dtype=np.uint8)

    def of(self, *names: str) -> Numbers:
        """Indices of the frames of these kinds."""
        numbers = [self.names.index(name) for name in names]
        return np.flatnonzero(np.isin(self.kinds, numbers))

    def put_at(self, which: Numbers, at: int, size: int, values: object) -> None:
        """Writes a field of some frames."""
        part = self.rows[which]
        put(part, at, size, values)
        self.rows[which] = part

    def put_payload(self, start: int, numbers: Numbers) -> None:
        """Writes each packet's number, then bytes that depend on the number and
        the column, so that no two frames of a trace are the same."""
        width = self.rows.shape[1]
        pattern = numbers[:, None] * 31 + np.arange(width - start)
        self.rows[:, start:] = (pattern & 0xFF).astype(np.uint8)
        put(self.rows, start, SEQUENCE_BYTES, numbers)
