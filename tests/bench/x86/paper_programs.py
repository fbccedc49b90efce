"""The programs of the papers at their sizes: L2Fwd with two tables of 16 M stations,
IPv4 with 527,961 prefixes, IPv6 with 200,000, NDN with 10 M names.

`bakerc --sweep` fills the tables once and then measures all bursts and sub-batches in
turn, so one run tells all variants. A trace has a million frames of as many entries:
fewer would keep the part of the tables that they use in the caches.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.harness.bench import Bench
from testkit.captures import write_pcap
from testkit.forwarders import FORWARDERS
from testkit.workloads import Workload

TRACE_PACKETS = 1_000_000
#: With --quick: packets, and how much smaller the tables are.
QUICK_TRACE_PACKETS = 20_000
QUICK_DIVISOR = 64
#: The pairs of burst and sub-batch that `x86` tells, by their keys.
PAIRS = {"b1_mpps": (1, 1), "batch32_mpps": (32, 1), "sub32_mpps": (32, 32)}


def paper_program(bench: Bench, name: str) -> tuple[Path, Workload]:
    """The program with its tables' size, its traffic and its control file."""
    make, entries = FORWARDERS[name]
    packets = TRACE_PACKETS
    if bench.quick:
        entries, packets = entries // QUICK_DIVISOR, QUICK_TRACE_PACKETS
    made = make(entries, packets)
    folder = bench.folder / "papers"
    folder.mkdir(exist_ok=True)
    source = folder / f"{name}.baker"
    load = Workload(source.with_suffix(".pcap"), source.with_suffix(".control"), name)
    source.write_text(made.source)
    load.control.write_text(made.control)
    write_pcap(load.trace, made.frames)
    return source, load


def rates_of(found: dict[str, Any]) -> dict[str, Any]:
    """The variants of `x86` from what `--sweep` wrote."""
    measured = {
        (point["burst"], point["sub_batch"]): point["measured_mpps"]
        for point in found["points"]
    }
    # Without a cut, which small tables do not pay, a burst has no sub-batches.
    rates: dict[str, Any] = {
        key: measured.get(pair, measured[pair[0], 1]) for key, pair in PAIRS.items()
    }
    chosen = (found["chosen"]["burst"], found["chosen"]["sub_batch"])
    rates["model_mpps"] = measured[chosen]
    rates["model_B"], rates["model_b"] = chosen
    rates["best_mpps"] = max(measured.values())
    return rates
