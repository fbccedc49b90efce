"""The pass checker executes most code of the applications.

With traffic of every exception, tables set by control calls, and messages from
the XScale core, each pass preserves the behaviour of each program, and most blocks
of the engines' program run. This file makes label stacks of every kind, because
`npftrace` makes no packet with two mistakes.
"""

from __future__ import annotations

import random
import re
import struct
from ipaddress import IPv6Address
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.applications import FIREWALL, L3_SWITCH, MPLS
from testkit.tools import run, run_npftrace

#: The least share of blocks in percent. L3-Switch floods after each of four paths
#: of learning and looking up, and not every frame occurs on every path. baker-pac
#: copies paths of MPLS with blocks that no packet reaches: after the last pop, the
#: TTL is already checked and no label is pushed, and a header always has space; and
#: the searches that an update disturbs begin again, which no update of a run does. The
#: rare PPFs of MPLS, whose code is here, too, see IPv6 below labels, which no frame of
#: this file has. The firewall's table of IPv6 rules has chains that few rules fill.
SHARE_MIN = {L3_SWITCH: 70, FIREWALL: 80, MPLS: 45}
#: The same for the code that is compiled first, which for MPLS has no rare PPFs.
FIRST_SHARE_MIN = {L3_SWITCH: 70, FIREWALL: 80, MPLS: 55}
#: Packets of each run: L3-Switch has the most kinds of frames.
PACKETS = {L3_SWITCH: 8000, FIREWALL: 2500, MPLS: 2500}
PASSES = ("baker-inline", "baker-pac", "baker-soar", "baker-phr")
REPORT = re.compile(r"check-passes: (\S+): the same for .* blocks \((\d+) %\)")
ROUTER_MAC = re.compile(r"port_mac\((\d), ([0-9a-f:]+)\)")


def shares(*names: str, share: float = 0.02) -> list[str]:
    return [word for name in names for word in (f"--{name}", str(share))]


TRAFFIC = {
    L3_SWITCH: [
        "ipv4", "--routes", "100", "--hops", "16",
        *shares("bridged", "broadcast", "multicast", "unknown", "arp", "same-port",
                "arp-to-router", "not-ipv4", "ttl-expired", "bad-checksum", "no-route",
                "bad-version", "bad-header-length", "bad-length", "truncated",
                "options", "fragments"),
    ],
    FIREWALL: [
        "firewall", "--rules", "20",
        *shares("denied", "unmatched", "fragments", "options", "arp", "not-ipv4",
                "bad-header", "tiny-fragment", "short-transport"),
    ],
    MPLS: [
        "mpls", "--labels", "64", "--fecs", "64", "--depth", "3", "--push", "2",
        *shares("ip", "swap-push", "pop-labels", "pop-ip", "pop-again",
                "explicit-null", "egress-push", "unknown-label", "reserved-label",
                "ttl-expired", "other-type", "other-mac"),
    ],
}  # fmt: skip

#: What the tables of `npftrace` leave at rest: counters, addresses of the router,
#: equal-cost next hops, a port whose frames have tags.
CALLS = {
    L3_SWITCH: [
        "count_packets(1)",
        "port_address(0, 192.0.2.1, 24)",
        "port_trunk(2, 0)",
        "port_trunk(3, 0)",
        "route_add_group(0.0.0.0, 1, 0)",
        *(f"group_slot(0, {slot}, {slot})" for slot in range(8)),
    ],
    MPLS: [
        *(f"nhlfe_pipe({index}, 1)" for index in range(0, 64, 3)),
        *(f"group_slot(0, {slot}, {slot})" for slot in range(8)),
        *(f"nhlfe_group({index}, 0)" for index in range(8, 64, 5)),
    ],
}


def ipv4(rng: random.Random, destinations: list[int]) -> bytes:
    """A packet with at most one mistake."""
    mistake = rng.choice(
        ("", "", "", "version", "short", "long", "small", "big", "sum", "ttl", "dst")
    )
    words = 5 + rng.choice((0, 0, 0, 1))
    first = 0x40 | words
    if mistake in ("version", "short", "long"):
        first = {"version": 0x65, "short": 0x43, "long": 0x4F}[mistake]
    length = {"small": 12, "big": 1400}.get(mistake, 4 * words + 8)
    header = bytearray(
        struct.pack(
            ">BBHHHBBHII", first, rng.randrange(256), length, rng.getrandbits(16), 0,
            1 if mistake == "ttl" else 64, 17, 0, rng.getrandbits(32),
            rng.getrandbits(32) if mistake == "dst" else rng.choice(destinations),
        )
        + rng.randbytes(4 * words - 20)
    )  # fmt: skip
    total = sum(struct.unpack(f">{2 * words}H", header))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    total = ~total & 0xFFFF if mistake != "sum" else rng.getrandbits(16)
    header[10:12] = total.to_bytes(2, "big")
    return bytes(header) + rng.randbytes(8)


def solicitations(count: int) -> list[Frame]:
    """Solicitations for the station with an IPv6 address (RFC 4861)."""
    rng = random.Random(12)
    frames = []
    for number in range(count):
        suffix = rng.randbytes(3)
        group = bytes.fromhex("ff02" + 18 * "0" + "01ff") + suffix
        header = bytes.fromhex("6000000000183aff") + rng.randbytes(16) + group
        ether = b"\x33\x33\xff" + suffix + b"\x02" + rng.randbytes(5) + b"\x86\xdd"
        frames.append(Frame(number, number % 4, ether + header + rng.randbytes(24)))
    return frames


