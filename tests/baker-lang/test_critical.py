"""Critical sections and atomic counters work with many contexts, several engines
and the XScale core: every packet gets a number of its own."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.tools import requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol ether { dst : 48; src : 48; type : 16; number : 32; demux { 18 }; }
module m {
  lock guard;
  u32 next[2];
  u32 seen;
  ppf engine { in ether_pkt * in_cc; out ether_pkt * out_cc; out ether_pkt * cold_cc; }
  @cold ppf core { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> engine.in_cc; engine.out_cc -> tx; engine.cold_cc -> core.in_cc;
    core.out_cc -> tx; }
  // Two words that must go together.
  u32 take() {
    critical (guard) {
      u32 low = next[0];
      next[0] = low + 1;
      next[1] = next[1] + 3;
      if (next[1] != next[0] * 3)
        return 0xffffffff;
      return low;
    }
  }
  engine.ppf(ether_pkt * ph) {
    atomic_add(seen, 1);
    if (ph->type == 1) { channel_put(cold_cc, ph); return; }
    ph->number = take();
    channel_put(out_cc, ph);
  }
  core.ppf(ether_pkt * ph) {
    atomic_add(seen, 1);
    ph->number = take();
    channel_put(out_cc, ph);
  }
  control int missing(u32 expected) { return expected - seen; }
}
"""
PACKETS, COLD = 600, 20


def frame_of(ether_type: int) -> bytes:
    return struct.pack(">6s6sH", b"\2", b"\2", ether_type) + bytes(46)


def numbers(path: Path) -> list[int]:
    frames = (frame for _, frame in read_pcapng(path).elements())
    return sorted(int.from_bytes(frame[14:18], "big") for frame in frames)


@pytest.mark.parametrize("level", ["base", "swc"])
def test_every_packet_has_its_number(level: str, tmp_path: Path) -> None:
    source, trace = tmp_path / "p.baker", tmp_path / "t.pcap"
    source.write_text(PROGRAM)
    every = PACKETS // COLD
    write_pcap(trace, [frame_of(int(i % every == 0)) for i in range(PACKETS)])
    image, out = tmp_path / "p.ixp", tmp_path / "o.pcapng"
    control = tmp_path / "c.txt"
    # All packets are counted long after the last one left.
    control.write_text(f"@cycle 20000000 missing({PACKETS + COLD})\n")
    run("bakerc", source, f"--level={level}", "--mes=3", "-o", image)
    run(
        "ixpsim", image, f"--trace={trace}", f"--control={control}",
        f"--out={out}", "--quiet",
    )  # fmt: skip
    assert numbers(out) == list(range(PACKETS))


def test_traces_are_printed_on_request(tmp_path: Path) -> None:
    source, trace = tmp_path / "p.baker", tmp_path / "t.pcap"
    source.write_text(
        PROGRAM.replace(
            "atomic_add(seen, 1);\n    if",
            'trace("type {} of {}", ph->type, 7);\n    if',
        )
    )
    write_pcap(trace, [frame_of(9)])
    arguments = ("bakerc", source, "--run", f"--trace={trace}")
    assert run(*arguments).stderr == ""
    assert run(*arguments, "--print-traces").stderr == "type 9 of 7\n"
