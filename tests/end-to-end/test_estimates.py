"""What the profiler says that a packet costs, by an estimate for each operation
(ir/analysis/OperationCost.h), is what generated code executes at the level that the
estimate is made for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import toolchain
from toolchain import FIREWALL, L3_SWITCH, MPLS

APPS = {"ipv4": L3_SWITCH, "firewall": FIREWALL, "mpls": MPLS}
PACKETS = 2000


@pytest.mark.parametrize("kind", APPS)
def test_estimates_are_near_to_generated_code(kind: str, tmp_path: Path) -> None:
    load = toolchain.make(kind, "app", tmp_path, f"--packets={PACKETS}")
    profile = [f"--profile-trace={load.trace}", f"--control={load.control}"]
    program = tmp_path / "profiled.mlir"
    toolchain.run("bakerc", APPS[kind], *profile, "--emit=baker", "-o", program)
    found = re.findall(r"instructions = (\d+)", program.read_text())
    estimate = sum(map(int, found)) / PACKETS
    image = toolchain.compile_app(
        APPS[kind], tmp_path / "a.ixp", "--level=o1", *profile
    )
    # One engine never waits for room in a ring, which takes instructions too.
    _, stats = toolchain.simulate(image, load, tmp_path, "--mes=1")
    executed = stats["per_packet"]["instructions"]
    assert estimate == pytest.approx(executed, rel=0.15)
