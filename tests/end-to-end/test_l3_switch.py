"""L3-Switch: x86, microcode at each level and engine count, and the oracle
agree on every packet."""

import re
from collections import Counter
from pathlib import Path

import pytest
from scapy.layers.inet import IP, IPOption
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.applications import ENGINE_COUNTS, L3_SWITCH, LEVELS
from testkit.runs import assert_packets_add_up, check_packets, run_on_x86, simulate
from testkit.workloads import Workload


def test_x86_agrees_with_the_oracle(mixed_load: Workload, tmp_path: Path) -> None:
    out, stats = run_on_x86(L3_SWITCH, mixed_load, tmp_path)
    check_packets(mixed_load, out, tmp_path / "x86.json")
    assert_packets_add_up(stats)


@pytest.mark.parametrize("engines", ENGINE_COUNTS)
@pytest.mark.parametrize("level", LEVELS)
def test_microcode_agrees_with_the_oracle(
    level: str,
    engines: int,
    images: dict[str, Path],
    mixed_load: Workload,
    tmp_path: Path,
) -> None:
    out, stats = simulate(images[level], mixed_load, tmp_path, f"--mes={engines}")
    check_packets(mixed_load, out, tmp_path / "stats.json")
    assert_packets_add_up(stats)
    assert stats["packets"]["received"] == 20000


@pytest.mark.parametrize("level", LEVELS)
def test_every_cycle_of_an_engine_is_accounted_for(
    level: str, images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    _, stats = simulate(images[level], mixed_load, tmp_path)
    for engine in stats["microengines"]:
        kinds = ("issue", "stall", "idle", "aborted")
        spent = sum(engine[f"{kind}_cycles"] for kind in kinds)
        assert spent == stats["cycles"], engine


@pytest.mark.parametrize("engine", ["x86", "swc"])
def test_packets_are_counted_by_port_and_next_hop(
    engine: str, images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    control = mixed_load.control.read_text()
    hops = re.findall(r"next_hop_add\((\d+), \d, ([0-9a-f:]+)\)", control)
    asks = [f"packets_to({port})" for port in range(4)]
    asks += [f"hop_packet_count({hop})" for hop, _ in hops]
    counted_drops = ("ttl_expired", "no_route", "bad_checksum", "arp_done", "no_room")
    asks += [f"drops_{reason}()" for reason in counted_drops]
    lines = ["count_packets(1)", *(f"@end {ask}" for ask in asks)]
    counted = Workload(mixed_load.trace, tmp_path / "c.txt")
    counted.control.write_text("\n".join([control, *lines, ""]))
    if engine == "x86":
        out, stats = run_on_x86(L3_SWITCH, counted, tmp_path)
    else:
        out, stats = simulate(images[engine], counted, tmp_path)
    frames = read_capture(out, 4).frames
    ports = Counter(frame.port for frame in frames)
    macs = Counter(frame.data[:6].hex(":") for frame in frames)
    expected = [ports[port] for port in range(4)] + [macs[mac] for _, mac in hops]
    expected += [stats["drops"].get(reason, 0) for reason in counted_drops]
    assert stats["drops"]["ttl_expired"] and stats["drops"]["arp_done"]
    values = stats["control"]["values"]
    assert [value["call"] for value in values] == asks
    assert [value["value"] for value in values] == expected


@pytest.mark.parametrize("engine", ["x86", "swc"])
def test_a_clock_that_is_set_gives_the_time_of_day(
    engine: str, images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    """Set just before midnight, it gives a time soon after (RFC 791 section 3.1)."""
    before_midnight = 24 * 3600 * 1000 - 1
    packet = (
        Ether(src="02:00:00:00:00:aa", dst="02:00:00:00:00:00")
        / IP(
            src="192.0.2.9",
            dst="10.1.2.3",
            options=IPOption(b"\x44\x08\x05\x00" + bytes(4)),
        )
        / Raw(bytes(20))
    )
    load = Workload(tmp_path / "t.pcapng", tmp_path / "c.txt")
    frames = [Frame(1000 * i, 0, bytes(packet)) for i in range(20)]
    write_capture(load.trace, frames, 4)
    load.control.write_text(
        "port_mac(0, 02:00:00:00:00:00)\n"
        "next_hop_add(1, 1, 02:00:00:00:01:01)\n"
        "route_add(10.0.0.0, 8, 1)\n"
        f"@packet 10 clock_set({before_midnight})\n"
    )
    if engine == "x86":
        out, _ = run_on_x86(L3_SWITCH, load, tmp_path)
    else:
        out, _ = simulate(images[engine], load, tmp_path, "--rate=0.01")
    times = [
        int.from_bytes(frame.data[38:42], "big")
        for frame in read_capture(out, 4).frames
    ]
    assert times[0] == 1 << 31, times
    assert times[-1] == before_midnight or times[-1] < 10000, times
