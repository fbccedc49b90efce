"""Real captures, damaged frames among them: no crash, no hang, every packet
accounted for and equal to the oracle's. Files of another link type are
refused."""

import struct
from pathlib import Path

import pytest

from npftrace.files import read_bytes
from npftrace.frames.capture import write_capture
from testkit.applications import END_LEVELS, L3_SWITCH
from testkit.runs import assert_packets_add_up, check_packets, run_on_x86, simulate
from testkit.tools import run
from testkit.workloads import Workload, captured_frames

LINKTYPE_ETHERNET = 1
# Packets within which a station is learned: a ring of 128 notes and the packets
# between them, twice the measured number.
LEARNED_WITHIN = 1024


def link_type(capture: Path) -> int | None:
    """The link type of a classic pcap file; None for pcapng."""
    head = read_bytes(capture, "E-traces-001", "the trace")[:24]
    for order in "<>":
        if struct.unpack(order + "I", head[:4])[0] in (0xA1B2C3D4, 0xA1B23C4D):
            return struct.unpack(order + "I", head[20:24])[0] & 0xFFFF
    return None


@pytest.fixture(scope="session")
def captures(test_data: Path) -> list[Path]:
    """All captures, compressed ones among them."""
    found = sorted((test_data / "pcap").iterdir())
    assert len(found) == 59
    return found


def tables(folder: Path) -> Path:
    """Ports, a few next hops and a default route, so that some frames of a
    capture are routed and the rest bridged."""
    control = folder / "control.txt"
    lines = [f"port_mac({p}, 02:00:00:00:00:0{p})" for p in range(4)]
    lines += [f"next_hop_add({h}, {h % 4}, 02:01:00:00:00:0{h})" for h in range(4)]
    lines += ["route_add(0.0.0.0, 0, 0)", "route_add(10.0.0.0, 8, 1)"]
    lines += ["route_add(192.168.0.0, 16, 2)"]
    control.write_text("\n".join(lines) + "\n")
    return control


@pytest.fixture
def all_in_one(test_data: Path, tmp_path: Path) -> Workload:
    load = Workload(tmp_path / "captures.pcapng", tables(tmp_path))
    write_capture(load.trace, captured_frames(test_data), 4)
    return load


def test_captures_on_x86(all_in_one: Workload, tmp_path: Path) -> None:
    """On x86 each packet sees what the packets before it taught."""
    out, stats = run_on_x86(L3_SWITCH, all_in_one, tmp_path)
    assert_packets_add_up(stats)
    check_packets(all_in_one, out, tmp_path / "x86.json", window=0)


def test_captures_at_the_lowest_level(
    all_in_one: Workload, images: dict[str, Path], tmp_path: Path
) -> None:
    out, stats = simulate(images[END_LEVELS[0]], all_in_one, tmp_path)
    assert_packets_add_up(stats)
    check_packets(all_in_one, out, tmp_path / "stats.json", window=LEARNED_WITHIN)


def test_each_capture_is_right_on_the_simulator(
    captures: list[Path], images: dict[str, Path], tmp_path: Path
) -> None:
    """At line rate, so that frames overtake what is learned."""
    control = tables(tmp_path)
    checked = 0
    for capture in captures:
        load = Workload(capture, control)
        if link_type(capture) not in (None, LINKTYPE_ETHERNET):
            continue
        out, stats = simulate(images[END_LEVELS[1]], load, tmp_path)
        assert_packets_add_up(stats)
        check_packets(load, out, tmp_path / "stats.json", window=LEARNED_WITHIN)
        checked += 1
    assert checked >= 50


def test_other_link_types_are_refused(
    captures: list[Path], images: dict[str, Path]
) -> None:
    others = [c for c in captures if link_type(c) not in (None, LINKTYPE_ETHERNET)]
    assert others
    for capture in others:
        done = run("ixpsim", images["o1"], f"--trace={capture}", status=1)
        assert "link type" in done.stderr and capture.name in done.stderr
