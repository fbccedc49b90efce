"""`bakerc --wcet` and `--min-rate`: bounds hold in simulated runs and are tight;
a rate that cannot be guaranteed is refused with a reason."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from testkit.captures import write_pcap
from testkit.paths import ROOT
from testkit.tools import output_of, read_json, requires, run

KERNELS = sorted((ROOT / "tests" / "bench" / "kernels").glob("*.baker"))
#: Ports that are never the limit.
FAST_PORTS = "--set=ports.rate_bps=10000000000"
#: A bound exceeds the measured value by at most this factor.
SLACK = 1.3

pytestmark = requires("bakerc", "ixpsim")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """IPv4 frames to the station with mac_hash's longest search. Every second frame
    has a checksum that overflows when the TTL is decremented."""
    path = tmp_path_factory.mktemp("worst-case") / "in.pcap"
    headers = [
        bytes.fromhex("45000028000100004006b1e6c0a800010a000001"),
        bytes.fromhex("45000028b02700004006fffec0a800010a000001"),
    ]
    ether = struct.pack(">HI", 0x200, 0x10FF) + bytes(6) + b"\x08\x00"
    write_pcap(path, [(ether + header).ljust(60, b"\0") for header in headers * 32])
    return path


def simulate(image: Path, trace: Path, threads: int, *more: str) -> dict[str, Any]:
    stats = image.with_suffix(".stats.json")
    run(
        "ixpsim", image, f"--trace={trace}", "--packets=600", "--warmup=100",
        f"--threads={threads}", "--mes=1", f"--stats={stats}", "--quiet", *more,
    )  # fmt: skip
    found: dict[str, Any] = read_json(stats)
    return found


def iteration_cycles(stats: dict[str, Any]) -> int:
    return max(
        e["iteration_cycles_max"] for e in stats["microengines"] if e["role"] == "app"
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda path: path.stem)
def test_bounds_hold_and_are_tight(kernel: Path, trace: Path, tmp_path: Path) -> None:
    image, report = tmp_path / "a.ixp", tmp_path / "report.json"
    said = output_of(
        "bakerc", kernel, "--mes=1", "--wcet", f"--report={report}", "-o", image
    )
    found = read_json(report)
    worst = found["aggregates"][0]["worst_case"]
    assert "guaranteed:" in said and f"{worst['issue_cycles']:.0f}" in said
    alone = simulate(image, trace, 1, FAST_PORTS)
    together = simulate(image, trace, 8, FAST_PORTS)
    waiting = simulate(image, trace, 8)  # for room in the ring to Tx
    seen = max(iteration_cycles(stats) for stats in (alone, together, waiting))
    assert seen <= worst["issue_cycles"] <= SLACK * seen
    cycles = alone["clock_hz"] / (alone["rate"]["forwarded_mpps"] * 1e6)
    assert worst["issue_cycles"] + worst["latency_cycles"] <= SLACK * cycles
    # mpls_push2 sends two mpackets a packet, and Tx is its limit.
    assert found["promised"]["mpps"] <= together["rate"]["forwarded_mpps"]


def test_a_rate_that_cannot_be_guaranteed_is_refused(tmp_path: Path) -> None:
    image = tmp_path / "a.ixp"
    kernel = next(path for path in KERNELS if path.stem == "mac_hash")
    run("bakerc", kernel, "--min-rate=0.5", "-o", image)
    image.unlink()
    said = output_of("bakerc", kernel, "--mes=1", "--min-rate=3", "-o", image, status=1)
    assert "cannot be guaranteed" in said and "E-driver-040" in said
    assert "mac_hash.baker:" in said
    assert not image.exists()


LOOPS = """
import net.ether;
module m {{
  u32 table[256];
  ppf work {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}
  wiring {{ rx -> work.in_cc; work.out_cc -> tx; }}
}}
m.work.ppf ( ether_pkt * ph )
{{
  u32 at = (u32)ph->dst & 255;
  u32 sum = 0;
  {loop} {{
    at = table[at & 255];
    sum += at;
  }}
  ph->src = sum;
  channel_put( out_cc, ph );
}}
"""


def test_a_loop_needs_a_bound(trace: Path, tmp_path: Path) -> None:
    source, image = tmp_path / "loop.baker", tmp_path / "a.ixp"
    source.write_text(LOOPS.format(loop="while (at != 0)"))
    said = output_of("bakerc", source, "--wcet", "-o", image, status=1)
    assert "loop.baker:" in said and "E-target-ixp-147" in said
    loop = "for (u32 i = 0; i < 20 && at != 0; i++)"
    source.write_text(LOOPS.format(loop=loop))
    report = tmp_path / "report.json"
    run("bakerc", source, "--mes=1", "--wcet", f"--report={report}", "-o", image)
    worst = read_json(report)["aggregates"][0]["worst_case"]
    # The table is zero: one iteration. The bound counts all twenty.
    seen = iteration_cycles(simulate(image, trace, 8, FAST_PORTS))
    assert seen + 19 * 5 < worst["issue_cycles"]
    assert worst["latency_cycles"] > 20 * 60


BOUNDED = """
import net.ether;
module m {{
  u32 seen;
  ppf work {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}
  wiring {{ rx -> work.in_cc; work.out_cc -> tx; }}
}}
m.work.ppf ( ether_pkt * ph )
{{
  u32 left = (u32)ph->dst & 15;
  u32 sum = 0;
  @bound({outer}) while (left != 0) {{
    u32 bits = left;
    @bound(4) do {{
      sum += bits * seen;
      bits >>= 1;
    }} while (bits != 0);
    left--;
  }}
  ph->src = sum;
  channel_put( out_cc, ph );
}}
"""


@pytest.mark.parametrize("level", ["base", "o1", "swc"])
def test_a_bound_comes_from_the_source(level: str, trace: Path, tmp_path: Path) -> None:
    # The frames' addresses end in 0x10ff: 15 iterations.
    source, image = tmp_path / "loop.baker", tmp_path / "a.ixp"
    report = tmp_path / "report.json"
    source.write_text(BOUNDED.format(outer=15))
    run(
        "bakerc", source, "--mes=1", f"--level={level}", "--wcet",
        f"--report={report}", "-o", image,
    )  # fmt: skip
    worst = read_json(report)["aggregates"][0]["worst_case"]
    seen = iteration_cycles(simulate(image, trace, 8, FAST_PORTS))
    assert 0.5 * worst["issue_cycles"] < seen <= worst["issue_cycles"]
    # A run shows that a bound is wrong.
    source.write_text(BOUNDED.format(outer=3))
    run("bakerc", source, "--mes=1", f"--level={level}", "--wcet", "-o", image)
    said = output_of("ixpsim", image, f"--trace={trace}", "--quiet", status=1)
    assert "E-sim-ixp-033" in said


@pytest.mark.parametrize(
    "app", ["l3-switch/l3_switch", "firewall/firewall", "mpls/mpls"]
)
def test_every_program_has_a_worst_case(app: str, tmp_path: Path) -> None:
    source = ROOT / f"apps/{app}.baker"
    image = tmp_path / "a.ixp"
    said = output_of(
        "bakerc", source, "--min-rate=2.5", "--wcet", "-o", image, status=1
    )
    assert "guaranteed: " in said and "E-driver-040" in said
    assert f"{source.stem}.baker:" in said


def test_wcet_needs_an_image(tmp_path: Path) -> None:
    said = output_of("bakerc", KERNELS[0], "--wcet", "--emit=asm", status=2)
    assert "--wcet and --min-rate need an image" in said
