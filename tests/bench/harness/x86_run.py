"""Speed of programs on this computer."""

from __future__ import annotations

import re
from pathlib import Path

from bench.harness.bench import Bench, Failed
from testkit.workloads import Workload


def packets_per_s(bench: Bench, source: Path, load: Workload, *options: str) -> float:
    """Packets per second of processor time of `bakerc --run`."""
    said = bench.output("bakerc", source, "--run", *load.inputs(), *options)
    found = re.search(r"([0-9.]+) million packets", said)
    if not found:
        raise Failed(f"bakerc --run does not tell its speed: {said}")
    return float(found.group(1)) * 1e6
