"""No ring overflows while its consumer is slow: every context that may put waits at
the flag, and the ring has room for those that have passed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")
PACKETS = 6000
#: All packets leave by one port, so Tx takes a quarter of what arrives.
PROGRAM = """\
import net.ether;
module m {
  ppf first { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  ppf second { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> first.in_cc; first.out_cc -> second.in_cc; second.out_cc -> tx; }
}
m.first.ppf(ether_pkt * ph) { channel_put(out_cc, ph); }
m.second.ppf(ether_pkt * ph) {
  ph->metadata.tx.port = 0;
  channel_put(out_cc, ph);
}
"""
#: Two aggregates, with a ring between them; a mapping file names up to six engines.
TWO = "aggregate a {engines}\n  m.first\naggregate b 1\n  m.second\n"


@pytest.mark.parametrize("level", ["base", "swc"])
@pytest.mark.parametrize("aggregates", [1, 2])
@pytest.mark.parametrize(("target", "engines"), [("ixp2400", 5), ("ixp2800", 6)])
def test_a_slow_transmitter_makes_the_contexts_wait(
    target: str, engines: int, aggregates: int, level: str, tmp_path: Path
) -> None:
    program, trace = tmp_path / "slow.baker", tmp_path / "in.pcapng"
    image, out, stats = tmp_path / "i.ixp", tmp_path / "o.pcapng", tmp_path / "s.json"
    program.write_text(PROGRAM)
    options = [f"--level={level}", f"--target={target}", "-o", str(image)]
    if aggregates == 2:
        mapping = tmp_path / "m.mapping"
        mapping.write_text(TWO.format(engines=engines))
        options.append(f"--mapping={mapping}")
    write_capture(trace, [Frame(0, n % 4, bytes([n] * 60)) for n in range(64)], 4)
    run("bakerc", program, *options)
    # Faster ports fill the ring from the other side.
    run(
        "ixpsim", image, f"--trace={trace}", f"--packets={PACKETS}", f"--out={out}",
        f"--stats={stats}", "--quiet", "--set=msf.clock_hz=500000000",
        "--set=ports.rate_bps=4000000000",
    )  # fmt: skip
    assert read_json(stats)["packets"]["forwarded"] == PACKETS
    assert len(read_capture(out, 4).frames) == PACKETS


def test_a_chip_whose_rings_could_overflow_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "slow.baker"
    program.write_text(PROGRAM)
    said = output_of(
        "bakerc", program, "--set=ring.full_part=16", "-o", tmp_path / "i.ixp", status=2
    )
    assert "48 contexts that put messages of 2 words" in said
    assert not (tmp_path / "i.ixp").exists()
