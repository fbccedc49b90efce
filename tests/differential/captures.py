"""The least of pcap and pcapng that comparing packets needs."""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path


def write_pcap(path: Path, frames: list[bytes]) -> None:
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for index, frame in enumerate(frames):
            size = len(frame)
            file.write(struct.pack("<IIII", 0, index, size, size) + frame)


def read_pcapng(path: Path) -> Counter[tuple[int, bytes]]:
    """How often each (port, frame) stands in the file."""
    data = path.read_bytes()
    found: Counter[tuple[int, bytes]] = Counter()
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:  # an enhanced packet block
            port, _, _, size = struct.unpack_from("<IIII", data, at + 8)
            found[port, data[at + 28 : at + 28 + size]] += 1
        at += length
    return found