def ipv6(folder: Path, control: Path) -> list[Frame]:
    """Routed IPv6 packets; adds their tables to the control file."""
    made, calls = folder / "ipv6.pcap", folder / "ipv6.txt"
    run_npftrace(
        "make", "ipv6", "--routes", "100", "--packets", "200",
        *shares("hop-limit", "bad-version", "bad-length", "no-route", "multicast"),
        "--out", made, "--control", calls,
    )  # fmt: skip
    with control.open("a") as file:
        file.write(calls.read_text())
    return read_capture(made, 4).frames


def tagged(frames: list[Frame]) -> list[Frame]:
    """Frames of ports 2 and 3 with a tag (IEEE 802.1Q), of VLAN 1."""
    return [
        frame._replace(data=frame.data[:12] + b"\x81\0\0\1" + frame.data[12:])
        for frame in frames
        if frame.port >= 2
    ]


def label_stacks(control: str, count: int) -> list[Frame]:
    """Stacks of up to three labels that the router knows, IPv4 below."""
    rng = random.Random(11)
    pops = [int(n) for n in re.findall(r"label_pop\((\d+)\)", control)]
    known = [int(n) for n in re.findall(r"label_add\((\d+),", control)]
    addresses = re.findall(r"fec_add\((\d+)\.(\d+)\.(\d+)\.(\d+),", control)
    destinations = [int.from_bytes(map(int, parts), "big") for parts in addresses]
    macs = {int(p): bytes.fromhex(m.replace(":", "")) for p, m in
            ROUTER_MAC.findall(control)}  # fmt: skip
    frames = []
    for number in range(count):
        port = rng.choice(list(macs))
        above = [rng.choice((*pops, 0)) for _ in range(rng.randrange(3))]
        labels = [*above, rng.choice((rng.choice(pops), rng.choice(known), 0, 3))]
        stack = b"".join(
            (
                label << 12
                | rng.randrange(8) << 9
                | (i + 1 == len(labels)) << 8
                | (1 if rng.random() < 0.08 else 64)
            ).to_bytes(4, "big")
            for i, label in enumerate(labels)
        )
        frame = macs[port] + rng.randbytes(6) + b"\x88\x47" + stack
        frames.append(Frame(number, port, frame + ipv4(rng, destinations)))
    return frames


def connections(frames: list[Frame]) -> list[str]:
    """Calls that fill the firewall's table with the TCP and UDP connections of
    every second frame among many others, so that searches follow chains."""
    rng = random.Random(5)
    calls = ["stateful(1)"]
    for frame in frames[::2]:
        header, ports = frame.data[26:34], frame.data[34:38]
        if frame.data[14:15] == b"\x45" and frame.data[23] in (6, 17):
            calls.append(connection(header + ports, frame.data[23]))
        calls += (connection(rng.randbytes(12), 6) for _ in range(24))
    return calls


def firewall6(folder: Path, control: Path) -> list[Frame]:
    """Packets and rules of IPv6, in force beside those of IPv4, and connections of
    every second UDP packet."""
    trace, calls = folder / "six.pcap", folder / "six.control"
    run_npftrace(
        "make", *TRAFFIC[FIREWALL], "--seed", "7", "--packets", "500", "--ipv6",
        "--out", trace, "--control", calls,
    )  # fmt: skip
    frames = [*read_capture(trace, 4).frames]
    lines = calls.read_text().splitlines()
    for data in (frame.data for frame in frames[::2]):
        if data[12:14] == b"\x86\xdd" and data[20] == 17:
            ends = (str(IPv6Address(data[at : at + 16])) for at in (22, 38))
            ports = (int.from_bytes(data[at : at + 2], "big") for at in (54, 56))
            lines.append(f"connection6_add({', '.join(map(str, (*ends, *ports, 17)))})")
    with control.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)
    return frames


def connection(ends: bytes, protocol: int) -> str:
    src, dst, source, destination = struct.unpack(">IIHH", ends)
    return f"connection_add({src}, {dst}, {source}, {destination}, {protocol})"


@pytest.mark.parametrize("source", TRAFFIC, ids=lambda path: path.stem)
def test_most_blocks_run(source: Path, tmp_path: Path) -> None:
    trace, control = tmp_path / "in.pcap", tmp_path / "control.txt"
    run_npftrace(
        "make", *TRAFFIC[source], "--seed", "7", "--packets", "500",
        "--out", trace, "--control", control,
    )  # fmt: skip
    frames = [*read_capture(trace, 4).frames]
    if source == L3_SWITCH:
        frames += [*solicitations(40), *ipv6(tmp_path, control)]
        frames += tagged(frames)
    if source == MPLS:
        frames += label_stacks(control.read_text(), 2000)
    four = frames
    if source == FIREWALL:
        frames = four + firewall6(tmp_path, control)
    write_capture(trace, frames, 4)
    with control.open("a") as file:
        file.writelines(f"{call}\n" for call in CALLS.get(source, []))
        if source == FIREWALL:
            file.writelines(f"{call}\n" for call in connections(four))
    said = run(
        "bakerc", source, "--level=phr", f"--profile-trace={trace}",
        f"--control={control}", f"--check-passes={PACKETS[source]}",
        "-o", tmp_path / "out.ixp",
    ).stderr  # fmt: skip
    for name in PASSES:
        reached = [int(share) for of, share in REPORT.findall(said) if of == name]
        assert reached[0] >= FIRST_SHARE_MIN[source], said
        assert reached[-1] >= SHARE_MIN[source], said
