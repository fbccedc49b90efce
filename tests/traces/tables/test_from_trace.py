"""Tables made from traces of a few frames, for each application."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from npftrace.cli import main
from npftrace.frames.capture import Frame, write_capture
from npftrace.tables.control import read_control

Build = Callable[..., bytes]
Calls = dict[str, list[tuple[int, ...]]]


def tables(folder: Path, app: str, frames: list[tuple[int, bytes]]) -> Calls:
    """The arguments of the control calls, by function."""
    trace, control = folder / "t.pcapng", folder / "c.txt"
    write_capture(trace, [Frame(0, port, data) for port, data in frames], 2)
    files = [str(trace), "--control", str(control), "--ports", "2"]
    assert main(["tables", "from-trace", *files, "--app", app]) == 0
    found: Calls = {}
    for call in read_control(control):
        found.setdefault(call.function, []).append(call.args)
    return found


def dotted(number: int) -> str:
    return f"10.0.{number}.15"


def test_the_router_has_the_address_that_most_ipv4_frames_go_to(
    tmp_path: Path, frame: Build
) -> None:
    group, often, seldom = "ff:ff:ff:ff:ff:ff", "02:00:00:00:00:aa", "02:00:00:00:00:bb"
    frames = [(0, frame(dst=group))] * 3 + [(0, frame(dst=often))] * 2
    frames += [(0, frame(dst=seldom)), (1, frame(dst=group))]
    frames += [(0, frame(dst=seldom, ether_type=0x88B5))] * 5
    calls = tables(tmp_path, "l3-switch", frames)
    # Where frames go to groups only, a router has its own address.
    assert calls["port_mac"] == [(0, 0x0200000000AA), (1, 0x020000000001)]
    assert calls["next_hop_add"][:3] == [
        (0, 0, 0x060000000000), (1, 1, 0x060000000001), (2, 0, 0x060000000002),
    ]  # fmt: skip
    assert len(calls["next_hop_add"]) == 16


def test_senders_are_stations_of_their_first_port(tmp_path: Path, frame: Build) -> None:
    router = "02:00:00:00:00:aa"
    frames = [
        (0, frame(dst=router, src="0a:00:00:00:00:01")),
        (1, frame(dst=router, src="0a:00:00:00:00:02")),
        (1, frame(dst=router, src="0a:00:00:00:00:01")),
        (1, frame(dst=router, src="0b:00:00:00:00:03")),
        (0, frame(dst=router, src=router)),
        (0, frame(dst=router, src="0a:00:00:00:00:04", ether_type=0x88B5)),
    ]
    calls = tables(tmp_path, "l3-switch", frames)
    assert calls["bridge_add"] == [
        (0x0A0000000001, 0), (0x0A0000000002, 1), (0x0A0000000004, 0),
    ]  # fmt: skip


def test_seven_of_eight_destinations_have_a_route(tmp_path: Path, frame: Build) -> None:
    numbers = [*range(18), 3]
    frames = [(0, frame(ip_dst=dotted(n))) for n in reversed(numbers)]
    frames += [(0, frame(ip_dst="224.0.0.1")), (0, frame(ip_dst="0.0.0.9"))]
    calls = tables(tmp_path, "l3-switch", frames)
    routes = calls["route_add"]
    base = 0x0A000000
    assert routes[:7] == [
        (base + 0x00F, 32, 0), (base + 0x100, 28, 1), (base + 0x20F, 32, 2),
        (base + 0x300, 28, 3), (base + 0x40F, 32, 4), (base + 0x500, 28, 5),
        (base + 0x60F, 32, 6),
    ]  # fmt: skip
    assert routes[7] == (base + 0x80F, 32, 8)
    assert routes[13:] == [
        (base + 0xE0F, 32, 14), (base + 0x100F, 32, 0), (base + 0x1100, 28, 1),
    ]  # fmt: skip


def test_destinations_of_ipv6_have_routes_to_subnets_and_hosts(tmp_path: Path) -> None:
    def ipv6(destination: int) -> bytes:
        head = bytes.fromhex("020000000000 0a0000000001 86dd 60000000 0000 3b 40")
        return head + bytes(15) + b"\x01" + destination.to_bytes(16, "big")

    base = 0x20010DB8 << 96
    others = [0xFF02 << 112 | 1, 0xFE80 << 112 | 1]
    found = [base + (n << 64) + 5 for n in range(9)]
    calls = tables(tmp_path, "l3-switch", [(0, ipv6(a)) for a in [*found, *others]])
    assert calls["route6_add"][:2] == [
        (0x20010DB8, 0, 0, 0, 64, 0), (0x20010DB8, 1, 0, 5, 128, 1),
    ]  # fmt: skip
    # The eighth is left out; neighbours on a link and groups come last.
    assert calls["route6_add"][7:] == [(0x20010DB8, 8, 0, 0, 64, 8)]


def test_rules_of_a_trace(tmp_path: Path, frame: Build) -> None:
    udp = b"\x04\x00\x00{}\x00\x1a\x00\x00"
    frames = []
    for number in range(10):
        payload = udp.replace(b"{}", bytes([number])) + bytes(18)
        data = bytearray(frame(ip_dst=dotted(number), payload=payload))
        # Headers are sorted by their first bytes: the identifier counts up.
        data[18:20] = struct.pack(">H", number)
        if number == 2:
            data[23] = 1
        frames += [(0, bytes(data))] * 2
    calls = tables(tmp_path, "firewall", frames)
    source, base = 0xC6120001, 0x0A00000F
    everything, udp_or_icmp = (0, 65535), (0, 0, 0, 0)
    rules = calls["rule_add"]
    assert len(rules) == 9
    assert rules[:6] == [
        (0, source, 32, base, 32, *everything, 0, 0, 256, *udp_or_icmp),
        (1, source & ~0xFF, 24, base + 0xF1, 28, *everything, *everything, 17,
         *udp_or_icmp),
        (2, source & ~0xFFFF, 16, base + 0x1F1, 24, *everything, *everything, 1,
         *udp_or_icmp),
        (3, source, 32, 0x0A000000, 20, *everything, *everything, 17, *udp_or_icmp),
        (4, source & ~0xFF, 24, 0x0A000000, 16, *everything, 4, 4, 256, *udp_or_icmp),
        (5, source & ~0xFFFF, 16, base + 0x500, 32, *everything, *everything, 17,
         *udp_or_icmp),
    ]  # fmt: skip
    # The eighth header has no rule; the ninth has the eighth flow.
    assert rules[7][:5] == (7, source & ~0xFFFF, 16, 0x0A000000, 20)
    assert calls["flow_action"] == [(0, 1), (3, 1), (6, 1)]
    assert calls["default_action"] == [(0,)] and calls["rules_commit"] == [()]


def test_labels_of_a_trace(tmp_path: Path, frame: Build) -> None:
    def labelled(*labels: int) -> bytes:
        words = [(label << 12 | 64).to_bytes(4, "big") for label in labels]
        plain = frame()
        return plain[:12] + b"\x88\x47" + b"".join(words) + plain[14:]

    labels = [15, 16, 17, 18, 65535, 65536, 30, 31, 32, 33]
    frames = [(1, labelled(*(labels * 2)[n : n + 4])) for n in range(0, 12, 4)]
    frames.append((0, labelled(40, 41, 42, 43, 44)))
    frames += [(0, frame(ip_dst=dotted(n))) for n in range(9)]
    calls = tables(tmp_path, "mpls", frames)
    # Usable labels in order; five of seven are replaced, two popped.
    usable = [16, 17, 18, 30, 31, 32, 33, 40, 41, 42, 43, 65535]
    assert calls["label_add"] == [
        (label, n % 7) for n, label in enumerate(usable) if n % 7 < 5
    ]
    assert calls["label_pop"] == [(32,), (33,)]
    assert calls["nhlfe_set"] == [(n, n, n, 100, 200, 300, 400) for n in range(5)]
    assert calls["fec_add"] == [
        (0x0A00000F + (n << 8), 32, n % 5) for n in (0, 1, 2, 3, 4, 5, 6, 8)
    ]
    # Frames of either type go to the router.
    assert calls["port_mac"] == [(0, 0x020000000000), (1, 0x020000000000)]


@pytest.mark.parametrize(("count", "rules"), [(571, 500), (572, 500), (570, 499)])
def test_a_firewall_gets_at_most_500_rules(
    count: int, rules: int, tmp_path: Path, frame: Build
) -> None:
    # No two senders share 16 bits, so that all rules differ.
    frames = [(0, frame(ip_src=f"{20 + n // 256}.{n % 256}.0.1")) for n in range(count)]
    assert len(tables(tmp_path, "firewall", frames)["rule_add"]) == rules
