"""The simulator's speed, and where the host's time goes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Failed, progress
from bench.harness.text_table import table
from bench.harness.workloads import APPS, image_of, workload
from testkit.workloads import Workload

#: The measured levels; the first gives the figures of the benchmark.
LEVELS = ("o1", "swc")
#: The application that gives the figures of the benchmark.
MAIN = "l3-switch"


def speed(bench: Bench) -> dict[str, Any]:
    """The simulator's speed: the applications at full load on all engines. Seconds
    are processor time of its one thread. The rates include a run's start (image,
    trace, control calls on the XScale). The steady rates exclude it; a run of few
    packets measures it."""
    packets = 50 * bench.packets
    found = {app: speeds_of(bench, app, packets) for app in APPS}
    shares = host_shares(bench, packets)
    for app, levels in found.items():
        rows = [
            [name, *(level[key] for level in levels.values())]
            for key, name in ROWS.items()
        ]
        if app == MAIN:
            rows += [
                [f"host time: {unit} (%)", 100 * part, *[""] * (len(LEVELS) - 1)]
                for unit, part in shares.items()
            ]
        table(f"Simulation speed: {app}, 6 engines, full load", ["", *LEVELS], rows)
    return {
        **found[MAIN][LEVELS[0]],
        "levels": found[MAIN],
        "applications": found,
        "host_time_share": shares,
    }


def speeds_of(bench: Bench, app: str, packets: int) -> dict[str, Any]:
    load = workload(bench, app)
    return {level: speed_of(bench, app, level, load, packets) for level in LEVELS}


#: The table's figures of a level.
ROWS = {
    "chip_cycles_per_s": "chip cycles/s",
    "steady_chip_cycles_per_s": "chip cycles/s, steady",
    "instructions_per_s": "instructions/s",
    "steady_instructions_per_s": "instructions/s, steady",
    "instructions_per_s_one_engine": "instructions/s, one engine for the program",
    "start_seconds": "start (s)",
    "packets_per_s": "packets/s",
    "memory_megabytes": "memory (MB)",
}


def speed_of(
    bench: Bench, app: str, level: str, load: Workload, packets: int
) -> dict[str, Any]:
    """The figures of one level."""
    image = image_of(bench, app, level, load)
    one = run_of(bench, image, load, 1, packets // 4)
    start = run_of(bench, image, load, 6, START_PACKETS)
    whole = run_of(bench, image, load, 6, packets)
    behind = {name: whole[name] - start[name] for name in COUNTED}
    return {
        "clock_hz": whole["clock_hz"],
        **rates(whole),
        **{f"steady_{name}": value for name, value in rates(behind).items()},
        "instructions_per_s_one_engine": rates(one)["instructions_per_s"],
        "start_seconds": start["seconds"],
        "memory_megabytes": whole["memory_megabytes"],
    }


#: Counts of a run that are divided by its seconds.
COUNTED = ("seconds", "chip_cycles", "instructions", "packets")
#: Packets of a run that consists mostly of its start.
START_PACKETS = 100


def rates(run: dict[str, Any]) -> dict[str, float]:
    return {f"{name}_per_s": run[name] / run["seconds"] for name in COUNTED[1:]}


def run_of(
    bench: Bench, image: Path, load: Workload, engines: int, packets: int
) -> dict[str, Any]:
    """One run: its counts, its seconds of processor time, and its memory."""
    progress(f"simulating {image.stem} on {engines} engines, {packets} packets")
    command = counting(bench, image, load, engines, packets)
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise Failed(f"status {status} of {' '.join(command)}")
    return {
        **counts(bench),
        "seconds": used.ru_utime + used.ru_stime,
        "memory_megabytes": used.ru_maxrss / 1024,
    }


def counting(
    bench: Bench, image: Path, load: Workload, engines: int, packets: int
) -> list[str]:
    """The command of a run whose `counts` can be read after it."""
    stats = bench.folder / "stats.json"
    command = simulator(bench, image, load, packets)
    return [*command, f"--mes={engines}", f"--stats={stats}"]


def counts(bench: Bench) -> dict[str, Any]:
    """What the last run counted."""
    found = json.loads((bench.folder / "stats.json").read_text())
    instructions = sum(engine["instructions"] for engine in found["microengines"])
    return {
        "clock_hz": found["clock_hz"],
        "chip_cycles": found["cycles"],
        "instructions": instructions,
        "packets": found["packets"]["received"],
    }


def simulator(bench: Bench, image: Path, load: Workload, packets: int) -> list[str]:
    return [
        *[str(bench.build / "bin/ixpsim"), str(image), f"--trace={load.trace}"],
        *[f"--control={load.control}", f"--packets={packets}", "--quiet"],
    ]


#: Parts of the simulator, by words in the names of their functions.
HOST_PARTS = {
    "engines": ("Microengine", "DataPath", "Cam", "advanceCrc"),
    "scheduler": ("Scheduler", "Chip::", "EngineOrder"),
    "buses": ("Chassis",),
    "memories": ("Sram", "Dram", "Scratch", "QueueArray", "Hash"),
    "media": ("Msf", "Traffic"),
    "accounting": ("Accounting", "Simulation", "CacheMonitor"),
}


def host_shares(bench: Bench, packets: int) -> dict[str, float]:
    """The host's time by part of the simulator, sampled by perf; empty if
    perf cannot be used."""
    perf, data = shutil.which("perf"), bench.folder / "speed.perf"
    if not perf:
        return {}
    load = workload(bench, MAIN)
    image = image_of(bench, MAIN, LEVELS[0], load)
    command = [perf, "record", "-q", "-o", str(data), "--"]
    command += simulator(bench, image, load, packets)
    if subprocess.run(command, capture_output=True).returncode != 0:
        return {}
    report = [perf, "report", "-i", str(data), "--stdio", "-q", "--sort=symbol"]
    shares = dict.fromkeys([*HOST_PARTS, "rest"], 0.0)
    for line in subprocess.run(
        report, capture_output=True, text=True
    ).stdout.splitlines():
        percent, _, symbol = line.strip().partition("%")
        if not symbol:
            continue
        parts = [
            part
            for part, words in HOST_PARTS.items()
            if any(w in symbol for w in words)
        ]
        shares[parts[0] if parts else "rest"] += float(percent) / 100
    return shares
