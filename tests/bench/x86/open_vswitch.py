"""Open vSwitch with DPDK beside `bakersw`: the use cases of ESWITCH.

Both get the same frames by the same driver, `net_pcap` from memory, and send them to
`net_null`. Each forwards on one thread. A rate is the frames that a switch sent,
divided by the processor time of its busiest thread.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, progress
from bench.harness.text_table import table
from bench.x86.eswitch_cases import OUT, PeerCase, eswitch_cases
from bench.x86.processor import processor
from testkit.captures import write_pcap
from testkit.ethdev import MODULE, WHY_NOT
from testkit.open_vswitch import Unavailable, check_available, open_vswitch
from testkit.switch import running_switch

SETTLE_SECONDS, SECONDS = 1.0, 3.0
#: Buffers that a port of `bakersw` takes, for traces of up to 100,000 frames.
BUFFERS = 1 << 18
VARIANTS = {"generic": (), "specialized": ("--specialize",)}
TICKS = os.sysconf("SC_CLK_TCK")


def devices(trace: Path) -> tuple[str, str]:
    """Frames come in by the first without end, and leave by the second."""
    return f"net_pcap0,rx_pcap={trace},infinite_rx=1", "net_null1,no-rx=1"


def thread_seconds(process: int) -> dict[str, float]:
    """The processor time of each thread."""
    found = {}
    for task in Path(f"/proc/{process}/task").iterdir():
        fields = (task / "stat").read_text().rpartition(")")[2].split()
        found[task.name] = (int(fields[11]) + int(fields[12])) / TICKS
    return found


def rate(process: int, sent: Callable[[], int]) -> float:
    """Millions of frames per second of the busiest thread."""
    time.sleep(SETTLE_SECONDS)
    times, frames = thread_seconds(process), sent()
    time.sleep(SECONDS)
    frames = sent() - frames
    spent = {
        thread: seconds - times.get(thread, 0.0)
        for thread, seconds in thread_seconds(process).items()
    }
    return frames / max(spent.values()) / 1e6


def bakersw_rate(case: PeerCase, folder: Path, trace: Path, *options: str) -> float:
    program, control = folder / "case.baker", folder / "case.control"
    program.write_text(case.program.source)
    control.write_text(case.program.control)
    ports = [f"--port=dpdk:{device}" for device in devices(trace)]
    words = ("--quiet", "--poll", "--stay", f"--control={control}", *ports)
    words += (f"--dpdk-buffers={BUFFERS}", *options)
    with running_switch(program, folder, *words) as switch:
        switch.wait_for("ports", 1, "sent", least=1)
        return rate(
            switch.process.pid,
            lambda: int(switch.control.stats()["ports"][1]["sent"]),
        )


def open_vswitch_rate(case: PeerCase, folder: Path, trace: Path) -> float:
    last = max(os.sched_getaffinity(0))
    home = folder / "open-vswitch"
    with open_vswitch(home, devices(trace), last, case.openflow) as switch:
        return rate(switch.forwarding.pid, lambda: switch.sent(OUT))


def measure(case: PeerCase) -> dict[str, float]:
    """The rates of `bakersw` and of Open vSwitch."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace = folder / "in.pcap"
        write_pcap(trace, case.program.frames)
        rates = {
            f"{variant}_mpps": bakersw_rate(case, folder, trace, *options)
            for variant, options in VARIANTS.items()
        }
        rates["open_vswitch_mpps"] = open_vswitch_rate(case, folder, trace)
    ratio = rates["specialized_mpps"] / rates["open_vswitch_mpps"]
    return {**rates, "ratio": ratio}


def beside_open_vswitch(bench: Bench) -> dict[str, Any]:
    """The cases in both switches; empty where one of them cannot run."""
    try:
        check_available()
        if not MODULE.exists():
            raise Unavailable(WHY_NOT)
    except Unavailable as why:
        bench.leave_out(f"Open vSwitch: {why}")
        return {}
    found = {}
    for case in eswitch_cases():
        progress(f"{case.program.name} beside Open vSwitch")
        found[case.program.name] = measure(case)
    table(
        f"Million frames/s of one thread on {processor()}, DPDK's net_pcap to net_null",
        ["case", "bakersw", "specialized", "Open vSwitch", "ratio"],
        [[name, *rates.values()] for name, rates in found.items()],
    )
    return found
