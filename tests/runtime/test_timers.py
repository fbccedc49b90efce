"""Timers that are too slow for their interval, and packets of control functions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, write_capture
from testkit.tools import requires, run

pytestmark = requires("bakerc", "ixpsim")

FRAME = bytes(6) + bytes([2, 0, 0, 0, 0, 10]) + b"\x99\x01" + bytes(46)
MS = 1_000_000
CHIP = ("--quiet", "--trace-times")
PROGRAM = """
import net.ether;
module m {
  u32 quick_calls, slow_calls, sum;
  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  ppf sender { out ether_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; sender.out_cc -> tx; }
  control void send() { channel_put(sender.out_cc, packet_create(60)); }
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


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("timers") / "m.baker"
    made.write_text(PROGRAM)
    return made


@pytest.fixture(scope="module")
def image(source: Path) -> Path:
    made = source.with_suffix(".ixp")
    run("bakerc", source, "--level=base", "-o", made)
    return made


def run_for(
    milliseconds: float, folder: Path, *command: object, calls: str = ""
) -> dict:
    """The statistics of a run with two frames that are so far apart."""
    trace, control, stats = folder / "t.pcapng", folder / "c.txt", folder / "s.json"
    times = (0, int(milliseconds * MS))
    write_capture(trace, [Frame(time, 0, FRAME) for time in times], 4)
    control.write_text(calls + "@end quick_count()\n@end slow_count()\n")
    run(*command, f"--trace={trace}", f"--control={control}", f"--stats={stats}")
    return json.loads(stats.read_text())


def test_a_slow_timer_misses_times_and_delays_others(
    image: Path, tmp_path: Path
) -> None:
    stats = run_for(10.5, tmp_path, "ixpsim", image, *CHIP)
    quick, slow = stats["control"]["timers"]
    assert (quick["name"], quick["interval_us"]) == ("m.quick", 1000)
    assert quick["calls"] == 10
    assert quick["missed"] == 0
    assert quick["late"] > 5
    assert 2 <= slow["calls"] < 50
    assert slow["calls"] + slow["missed"] == 105
    values = [each["value"] for each in stats["control"]["values"]]
    assert values == [quick["calls"], slow["calls"]]


def test_on_x86_no_time_is_missed(source: Path, tmp_path: Path) -> None:
    stats = run_for(10.5, tmp_path, "bakerc", source, "--run")
    values = [each["value"] for each in stats["control"]["values"]]
    assert values == [10, 105]
    timers = stats["control"]["timers"]
    assert [timer["calls"] for timer in timers] == values
    assert [timer["missed"] for timer in timers] == [0, 0]


def test_packets_of_calls_leave_before_and_after_the_others(
    image: Path, tmp_path: Path
) -> None:
    calls = "send()\n@end send()\n@end send()\n"
    stats = run_for(0.1, tmp_path, "ixpsim", image, *CHIP, calls=calls)
    assert stats["packets"]["forwarded"] == 2
    assert stats["packets"]["copied"] == 3
    assert stats["packets"]["transmitted"] == 5


def test_calls_before_the_packets_can_only_fill_the_ring(
    image: Path, tmp_path: Path
) -> None:
    trace, control = tmp_path / "t.pcapng", tmp_path / "c.txt"
    write_capture(trace, [Frame(0, 0, FRAME)], 4)
    control.write_text("send()\n" * 600)
    done = run(
        "ixpsim", image, f"--trace={trace}", f"--control={control}", *CHIP, status=1
    )
    assert "'m.send' failed" in done.stderr
    assert "waits for the engines, which stand still: a ring has no" in done.stderr
