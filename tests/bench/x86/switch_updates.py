"""The benchmark `switch-updates`: control calls of a running switch under load.

A switch gets frames by the clock, at a share of what it forwards without one. A
client sends changes of a table by the clock, too, and another asks for one at a
time and waits for the answer, which comes when the change is in force. Its times
include the way through the socket and this program.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Failed, Missing, progress
from bench.harness.text_table import table
from bench.x86.processor import processor
from bench.x86.special_cases import update_storm
from testkit.captures import write_pcap
from testkit.switch import Control, RunningSwitch, running_switch

#: Shares of the rate that the switch reaches without a clock.
LOADS = (0.0, 0.5, 0.8)
UPDATES_PER_S = 100_000
SECONDS = 5.0
#: Requests are sent in bunches, this many seconds apart.
BUNCH_S = 0.001


class Storm(threading.Thread):
    """Sends changes by the clock and reads the answers."""

    def __init__(self, control: Control, per_s: int, seconds: float) -> None:
        super().__init__()
        self.control = control
        self.bunch = max(1, int(per_s * BUNCH_S))
        self.bunches = int(seconds / BUNCH_S)
        self.accepted = 0
        self.seconds = 0.0

    def run(self) -> None:
        reader = threading.Thread(target=self.read)
        reader.start()
        start = time.monotonic()
        for turn in range(self.bunches):
            calls = (f"call hops.change(1, port: {n % 4})\n" for n in range(self.bunch))
            self.control.socket.sendall("".join(calls).encode())
            time.sleep(max(0.0, start + (turn + 1) * BUNCH_S - time.monotonic()))
        reader.join()
        self.seconds = time.monotonic() - start

    def read(self) -> None:
        answer = b"ok 0\n"
        left = self.bunch * self.bunches * len(answer)
        while left > 0:
            got = self.control.socket.recv(1 << 16)
            if not got or got.replace(answer, b"").strip(b"ok 0\n"):
                return
            left -= len(got)
            self.accepted = self.bunch * self.bunches - left // len(answer)


def capacity(sw: RunningSwitch, seconds: float) -> float:
    """Frames a second that the switch takes."""
    sw.wait_for("packets", "received", least=1)
    first = sw.control.stats()
    time.sleep(seconds)
    last = sw.control.stats()
    frames = last["packets"]["received"] - first["packets"]["received"]
    return float(frames / (last["seconds"] - first["seconds"]))


def under_storm(sw: RunningSwitch) -> dict[str, float]:
    sw.wait_for("packets", "received", least=1)
    before = sw.control.stats()
    storm = Storm(sw.connect(), UPDATES_PER_S, SECONDS)
    storm.start()
    times = []
    while storm.is_alive():
        start = time.monotonic()
        sw.control.ask("call hops.change(1, port: 2)")
        times.append((time.monotonic() - start) * 1e6)
        time.sleep(0.002)
    storm.join()
    after = sw.control.stats()
    if storm.accepted != storm.bunch * storm.bunches:
        raise Failed("the switch has refused changes")
    calls = after["control"]["calls"] - before["control"]["calls"]
    stops = after["control"]["stops"] - before["control"]["stops"]
    ports = [
        {key: stats["ports"][0][key] for key in ("received", "missed")}
        for stats in (before, after)
    ]
    times.sort()
    return {
        "updates_per_s": storm.accepted / storm.seconds,
        "calls_per_stop": calls / stops,
        "frames_per_s": (ports[1]["received"] - ports[0]["received"])
        / (after["seconds"] - before["seconds"]),
        "missed": ports[1]["missed"] - ports[0]["missed"],
        "in_force_us_p50": statistics.median(times),
        "in_force_us_p99": times[len(times) * 99 // 100],
    }


def switch_updates(bench: Bench) -> dict[str, Any]:
    """Control calls a second of a running switch, and when they are in force."""
    if not (bench.build / "bin/bakersw").exists():
        raise Missing("bakersw is not built")
    case = update_storm(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, trace = folder / "p.baker", folder / "p.pcap"
        control = folder / "p.control"
        program.write_text(case.source)
        control.write_text(case.control.partition("\n")[0] + "\n")
        write_pcap(trace, case.frames)
        options = ["--quiet", "--poll", "--stay", f"--control={control}"]

        def switch(port: str) -> Any:
            return running_switch(program, folder, *options, f"--port={port}")

        progress("switch-updates, capacity")
        with switch(f"pcap,rx={trace},repeat=0") as sw:
            most = capacity(sw, SECONDS)
        found: dict[str, dict[str, float]] = {}
        for load in LOADS:
            progress(f"switch-updates, load {load:.0%}")
            rate = f",rate={int(most * load)},repeat=0" if load else ",rate=1,repeat=0"
            with switch(f"pcap,rx={trace}{rate}") as sw:
                found[f"{load:.0%}"] = under_storm(sw)
    table(
        f"{UPDATES_PER_S} updates/s on {processor()}, {most / 1e6:.2f} million frames/s"
        " without a clock",
        ["load", *next(iter(found.values()))],
        [[load, *values.values()] for load, values in found.items()],
    )
    return {"cpu": processor(), "frames_per_s": most, "loads": found}
