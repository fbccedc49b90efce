"""Writes chunks of frames as pcap or pcapng records, without a loop per frame."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from npftrace.draws import Numbers
from npftrace.files import create
from npftrace.frames import capture
from npftrace.frames.wire import CRC_BYTES, GAP_BYTES
from npftrace.make.chunks import Bytes

#: A port sends at 1 Gbit/s.
NS_PER_BYTE = 8
#: What a frame takes on the wire besides its bytes.
OVERHEAD_BYTES = CRC_BYTES + GAP_BYTES


class FrameWriter:
    """Writes chunks of frames; frame i enters by port i modulo `ports`.

    The file gets its name when it is complete.
    """

    def __init__(self, path: Path, ports: int) -> None:
        self.path = path
        self.ports = ports
        self.pcapng = capture.is_pcapng(path)
        self.count = 0
        self.time_ns = 0

    def __enter__(self) -> Self:
        self.part = self.path.with_name(self.path.name + ".part")
        self.output = create(self.part, named=self.path)
        self.file = self.output.__enter__()
        self.file.write(capture.file_header(self.path, self.ports))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.output.__exit__(None, None, None)
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
        """Arrival times: all ports send at line rate, frames of a row together."""
        row = (self.count + np.arange(len(lengths))) // self.ports
        row -= row[0]
        longest = np.zeros(int(row[-1]) + 1, dtype=np.int64)
        np.maximum.at(longest, row, (lengths + OVERHEAD_BYTES) * NS_PER_BYTE)
        begins = self.time_ns + np.cumsum(longest) - longest
        self.time_ns = int(begins[-1] + longest[-1])
        result: Numbers = begins[row]
        return result

    def _around(
        self, lengths: Numbers, ports: Numbers, times: Numbers
    ) -> tuple[Bytes, Bytes]:
        """The bytes of the file before and after each frame."""
        if not self.pcapng:
            seconds, fraction = np.divmod(times, capture.NS_PER_SECOND)
            return _words([seconds, fraction, lengths, lengths]), _words([], len(times))
        blocks = 32 + ((lengths + 3) & ~3)
        kind = np.full_like(lengths, capture.ENHANCED_PACKET)
        head = [kind, blocks, ports, times >> 32, times, lengths, lengths]
        return _words(head), _words([blocks])


def _words(columns: Sequence[Numbers], count: int = 0) -> Bytes:
    """Little-endian 32-bit columns as rows of bytes."""
    if not columns:
        return np.zeros((count, 0), dtype=np.uint8)
    words = np.stack([column & 0xFFFFFFFF for column in columns], axis=1)
    return words.astype("<u4").view(np.uint8)
