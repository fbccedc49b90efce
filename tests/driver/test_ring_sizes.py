"""The rings of channels have one size: the smallest that cannot overflow after all
contexts have read the ring-full signal. A larger ring would hold packets for longer
and would not raise the rate (docs/aggregation.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from npftrace.cli import main as npftrace
from testkit.paths import ROOT
from testkit.tools import output_of, read_json, requires, run

PROGRAM = ROOT / "apps/l3-switch/l3_switch.baker"
MAPPING = """aggregate front {front}
  l3_switch.l2_clsfr
aggregate back {back}
  l3_forwarding.l3_fwdr
  l3_forwarding.eth_encap
"""

pytestmark = requires("bakerc", "ixpsim")


def resized(image: bytes, ring: int, words: int) -> bytes:
    """The image with another ring size, written with the same number of digits."""
    pattern = rb'("base":\s*%d,[^}]*?"words":\s*)256' % (0x1000 + 0x400 * (ring - 2))
    made, count = re.subn(pattern, rb"\g<1>%d" % words, image)
    assert count == 1
    return made


def simulated(folder: Path, image: Path, *traffic: str) -> tuple[float, int]:
    """Million packets per second, and the median latency in cycles."""
    stats = folder / "stats.json"
    run(
        "ixpsim", image, *traffic, "--packets=3000", "--warmup=1000", "--quiet",
        f"--stats={stats}",
    )  # fmt: skip
    found = read_json(stats)
    return found["rate"]["forwarded_mpps"], found["latency_cycles"]["p50"]


@pytest.mark.parametrize(("front", "back"), [(3, 1), (1, 3), (2, 2)])
def test_a_larger_ring_does_not_raise_the_rate(
    front: int, back: int, tmp_path: Path
) -> None:
    trace, control = tmp_path / "t.pcap", tmp_path / "t.control"
    traffic = [f"--trace={trace}", f"--control={control}"]
    made = npftrace(
        ["make", "ipv4", "--packets=1000", f"--out={trace}", f"--control={control}"]
    )
    assert made == 0
    mapping, image = tmp_path / "two.mapping", tmp_path / "two.ixp"
    mapping.write_text(MAPPING.format(front=front, back=back))
    said = output_of(
        "bakerc", PROGRAM, f"--profile-trace={trace}", f"--control={control}",
        f"--mapping={mapping}", "--explain=aggregation", "-o", image,
    )  # fmt: skip
    assert "is ring 4 of 256 words" in said
    rate, stay = simulated(tmp_path, image, *traffic)
    larger = tmp_path / "larger.ixp"
    larger.write_bytes(resized(image.read_bytes(), 4, 512))
    more, longer = simulated(tmp_path, larger, *traffic)
    assert more <= rate * 1.02
    assert longer >= stay * 0.97
