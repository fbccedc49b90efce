"""Frames written by hand, for tests of the reader, the oracle and the checker.

The builder here shares nothing with the generator of the package.
"""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

ROUTER = "02:00:00:00:00:0{}"


def mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def ip(text: str) -> bytes:
    return bytes(map(int, text.split(".")))


def ones_complement_sum(data: bytes) -> int:
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    return (total - 1) % 0xFFFF + 1 if total else 0


def build_frame(
    dst: str = ROUTER.format(0),
    src: str = "0a:00:00:00:00:01",
    ether_type: int = 0x0800,
    version: int = 4,
    ihl: int = 5,
    ttl: int = 64,
    ip_dst: str = "10.1.2.3",
    ip_src: str = "198.18.0.1",
    total_length: int | None = None,
    checksum: int | None = None,
    fragment: int = 0,
    payload: bytes = b"\x04\x00\x00\x07\x00\x1a\x00\x00" + bytes(range(18)),
    size: int = 60,
) -> bytes:
    options = b"\x01" * max(0, 4 * ihl - 20)
    if total_length is None:
        total_length = 20 + len(options) + len(payload)
    header = bytes([version << 4 | ihl, 0]) + struct.pack(
        ">HHHBBH", total_length, 0x1234, fragment, ttl, 17, 0
    )
    header += ip(ip_src) + ip(ip_dst) + options
    if checksum is None:
        checksum = ~ones_complement_sum(header) & 0xFFFF
    header = header[:10] + struct.pack(">H", checksum) + header[12:]
    frame = mac(dst) + mac(src) + struct.pack(">H", ether_type) + header + payload
    return frame.ljust(size, b"\0")


@pytest.fixture
def frame() -> Callable[..., bytes]:
    """A frame with the given fields; the rest is right."""
    return build_frame


CONTROL = """
port_mac(0, 02:00:00:00:00:00)
port_mac(1, 02:00:00:00:00:01)
port_mac(2, 02:00:00:00:00:02)
port_mac(3, 02:00:00:00:00:03)
next_hop_add(0, 1, 06:00:00:00:00:00)
next_hop_add(1, 2, 06:00:00:00:00:01)
next_hop_add(2, 3, 06:00:00:00:00:02)
route_add(10.0.0.0, 8, 0)
route_add(10.1.0.0, 16, 1)
route_add(10.1.2.3, 32, 2)
bridge_add(0a:00:00:00:00:01, 0)
bridge_add(0a:00:00:00:00:02, 2)
"""


@pytest.fixture
def control_file(tmp_path: Path) -> Path:
    path = tmp_path / "control.txt"
    path.write_text(CONTROL)
    return path
