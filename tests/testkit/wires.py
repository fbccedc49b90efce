"""Interfaces in a network namespace. Of a pair of veth, `port0` and `port1` are for a
switch, the other ends `wire0` and `wire1` for a test."""

from __future__ import annotations

import socket
import struct
import subprocess
from pathlib import Path

#: Of <asm-generic/socket.h>; Python does not have it.
SO_RCVBUFFORCE = 33


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def add_pair(n: int) -> None:
    ip("link", "add", f"port{n}", "type", "veth", "peer", "name", f"wire{n}")
    for end in (f"port{n}", f"wire{n}"):
        quiet(end)


def quiet(interface: str) -> None:
    """Sets an interface up, on which the kernel sends nothing of its own."""
    Path(f"/proc/sys/net/ipv6/conf/{interface}/disable_ipv6").write_text("1")
    ip("link", "set", interface, "up")


def wire(n: int) -> socket.socket:
    return frames_of(f"wire{n}")


def frames_of(name: str) -> socket.socket:
    """All frames of an interface."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    made.bind((name, 0))
    made.settimeout(10)
    return made


def frame(number: int, size: int = 60) -> bytes:
    return bytes(12) + b"\x88\xb5" + struct.pack(">I", number) + bytes(size - 18)


def taken(side: socket.socket, count: int) -> list[bytes]:
    """The next `count` frames that come, without those that this test sends."""
    frames: list[bytes] = []
    while len(frames) < count:
        data, address = side.recvfrom(4096)
        if address[2] != socket.PACKET_OUTGOING:
            frames.append(data)
    return frames
