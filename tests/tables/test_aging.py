"""Entries of a running switch that leave by the clock."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.switch import Control, running_switch
from testkit.tools import requires, run

pytestmark = requires("bakersw")

PROGRAM = """
import net.ether;
module m {
  table stations {
    key { u48 mac; } value { u8 port; }
    counters { packets; }
    idle;
    size 1000;
    entries { { 0x020000000005, port: 0 } }
  }
  table fixed { key { u8 port; } value { u8 other; } size 4; }
  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(ether_pkt * ph) {
  ph->metadata.tx.port = stations.find(ph->dst)->port;
  channel_put(out_cc, ph);
}
"""
KEPT = "m.stations.add(02:00:00:00:00:01, port: 0)"


def count(control: Control, *, until: int) -> int:
    number = -1
    for _ in range(200):
        number = int(control.ask("call stations.count()"))
        if number == until:
            break
        time.sleep(0.05)
    return number


@pytest.mark.parametrize("how", [(), ("--specialize",)], ids=["plain", "specialized"])
def test_entries_expire_by_the_clock(how: tuple[str, ...], tmp_path: Path) -> None:
    """The entry that frames find stays. A dump brings a new switch to the state: it
    has no entry that left, and removes those of the program that left."""
    source, trace = tmp_path / "t.baker", tmp_path / "t.pcap"
    source.write_text(PROGRAM)
    write_pcap(trace, [bytes.fromhex("020000000001") + bytes(54)])
    with running_switch(
        source, tmp_path, *how, "--every=0.1:stations.expire()",
        f"--port=pcap,rx={trace},repeat=0,rate=2000",
    ) as sw:  # fmt: skip
        control = sw.control
        control.ask("call fixed.add(1, other: 2)")
        control.ask("call " + KEPT)
        sw.wait_for("packets", "received", least=1)
        for number in range(10):
            control.ask(f"call stations.add(02:00:00:00:01:{number:02}, port: 0)")
        assert count(control, until=1) == 1
        # An entry that left can come again.
        control.ask("call stations.add(02:00:00:00:01:03, port: 0)")
        assert count(control, until=1) == 1
        dump = control.ask("dump")
        lines = [line.split("  #")[0] for line in dump.splitlines()]
        assert lines == ["fixed.add(1, other: 2)", "m.stations.clear()", KEPT]
    again = tmp_path / "dump.control"
    again.write_text(dump)
    with running_switch(
        source, tmp_path, f"--control={again}", "--port=null", "--stay"
    ) as sw:
        assert sw.control.ask("call stations.count()") == "1\n"
        assert sw.control.ask("call fixed.count()") == "1\n"


def test_a_table_that_cannot_expire(tmp_path: Path) -> None:
    source = tmp_path / "t.baker"
    source.write_text(PROGRAM)
    said = run(
        "bakersw", source, "--every=1:fixed.expire()", "--port=null",
        "--socket=none", status=1,
    ).stderr  # fmt: skip
    assert "no control function 'fixed.expire'" in said


LEARNING = """
import net.ether;
module m {
  table stations {
    key { u48 mac; } value { u8 port; } idle; size 1000; default { port: 3 }
  }
  table fixed { key { u8 port; } value { u8 other; } size 4; }
  @every(50ms) control void age() { stations.expire(); }
  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(ether_pkt * ph) {
  if (!stations.find(ph->src))
    stations.add(ph->src, ph->metadata.rx.port);
  ph->metadata.tx.port = stations.find(ph->dst)->port;
  channel_put(out_cc, ph);
}
"""


def test_a_dump_has_what_packets_add_and_timers_remove(tmp_path: Path) -> None:
    source, trace = tmp_path / "t.baker", tmp_path / "t.pcap"
    source.write_text(LEARNING)
    write_pcap(trace, [bytes.fromhex("020000000099020000000007") + bytes(48)])
    with running_switch(
        source, tmp_path, f"--port=pcap,rx={trace},repeat=0,rate=2000"
    ) as sw:  # fmt: skip
        control = sw.control
        control.ask("call fixed.add(1, other: 2)")
        sw.wait_for("packets", "received", least=1)
        control.ask("call stations.add(02:00:00:00:00:01, port: 2)")
        assert count(control, until=1) == 1
        lines = [line.split("  #")[0] for line in control.ask("dump").splitlines()]
        assert lines == [
            "fixed.add(1, other: 2)", "m.stations.clear()",
            "m.stations.add(02:00:00:00:00:07, port: 0)",
        ]  # fmt: skip
