"""DPDK's best calls for the jobs of the programs, in the same harness.

`dpdk-forwarders` runs a Baker program, compiled ahead of time, and forwarders of the
same job by DPDK's look-ups in one process on one processor: the same frames in the
same order, buffers of the same kind, the same checks, rewrites and table contents. All
must send the same frames, or nothing is measured. Then each runs over all frames in
turn, seven times, and the medians are taken. So rates of one run can be compared, and
only their ratios say something.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Failed, progress
from bench.harness.text_table import table
from npftrace.frames.capture import read_capture
from testkit.captures import write_pcap
from testkit.paths import ROOT
from testkit.workloads import PORTS, Workload

Pair = tuple[int, int]

LINKER = ROOT / "tests/bench/x86/dpdk/link_shared.sh"
NOT_MEASURED = "not measured: libdpdk-dev is not installed (./dev dpdk)"
ROUNDS = 7
#: Stages of so many packets are compiled into a program; fewer can be asked for.
SUB_BATCH_MAX = 256
PROFILED_FRAMES = 64
#: What is asked of a program's rate in bursts as the model has them, over that of
#: DPDK's best call of this name; calls with an ending have it as their beginning.
ASKED = {
    "l2fwd": {"rte_hash": 1.6},
    "ipv4": {"rte_lpm bulk": 1.1, "rte_fib": 1.0},
    "ipv6": {"rte_lpm6 bulk": 2.0, "rte_fib6": 1.3},
    "ndn": {"rte_hash": 1.6},
}
#: The same packet by packet: bursts of 1, one look-up after the other.
ASKED_ONE_BY_ONE = {"l3-switch": {"rte_lpm": 1.0}}
#: What DPDK has forwarders for.
JOBS = (*ASKED, "l3-switch", "firewall")


def harness(bench: Bench) -> Path:
    return bench.build / "tests/dpdk-forwarders"


def output(command: Iterable[object], environment: Mapping[str, str]) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise Failed(f"{done.stderr[-2000:]}\nexit status {done.returncode}: {words}")
    return done.stdout


def shared_object(
    bench: Bench, source: Path, load: Workload, to: Path, *options: str
) -> None:
    """Compiles a program for the harness. It is told its control calls, which say how
    large the tries are, and so has a profile: that of the first frames."""
    first = to.with_suffix(".pcap")
    frames = read_capture(load.trace, PORTS).frames[:PROFILED_FRAMES]
    write_pcap(first, (frame.data for frame in frames))
    command = [
        bench.build / "bin/bakerc", "--target=x86", "--emit=exe", source, "-o", to,
        f"--burst={SUB_BATCH_MAX}", f"--sub-batch={SUB_BATCH_MAX}",
        f"--profile-trace={first}", f"--control={load.control}",
        "-Wno-unlocked-update", *options,
    ]  # fmt: skip
    output(command, os.environ | {"CC": str(LINKER)})


def compared(
    bench: Bench,
    name: str,
    source: Path,
    load: Workload,
    pairs: Iterable[Pair],
    *options: str,
    rounds: int = ROUNDS,
) -> dict[str, Any]:
    """What the harness says of a program in these bursts and sub-batches."""
    progress(f"{name} beside DPDK")
    folder = bench.folder / "dpdk"
    folder.mkdir(exist_ok=True)
    program = folder / f"{name}.so"
    shared_object(bench, source, load, program, *options)
    words = [f"{burst},{sub}" for burst, sub in pairs]
    command = [harness(bench), name, program, load.trace, load.control, rounds, *words]
    found: dict[str, Any] = json.loads(output(command, os.environ))
    return found


def told(found: dict[str, Any], chosen: Pair) -> dict[str, Any]:
    """The columns of a program: the best rate of each call of DPDK, and the rate of
    the program in the bursts that were chosen over it, both of this run; then the same
    packet by packet."""
    calls: dict[str, float] = {}
    one_by_one: dict[str, float] = {}
    own: dict[Pair, float] = {}
    for variant in found["variants"]:
        name, rate = variant["name"], variant["mpps"]
        if name == "baker":
            own[variant["burst"], variant["sub_batch"]] = rate
            continue
        calls[name] = max(rate, calls.get(name, 0))
        if variant["burst"] == 1:
            one_by_one[name] = rate
    return {
        "dpdk": calls,
        "dpdk_ratios": {call: own[chosen] / rate for call, rate in calls.items()},
        "dpdk_one_by_one_ratios": {
            call: own[1, 1] / rate for call, rate in one_by_one.items()
        },
        "dpdk_run": found,
    }


def with_dpdk(
    bench: Bench,
    name: str,
    rates: dict[str, Any],
    source: Path,
    load: Workload,
    chosen: Pair,
    *options: str,
) -> None:
    """Adds DPDK's columns to the rates of a program."""
    if not harness(bench).exists():
        rates["dpdk"] = {}
        rates["dpdk_note"] = NOT_MEASURED
        return
    pairs = dict.fromkeys([(1, 1), (32, 1), (32, 32), chosen])
    rates |= told(compared(bench, name, source, load, pairs, *options), chosen)


Verdict = tuple[str, float, float]


def verdicts(asked_of: dict[str, float], ratios: dict[str, float]) -> list[Verdict]:
    """Each call with a ratio that is asked, what is asked, and what was found over the
    fastest call that it stands for."""
    found = []
    for call, asked in asked_of.items():
        of_call = [ratio for each, ratio in ratios.items() if each.startswith(call)]
        if of_call:
            found.append((call, asked, min(of_call)))
    return found


def print_comparison(programs: dict[str, dict[str, Any]]) -> None:
    """DPDK's calls beside the programs, and whether what is asked is met."""
    with_columns = {name: rates for name, rates in programs.items() if "dpdk" in rates}
    if any("dpdk_note" in rates for rates in with_columns.values()):
        print(f"\nDPDK's best calls: {NOT_MEASURED}")
        return
    rows: list[list[object]] = []
    for name, rates in with_columns.items():
        for variant in rates["dpdk_run"]["variants"]:
            bursts = f"{variant['burst']}, {variant['sub_batch']}"
            call = variant["name"]
            ratio = rates["dpdk_ratios"].get(call, "")
            is_best = variant["mpps"] == rates["dpdk"].get(call)
            rows.append([name, call, bursts, variant["mpps"], ratio if is_best else ""])
    pages = {rates["dpdk_run"]["page_kib"] for rates in with_columns.values()}
    table(
        "DPDK's calls in one harness, million packets/s, tables in pages of "
        f"{', '.join(map(str, sorted(pages)))} KiB",
        ["program", "call", "B, b", "rate", "program over it"],
        rows,
    )
    for name, rates in with_columns.items():
        ratios = rates["dpdk_ratios"], rates["dpdk_one_by_one_ratios"]
        print_verdicts(name, verdicts(ASKED.get(name, {}), ratios[0]))
        one_by_one = verdicts(ASKED_ONE_BY_ONE.get(name, {}), ratios[1])
        print_verdicts(f"{name}, packet by packet,", one_by_one)


def print_verdicts(name: str, found: list[Verdict]) -> None:
    for call, asked, ratio in found:
        met = "met" if ratio >= asked else "not met"
        print(f"{name} over {call}: {ratio:.2f}, asked {asked:.2f}: {met}")
