"""The benchmark `specialization`: code for what tables hold, against the program's own.

Both run in turn, several times, on one thread, and the medians of their rates and
the median of the ratios of each round are printed. A build comes before the first
packet and does not count. `skewed` compares specialized code that knows its traffic
with that which does not. `updates` changes one table while packets flow. `open_vswitch`
has the use cases of ESWITCH in `bakersw` and in Open vSwitch, on the same ports.
"""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Missing, progress
from bench.harness.text_table import table
from bench.harness.workloads import APPS, source_of, workload
from bench.harness.x86_run import packets_per_s
from bench.x86.eswitch_cases import eswitch_cases
from bench.x86.open_vswitch import beside_open_vswitch
from bench.x86.processor import processor
from bench.x86.skewed_cases import skewed_cases
from bench.x86.special_cases import cases, update_storm
from testkit.captures import write_pcap
from testkit.program import Program
from testkit.tools import read_json
from testkit.workloads import Workload

RUN_PACKETS = 1_000_000
ROUNDS = 5
#: Packets of the run whose updates leave time for builds.
CALM_PACKETS = 60_000_000
#: Further traffic of the applications: few and many entries.
TRAFFIC = {"l3-switch": ("bridged",), "firewall": ("rules10", "rules1000"), "mpls": ()}
#: Cases of the paper, by the beginnings of their names.
PAPER = ("empty", "parser", "acl", "rewrite")


def write(bench: Bench, case: Program) -> tuple[Path, Workload]:
    folder = bench.folder / "specialization"
    folder.mkdir(exist_ok=True)
    source = folder / f"{case.name}.baker"
    load = Workload(
        source.with_suffix(".pcap"), source.with_suffix(".control"), case.name
    )
    source.write_text(case.source)
    load.control.write_text(case.control)
    write_pcap(load.trace, case.frames)
    return source, load


AT_ONCE = "--specialize=at-once"
#: Options of the two that are compared.
SPECIALIZED = {"generic": (), "specialized": (AT_ONCE,)}
OBSERVED = {"unobserved": (AT_ONCE, "--observe=0"), "observed": (AT_ONCE,)}


def compare(
    bench: Bench,
    name: str,
    source: Path,
    load: Workload,
    variants: dict[str, tuple[str, ...]] = SPECIALIZED,
) -> dict[str, float]:
    """Medians in millions of packets a second, and the median ratio."""
    rates: dict[str, list[float]] = {variant: [] for variant in variants}
    for turn in range(ROUNDS):
        progress(f"{name}, round {turn + 1} of {ROUNDS}")
        for variant, found in rates.items():
            options = ["--fast", f"--packets={RUN_PACKETS}", "-Wno-unused-variable"]
            options += variants[variant]
            found.append(packets_per_s(bench, source, load, *options) / 1e6)
    before, after = rates.values()
    ratios = [new / old for old, new in zip(before, after, strict=True)]
    return {
        **{f"{name}_mpps": statistics.median(each) for name, each in rates.items()},
        "ratio": statistics.median(ratios),
    }


def updates(bench: Bench) -> dict[str, float]:
    """A change before every packet, then changes that leave time for builds."""
    found = {}
    calm = update_storm(CALM_PACKETS // 20)
    for name, case in (("storm", update_storm(1)), ("calm", calm)):
        progress(f"updates, {name}")
        source, load = write(bench, case)
        stats = source.with_suffix(".json")
        options = ["--fast", "--specialize", f"--stats={stats}"]
        options.append(f"--packets={20_000 if name == 'storm' else CALM_PACKETS}")
        rate = packets_per_s(bench, source, load, *options)
        special = read_json(stats)["specialization"]
        if name == "storm":
            # One update before each packet.
            found["accepted_per_s"] = rate
            found["storm_builds"] = special["builds"]
        else:
            found["specialized_ms_p50"] = special["build_ms_p50"]
            bursts = special["specialized_bursts"] + special["own_bursts"]
            found["calm_specialized_share"] = special["specialized_bursts"] / bursts
    return found


def specialization(bench: Bench) -> dict[str, Any]:
    """Specialized code against the program's own, as the paper's cases and the
    applications have it."""
    found: dict[str, dict[str, float]] = {}
    for case in (*cases(), *(each.program for each in eswitch_cases())):
        found[case.name] = compare(bench, case.name, *write(bench, case))
    for app in APPS:
        for traffic in ("", *TRAFFIC[app]):
            name = f"{app} {traffic}".strip()
            try:
                load = workload(bench, app, traffic, packets=100_000)
                found[name] = compare(bench, name, source_of(bench, app), load)
            except Missing as missing:
                bench.leave_out(missing)
    rows: list[list[object]] = [
        [name, *rates.values()] for name, rates in found.items()
    ]
    table(
        f"Million packets/s on {processor()}",
        ["case", "generic", "specialized", "ratio"],
        rows,
    )
    skewed = {
        case.name: compare(bench, case.name, *write(bench, case), OBSERVED)
        for case in skewed_cases()
    }
    table(
        f"Million packets/s on {processor()}, by structure and traffic",
        ["case", "not observed", "observed", "ratio"],
        [[name, *each.values()] for name, each in skewed.items()],
    )
    paper = [rates["ratio"] for name, rates in found.items() if name.startswith(PAPER)]
    result: dict[str, Any] = {
        "cpu": processor(),
        "cases": found,
        "paper_geomean": math.exp(statistics.mean(map(math.log, paper))),
        "worst_ratio": min(rates["ratio"] for rates in found.values()),
        "skewed": skewed,
        "open_vswitch": beside_open_vswitch(bench),
        "updates": updates(bench),
    }
    print(
        f"geometric mean of the paper's cases {result['paper_geomean']:.2f}, "
        f"worst ratio {result['worst_ratio']:.2f}"
    )
    table("Updates", ["what", "value"], [[k, v] for k, v in result["updates"].items()])
    return result
