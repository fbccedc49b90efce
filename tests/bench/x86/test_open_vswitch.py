"""The use cases of ESWITCH: their frames are what a model computes, on x86 and, where
it can run, in Open vSwitch."""

from __future__ import annotations

import struct
import tempfile
import time
from pathlib import Path

import pytest

from bench.x86 import eswitch_cases as cases
from bench.x86 import open_vswitch as measured
from bench.x86.eswitch_cases import PeerCase
from npftrace.frames.wire import checksum, pad
from testkit.captures import read_pcap, read_pcapng, write_pcap
from testkit.ethdev import MODULE
from testkit.open_vswitch import Unavailable, check_available, open_vswitch
from testkit.runs import run_on_x86
from testkit.tools import requires
from testkit.workloads import Workload

FLOWS = 50
#: Frames of Open vSwitch to look at. It loses the first of each flow.
ENOUGH = 50_000
MAKERS = (cases.stations, cases.router, cases.balancer, cases.gateway)


def next_mac(dst: int, routes: dict[tuple[int, int], int]) -> bytes:
    """Of the longest route that matches."""
    length = max(n for p, n in routes if dst >> (32 - n) << (32 - n) == p)
    return routes[dst >> (32 - length) << (32 - length), length].to_bytes(6, "big")


def with_sum(header: bytes) -> bytes:
    clear = header[:10] + bytes(2) + header[12:]
    return header[:10] + struct.pack(">H", checksum(clear)) + header[12:]


def routed(frame: bytes, routes: dict[tuple[int, int], int]) -> bytes:
    ip = frame[14:34]
    (dst,) = struct.unpack(">I", ip[16:20])
    ip = with_sum(ip[:8] + bytes([ip[8] - 1]) + ip[9:])
    router = cases.ROUTER_MAC.to_bytes(6, "big")
    return next_mac(dst, routes) + router + frame[12:14] + ip + frame[34:]


def balanced(frame: bytes) -> bytes:
    client, service = struct.unpack(">II", frame[26:34])
    number = 2 * (service & 0xFF) + (client >> 31)
    ip = with_sum(frame[14:30] + bytes([10, 0, 0, number]))
    return bytes([2, 0, 0x30, 0, 0, number]) + frame[6:14] + ip + frame[34:]


def exchanged(frame: bytes, routes: dict[tuple[int, int], int]) -> bytes:
    customer, user = frame[15], frame[33]
    public = bytes([203, 0, 113, 20 * customer + user - 2])
    ip = with_sum(frame[18:30] + public + frame[34:38])
    untagged = pad(frame[:12] + b"\x08\x00" + ip + frame[38:])
    return routed(untagged, routes)


def expected(case: PeerCase) -> list[bytes]:
    name, frames = case.program.name, case.program.frames
    if name.startswith("l2"):
        return list(frames)
    if name.startswith("l3"):
        return [routed(f, cases.random_routes(cases.ROUTES, 3)) for f in frames]
    if name.startswith("balancer"):
        return [balanced(frame) for frame in frames]
    routes = cases.random_routes(cases.GATEWAY_ROUTES, 4)
    return [exchanged(frame, routes) for frame in frames]


@requires("bakerc")
@pytest.mark.parametrize("make", MAKERS)
def test_programs_do_what_the_model_does(
    make: type[PeerCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "FRAMES_MIN", 200)
    case = make(FLOWS)
    source = tmp_path / "case.baker"
    source.write_text(case.program.source)
    load = Workload(tmp_path / "in.pcap", tmp_path / "case.control", "case")
    load.control.write_text(case.program.control)
    write_pcap(load.trace, case.program.frames)
    wanted = sorted(expected(case))
    for options in ((), ("--fast",), ("--fast", "--specialize=at-once")):
        out, _ = run_on_x86(source, load, tmp_path, *options)
        found = read_pcapng(out)
        assert sorted(f for _, f in found.elements()) == wanted, options


def test_traffic_has_the_flows_it_says() -> None:
    for case in cases.eswitch_cases((1, 300)):
        frames = case.program.frames
        flows = int(case.program.name.split("-")[1])
        assert len(set(frames)) == flows
        assert len(frames) >= cases.FRAMES_MIN
        assert len(frames) % flows == 0
        assert all(len(frame) == 60 for frame in frames)


def _needs_open_vswitch() -> None:
    try:
        check_available()
    except Unavailable as why:
        pytest.skip(str(why))


def _frames_sent(case: PeerCase, folder: Path) -> list[bytes]:
    """Frames that Open vSwitch sends while it reads a trace again and again."""
    write_pcap(folder / "in.pcap", case.program.frames)
    devices = (
        f"net_pcap0,rx_pcap={folder}/in.pcap,infinite_rx=1",
        f"net_pcap1,tx_pcap={folder}/out.pcap",
    )
    with (
        tempfile.TemporaryDirectory() as home,
        open_vswitch(Path(home) / "ovs", devices, 0, case.openflow) as switch,
    ):
        for _ in range(100):
            if switch.sent(cases.OUT) >= ENOUGH:
                break
            time.sleep(0.1)
    # Its ports leave it to the card to pad a frame.
    frames = read_pcap(folder / "out.pcap", ENOUGH)
    return [pad(frame) for frame in frames]


@pytest.mark.parametrize("make", MAKERS)
def test_open_vswitch_does_the_same(
    make: type[PeerCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _needs_open_vswitch()
    monkeypatch.setattr(cases, "FRAMES_MIN", 200)
    case = make(FLOWS)
    assert set(_frames_sent(case, tmp_path)) == set(expected(case))


@requires("bakersw")
def test_keys_beside_open_vswitch(monkeypatch: pytest.MonkeyPatch) -> None:
    _needs_open_vswitch()
    if not MODULE.exists():
        pytest.skip("bakersw has no DPDK ports")
    monkeypatch.setattr(measured, "SETTLE_SECONDS", 0.2)
    monkeypatch.setattr(measured, "SECONDS", 0.5)
    found = measured.measure(cases.stations(FLOWS))
    assert sorted(found) == [
        *("generic_mpps", "open_vswitch_mpps", "ratio", "specialized_mpps"),
    ]
    assert all(value > 0 for value in found.values())
