"""Routes of MRT dumps (RFC 6396)."""

import bz2
import struct
from pathlib import Path

import pytest

from npftrace.errors import InputError
from npftrace.tables.limits import IPV6
from npftrace.tables.rib import read_rib

NEXT_HOP = b"\x40\x03\x04" + bytes((192, 0, 2, 7))
ORIGIN = b"\x50\x01\x00\x01\x00"  # with an extended length


def record(kind: int, subtype: int, body: bytes) -> bytes:
    return struct.pack(">IHHI", 0, kind, subtype, len(body)) + body


def rib_entry(prefix: bytes, length: int, attributes: bytes) -> bytes:
    entry = struct.pack(">HIH", 0, 0, len(attributes)) + attributes
    body = struct.pack(">IB", 1, length) + prefix + struct.pack(">H", 1) + entry
    return record(13, 2, body)


PEERS = record(13, 1, bytes(8))
OLD = record(
    12, 1, struct.pack(">HHIBBIIHH", 0, 0, 0x0B000000, 8, 1, 0, 0, 7, 7) + NEXT_HOP
)


def test_dumps_of_both_kinds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rib.mrt.bz2"
    new = rib_entry(bytes((10, 1)), 16, ORIGIN + NEXT_HOP)
    ipv6 = record(13, 4, bytes(20))
    path.write_bytes(bz2.compress(PEERS + new + new + ipv6 + OLD))
    assert read_rib(path) == [
        (0x0A010000, 16, "192.0.2.7"),
        (0x0B000000, 8, "192.0.2.7"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        PEERS,
        PEERS + OLD[:-1],
        PEERS + OLD[:5],
        PEERS + rib_entry(b"\0" * 5, 40, NEXT_HOP),
        PEERS + rib_entry(b"", 8, NEXT_HOP)[:-30] + b"\0" * 3,
    ],
)
def test_wrong_dumps_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "rib.mrt"
    path.write_bytes(data)
    with pytest.raises(InputError):
        read_rib(path)


def test_routes_of_ipv6_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rib.mrt"
    address = bytes.fromhex("20010db8") + bytes(11) + b"\1"
    attribute = b"\x80\x0e" + bytes([33, 32]) + address + bytes(16)
    entry = struct.pack(">HIH", 0, 0, len(attribute)) + attribute
    prefix = bytes.fromhex("20010db8000f")
    body = struct.pack(">IB", 1, 47) + prefix + struct.pack(">H", 1) + entry
    old = rib_entry(bytes((10, 1)), 16, NEXT_HOP)
    path.write_bytes(PEERS + old + record(13, 4, body))
    assert read_rib(path, IPV6) == [(0x20010DB8_000E << 80, 47, "2001:db8::1")]
    assert read_rib(path) == [(0x0A010000, 16, "192.0.2.7")]
    path.write_bytes(record(13, 4, struct.pack(">IB", 1, 129) + bytes(40)))
    with pytest.raises(InputError):
        read_rib(path, IPV6)
