"""IPv6 neighbours: waiting packets, and right and wrong solicitations and
advertisements in any order, agree with the oracle."""

import random
from pathlib import Path

from scapy.layers.inet import UDP
from scapy.layers.inet6 import (
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from npftrace.frames.capture import Frame, write_capture
from testkit.applications import L3_SWITCH
from testkit.runs import check_packets, run_on_x86
from testkit.workloads import Workload

NEIGHBOURS = 6
PACKETS = 800
TICK_EVERY = 40


def own(port: int) -> str:
    return f"2001:db8:{port}::1"


def neighbour(number: int) -> str:
    return f"2001:db8:1::aa:{number:x}"


def station(number: int) -> str:
    return f"02:00:00:00:01:{number:02x}"


def routed(chance: random.Random, number: int) -> tuple[int, Packet]:
    """A packet to an address behind a neighbour."""
    ip = IPv6(
        src="2001:db8::9",
        dst=f"2001:db8:{9 + number:x}::3",
        hlim=chance.choice([1, 9, 64, 255]),
    )
    frame = Ether(src=station(0xAA), dst="02:00:00:00:00:00", type=0x86DD)
    return 0, frame / ip / UDP() / Raw(bytes(chance.randrange(200)))


def advertisement(chance: random.Random, number: int) -> tuple[int, Packet]:
    """An advertisement of a neighbour, perhaps with a new Ethernet address, from
    another port than its own, or not from the link."""
    port = 1 + chance.randrange(2)
    frame = Ether(src=station(number), dst=f"02:00:00:00:00:0{port}", type=0x86DD)
    ip = IPv6(
        src=chance.choice([neighbour(number), "fe80::5"]),
        dst=own(port),
        hlim=chance.choice([255, 255, 255, 64]),
    )
    flags = {"R": 0, "S": chance.randrange(2), "O": chance.randrange(2)}
    message = ICMPv6ND_NA(tgt=neighbour(number), **flags)
    mac = station(number + chance.choice([0, 0, 16]))
    return port, frame / ip / message / ICMPv6NDOptDstLLAddr(lladdr=mac)


def solicitation(chance: random.Random, number: int) -> tuple[int, Packet]:
    """A solicitation for an address of the router."""
    port = chance.randrange(3)
    to = chance.choice(["33:33:ff:00:00:01", f"02:00:00:00:00:0{port}"])
    frame = Ether(src=station(number), dst=to, type=0x86DD)
    ip = IPv6(
        src=chance.choice([neighbour(number), "fe80::7", "::"]),
        dst=chance.choice(["ff02::1:ff00:1", own(port)]),
        hlim=255,
    )
    packet = frame / ip / ICMPv6ND_NS(tgt=own(chance.choice([port, port, 2])))
    if chance.random() < 0.7:
        packet = packet / ICMPv6NDOptSrcLLAddr(lladdr=station(number))
    return port, packet


def load(folder: Path) -> Workload:
    chance = random.Random(5)
    frames = []
    for index in range(PACKETS):
        kinds = (routed, routed, advertisement, solicitation)
        port, packet = chance.choice(kinds)(chance, chance.randrange(NEIGHBOURS))
        data = bytearray(bytes(packet))
        if chance.random() < 0.05:
            data[-1] ^= 1
        frames.append(Frame(1000 * index, port, bytes(data)))
    trace, control = folder / "trace.pcapng", folder / "control.txt"
    write_capture(trace, frames, 4)
    calls = [f"port_mac({port}, 02:00:00:00:00:0{port})" for port in range(4)]
    for port in range(3):
        calls.append(f"port_address6({port}, 0x20010db8, {port << 16}, 0, 1)")
    calls.append(f"next_hop_add(9, 0, {station(0xAA)})")
    calls.append("route6_add(0x20010db8, 0, 0, 9, 128, 9)")
    for number in range(NEIGHBOURS):
        address = f"0x20010db8, 0x00010000, 0, {0xAA0000 + number}"
        calls.append(f"next_hop_ip6({20 + number}, {1 + number % 2}, {address})")
        prefix = f"0x20010db8, {9 + number << 16}, 0, 0"
        calls.append(f"route6_add({prefix}, 48, {20 + number})")
    for index in range(TICK_EVERY, PACKETS, TICK_EVERY):
        calls.append(f"@packet {index} arp_tick()")
    control.write_text("\n".join(calls) + "\n")
    return Workload(trace, control)


def test_x86_agrees_with_the_oracle(tmp_path: Path) -> None:
    work = load(tmp_path)
    out, stats = run_on_x86(L3_SWITCH, work, tmp_path)
    check_packets(work, out, tmp_path / "x86.json", window=0)
    drops = stats["drops"]
    assert drops["nd_done"] > 100
    assert drops["nd_waiting"] > 5
    assert drops["for_router6"] > 5
