"""Timers that are too slow for their interval, and what they count."""

from __future__ import annotations

import json
from pathlib import Path

from npftrace.frames.capture import Frame, write_capture
from testkit.tools import requires, run

pytestmark = requires("bakerc", "ixpsim")

FRAME = bytes(6) + bytes([2, 0, 0, 0, 0, 10]) + b"\x99\x01" + bytes(46)
MS = 1_000_000
PROGRAM = """
import net.ether;
module m {
  u32 quick_calls, slow_calls, sum;
  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
  @every(1ms) control void quick() { quick_calls++; }
  @every(100us) control void slow() {
    slow_calls++;
    for (u32 i = 0; i < 2000; i++)
      sum = (sum ^ i) * 3;
  }
  control u32 quick_count() { return quick_calls; }
  control u32 slow_count() { return slow_calls; }
}
m.f.ppf(ether_pkt * ph) { channel_put(out_cc, ph); }
"""


def run_for(milliseconds: float, folder: Path, *command: object) -> dict:
    """The statistics of a run with two frames that are so far apart."""
    trace, control, stats = folder / "t.pcapng", folder / "c.txt", folder / "s.json"
    times = (0, int(milliseconds * MS))
    write_capture(trace, [Frame(time, 0, FRAME) for time in times], 4)
    control.write_text("@end quick_count()\n@end slow_count()\n")
    run(*command, f"--trace={trace}", f"--control={control}", f"--stats={stats}")
    return json.loads(stats.read_text())


def test_a_slow_timer_misses_times_and_delays_others(tmp_path: Path) -> None:
    source, image = tmp_path / "m.baker", tmp_path / "m.ixp"
    source.write_text(PROGRAM)
    run("bakerc", source, "--level=base", "-o", image)
    stats = run_for(10.5, tmp_path, "ixpsim", image, "--quiet", "--trace-times")
    quick, slow = stats["control"]["timers"]
    assert (quick["name"], quick["interval_us"]) == ("m.quick", 1000)
    assert quick["calls"] == 10
    assert quick["missed"] == 0
    assert quick["late"] > 5
    assert 2 <= slow["calls"] < 50
    assert slow["calls"] + slow["missed"] == 105
    values = [each["value"] for each in stats["control"]["values"]]
    assert values == [quick["calls"], slow["calls"]]


def test_on_x86_no_time_is_missed(tmp_path: Path) -> None:
    source = tmp_path / "m.baker"
    source.write_text(PROGRAM)
    stats = run_for(10.5, tmp_path, "bakerc", source, "--run")
    values = [each["value"] for each in stats["control"]["values"]]
    assert values == [10, 105]
