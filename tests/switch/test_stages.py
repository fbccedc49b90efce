"""bakersw --sub-batch: the frames and counts of a switch that runs packets one by
one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.applications import SOURCES
from testkit.switch import running_switch
from testkit.tools import requires, run
from testkit.workloads import PORTS, exceptional_workload

pytestmark = requires("bakersw")
#: Each frame waits for a word of an array that no cache holds.
WORDS = """
import net.ether;
module m {
  u32 words[8388608];
  control void set(u32 index, u32 value) { words[index & 0x7fffff] = value; }
  ppf next { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> next.in_cc; next.out_cc -> tx; }
}
m.next.ppf(ether_pkt * ph) {
  ph->src = words[(u32)(ph->dst & 0x7fffff)];
  channel_put(out_cc, ph);
}
"""


def switch(folder: Path, name: str, program: Path, trace: Path, *options: str) -> Any:
    """Runs the trace once; returns the statistics."""
    stats = folder / f"{name}.json"
    ports = [f"--port=pcap,tx={folder}/{name}-{n}.pcap" for n in range(1, PORTS)]
    run(
        "bakersw", program, "--socket=none", "--quiet", f"--stats={stats}",
        f"--port=pcap,rx={trace},tx={folder}/{name}-0.pcap", *ports, *options,
    )  # fmt: skip
    return json.loads(stats.read_text())


def sent(folder: Path, name: str) -> list[list[bytes]]:
    """The frames of each port."""
    return [
        [
            f.data
            for f in read_capture(
                folder / f"{name}-{n}.pcap", 1, allow_empty=True
            ).frames
        ]
        for n in range(PORTS)
    ]


@pytest.mark.parametrize("app", sorted(SOURCES))
def test_stages_send_the_same_in_the_same_order(app: str, tmp_path: Path) -> None:
    load = exceptional_workload(app, tmp_path, 1500)
    control = f"--control={load.control}"
    one = switch(tmp_path, "one", SOURCES[app], load.trace, control)
    stages = switch(
        tmp_path, "stages", SOURCES[app], load.trace, control, "--sub-batch=32"
    )
    assert sent(tmp_path, "stages") == sent(tmp_path, "one")
    for key in ("received", "forwarded", "dropped", "consumed", "transmitted"):
        assert stages["packets"][key] == one["packets"][key], key
    assert stages["drops"] == one["drops"]


def test_stages_go_on_while_tables_change(tmp_path: Path) -> None:
    program, trace = tmp_path / "words.baker", tmp_path / "in.pcap"
    program.write_text(WORDS)
    write_capture(trace, [Frame(n, 0, bytes(60)) for n in range(1000)], 1)
    with running_switch(
        program, tmp_path, "--stay", "--cores=2", "--sub-batch=8",
        f"--port=pcap,rx={trace},tx={tmp_path}/out.pcap,repeat=0",
    ) as sw:  # fmt: skip
        for value in range(1, 500):
            sw.control.ask(f"call set(0, {value})")
        sw.wait_for("packets", "received", least=5000)
        stats = json.loads(sw.control.ask("stats json"))["packets"]
        sw.end()
    assert stats["faults"] == 0
    ends = ("forwarded", "dropped", "consumed", "waiting", "lost_in_faults")
    assert stats["received"] == sum(stats[key] for key in ends)
    # Calls come between two bursts, so no later frame has an older value.
    frames = read_capture(tmp_path / "out.pcap", 1).frames
    values = [int.from_bytes(frame.data[6:12], "big") for frame in frames]
    assert values == sorted(values)
    assert max(values) == 499
