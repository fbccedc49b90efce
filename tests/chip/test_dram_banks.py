"""Packet buffers are staggered over the banks of DRAM, so the rates do not need a hash
of the bank's number; an application that keeps to one bank would be half as fast."""

from __future__ import annotations

from pathlib import Path

import pytest

from testkit.applications import SOURCES
from testkit.runs import compile_app, simulate
from testkit.tools import requires
from testkit.workloads import make_workload

pytestmark = requires("bakerc", "ixpsim")

PACKETS = 3000
ENGINES = (1, 2, 6)


@pytest.mark.parametrize("app", SOURCES)
def test_plain_modulo_is_as_fast_as_a_hash(app: str, tmp_path: Path) -> None:
    load = make_workload(app, tmp_path, f"--packets={PACKETS}", "--seed=3")
    image = compile_app(SOURCES[app], tmp_path / "image.ixp", *load.profile())

    def rate(engines: int, *settings: str) -> float:
        options = (f"--packets={PACKETS}", "--warmup=500", f"--mes={engines}")
        _, stats = simulate(image, load, tmp_path, *options, *settings)
        return float(stats["rate"]["forwarded_gbps"])

    for engines in ENGINES:
        hashed = rate(engines)
        assert rate(engines, "--set=dram.bank_hash=0") >= 0.98 * hashed
    assert rate(6, "--set=dram.banks=1") < 0.8 * hashed
