"""The benchmark `x86`: the applications on this computer.

All variants run in turn, several times, on one thread, and the medians are
printed, so compare ratios within a run. A run is over many packets that differ,
since a short trace would keep the tables' used parts in the caches.
"""

from __future__ import annotations

import statistics
from typing import Any

from bench.harness.bench import Bench, Failed, Missing, progress
from bench.harness.text_table import table
from bench.harness.workloads import APPS, source_of, workload
from bench.harness.x86_run import packets_per_s
from bench.x86.batching import calibrate, sweep
from bench.x86.dpdk_calls import JOBS, print_comparison, with_dpdk
from bench.x86.paper_programs import paper_program, rates_of
from bench.x86.processor import processor
from testkit.forwarders import FORWARDERS

#: Packets of a trace, and of a run.
TRACE_PACKETS = 100_000
RUN_PACKETS = 1_000_000
ROUNDS = 5
PAPER_PROGRAMS = tuple(FORWARDERS)
#: The options of each variant: all checks and counters; packet by packet; bursts;
#: bursts in stages.
VARIANTS = {
    "guarded_mpps": ("--packets=100000",),
    "b1_mpps": ("--fast", "--burst=1", f"--packets={RUN_PACKETS}"),
    "batch32_mpps": ("--fast", "--burst=32", f"--packets={RUN_PACKETS}"),
    "sub32_mpps": (
        "--fast",
        "--burst=32",
        "--sub-batch=32",
        f"--packets={RUN_PACKETS}",
    ),
}


def speeds(bench: Bench, app: str) -> dict[str, Any]:
    """The median of each variant, in millions of packets a second."""
    load = workload(bench, app, packets=TRACE_PACKETS)
    found: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
    for turn in range(ROUNDS):
        progress(f"{app} on x86, round {turn + 1} of {ROUNDS}")
        for variant, options in VARIANTS.items():
            speed = packets_per_s(bench, source_of(bench, app), load, *options)
            found[variant].append(speed / 1e6)
    medians: dict[str, Any] = {key: statistics.median(of) for key, of in found.items()}
    if app in JOBS:
        with_dpdk(bench, app, medians, source_of(bench, app), load, (32, 32))
    return medians


def x86(bench: Bench) -> dict[str, Any]:
    """The applications on this computer, with checks, one by one and in bursts."""
    programs: dict[str, dict[str, Any]] = {}
    for app in APPS:
        try:
            programs[app] = speeds(bench, app)
        except Missing as missing:
            bench.leave_out(missing)
    if not programs:
        raise Failed("no application could be run")
    calibrate(bench)
    for name in PAPER_PROGRAMS:
        source, load = paper_program(bench, name)
        rates = rates_of(sweep(bench, name, source, load))
        chosen = (rates["model_B"], rates["model_b"])
        with_dpdk(bench, name, rates, source, load, chosen)
        programs[name] = rates
    rows: list[list[object]] = [
        [
            app,
            *(rates.get(key, "") for key in (*VARIANTS, "model_mpps")),
            rates["batch32_mpps"] / rates["b1_mpps"],
            rates["sub32_mpps"] / rates["b1_mpps"],
        ]
        for app, rates in programs.items()
    ]
    headings = [
        "application",
        "guarded",
        "burst 1",
        "burst 32",
        "stages of 32",
        "model",
    ]
    headings += ["32 over 1", "stages over 1"]
    table(f"Million packets/s on {processor()}", headings, rows)
    print_comparison(programs)
    return {"cpu": processor(), "programs": programs}
