"""Critical sections and atomic counters hold against many contexts, several
engines and the XScale core: every packet gets a number of its own."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KARAKAL_BUILD", ROOT / "build"))
pytestmark = pytest.mark.skipif(
    not (BUILD / "bin/ixpsim").exists(), reason="nothing is built"
)

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


def run(tool: str, *arguments: str | Path) -> None:
    done = subprocess.run(
        [BUILD / "bin" / tool, *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]


def numbers(path: Path) -> list[int]:
    data, found, offset = path.read_bytes(), [], 0
    while offset < len(data):
        kind, length = struct.unpack_from("<II", data, offset)
        if kind == 6:
            found.append(struct.unpack_from(">I", data, offset + 28 + 14)[0])
        offset += length
    return sorted(found)


@pytest.mark.parametrize("level", ["base", "swc"])
def test_every_packet_has_its_number(level: str, tmp_path: Path) -> None:
    source, trace = tmp_path / "p.baker", tmp_path / "t.pcap"
    source.write_text(PROGRAM)
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for i in range(PACKETS):
        kind = 1 if i % (PACKETS // COLD) == 0 else 0
        frame = struct.pack(">6s6sH", b"\2", b"\2", kind) + bytes(46)
        data += struct.pack("<IIII", i, 0, len(frame), len(frame)) + frame
    trace.write_bytes(data)
    image, out = tmp_path / "p.ixp", tmp_path / "o.pcapng"
    control = tmp_path / "c.txt"
    # All are counted when the last packet is long gone.
    control.write_text(f"@cycle 20000000 missing({PACKETS + COLD})\n")
    run("bakerc", source, f"--level={level}", "--mes=3", "-o", image)
    run(
        "ixpsim", image, f"--trace={trace}", f"--control={control}",
        f"--out={out}", "--quiet",
    )  # fmt: skip
    assert numbers(out) == list(range(PACKETS))


def test_traces_are_printed_when_asked_for(tmp_path: Path) -> None:
    source, trace = tmp_path / "p.baker", tmp_path / "t.pcap"
    source.write_text(
        PROGRAM.replace(
            "atomic_add(seen, 1);\n    if",
            'trace("type {} of {}", ph->type, 7);\n    if',
        )
    )
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    frame = struct.pack(">6s6sH", b"\2", b"\2", 9) + bytes(46)
    trace.write_bytes(data + struct.pack("<IIII", 0, 0, 60, 60) + frame)
    command = [BUILD / "bin/bakerc", source, "--run", f"--trace={trace}"]
    quiet = subprocess.run(command, capture_output=True, text=True)
    loud = subprocess.run([*command, "--print-traces"], capture_output=True, text=True)
    assert (quiet.returncode, loud.returncode) == (0, 0), loud.stderr
    assert quiet.stderr == ""
    assert loud.stderr == "type 9 of 7\n"
