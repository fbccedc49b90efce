"""Writes and compares captures without npftrace's reader and writer, so that a test
of a tool does not depend on them."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

#: The header of a little-endian pcap file with Ethernet frames.
PCAP_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
ENHANCED_PACKET_BLOCK = 6


def write_pcap(path: Path, frames: Iterable[bytes]) -> None:
    """Writes frames a microsecond apart."""
    with path.open("wb") as file:
        file.write(PCAP_HEADER)
        for index, frame in enumerate(frames):
            size = len(frame)
            file.write(struct.pack("<IIII", 0, index, size, size) + frame)


def read_pcap(path: Path, most: int) -> list[bytes]:
    """The first frames of a little-endian pcap file, whose last may be cut short."""
    data, at = path.read_bytes(), len(PCAP_HEADER)
    found: list[bytes] = []
    while at + 16 <= len(data) and len(found) < most:
        (size,) = struct.unpack_from("<I", data, at + 8)
        at += 16 + size
        if at <= len(data):
            found.append(data[at - size : at])
    return found


def read_pcapng(path: Path) -> Counter[tuple[int, bytes]]:
    """Counts each (port, frame) of a pcapng file."""
    data = path.read_bytes()
    found: Counter[tuple[int, bytes]] = Counter()
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == ENHANCED_PACKET_BLOCK:
            port, _, _, size = struct.unpack_from("<IIII", data, at + 8)
            found[port, data[at + 28 : at + 28 + size]] += 1
        at += length
    return found
