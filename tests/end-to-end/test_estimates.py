"""What the profiler says that a packet costs, by an estimate for each operation
(ir/analysis/OperationCost.h), is what generated code executes at the level that the
estimate is made for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from testkit.applications import SOURCES
from testkit.runs import compile_app, simulate
from testkit.tools import run
from testkit.workloads import make_workload

PACKETS = 2000


@pytest.mark.parametrize("app", SOURCES)
def test_estimates_are_near_the_generated_code(app: str, tmp_path: Path) -> None:
    load = make_workload(app, tmp_path, f"--packets={PACKETS}")
    program = tmp_path / "profiled.mlir"
    run("bakerc", SOURCES[app], *load.profile(), "--emit=baker", "-o", program)
    found = re.findall(r"instructions = (\d+)", program.read_text())
    estimate = sum(map(int, found)) / PACKETS
    image = compile_app(SOURCES[app], tmp_path / "a.ixp", "--level=o1", *load.profile())
    # One engine never waits for space in a ring, which takes instructions, too.
    _, stats = simulate(image, load, tmp_path, "--mes=1")
    executed = stats["per_packet"]["instructions"]
    assert estimate == pytest.approx(executed, rel=0.15)
