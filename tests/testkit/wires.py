"""Interfaces in a network namespace. Of a pair of veth, `port0` and `port1` are for a
switch, the other ends `wire0` and `wire1` for a test."""

from __future__ import annotations

import socket
import struct
import subprocess
from pathlib import Path

from testkit.switch import RunningSwitch

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


def check_vanishing(switch: RunningSwitch, unsent: str) -> None:
    """A switch from each port to the other uses one again that was removed, or set
    down, and counts as `unsent` the frames that it could not send meanwhile. Ends
    the switch."""
    ip("link", "delete", "port1")
    switch.wait_for("ports", 1, "downs", least=1)
    wire(0).send(frame(1))
    stats = switch.wait_for("ports", 1, unsent, least=1)
    assert not stats["ports"][1]["up"] and stats["ports"][0]["up"]
    add_pair(1)
    other = wire(1)
    switch.wait_for("ports", 1, "up", least=True)
    wire(0).send(frame(2))
    assert taken(other, 1) == [frame(2)]
    ip("link", "set", "port0", "down")
    switch.wait_for("ports", 0, "downs", least=1)
    ip("link", "set", "port0", "up")
    switch.wait_for("ports", 0, "up", least=True)
    wire(0).send(frame(3))
    assert taken(other, 1) == [frame(3)]
    switch.end()
