"""The papers' programs in the benchmarks: what `x86` tells of a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.harness.bench import Bench
from bench.x86 import batching, paper_programs
from testkit.forwarders import FORWARDERS
from testkit.paths import BUILD
from testkit.tools import requires

KEYS = {"b1_mpps", "batch32_mpps", "sub32_mpps"}
CHOICE = {"model_mpps", "model_B", "model_b", "best_mpps"}


def swept(rates: dict[tuple[int, int], float], burst: int, sub: int) -> dict[str, Any]:
    points = [
        {"burst": burst, "sub_batch": sub, "measured_mpps": rate, "model_mpps": 1.0}
        for (burst, sub), rate in rates.items()
    ]
    return {"points": points, "chosen": {"burst": burst, "sub_batch": sub}}


def test_rates_are_those_of_the_pairs() -> None:
    rates = {(1, 1): 3.0, (32, 1): 5.0, (32, 32): 9.0, (64, 32): 8.0}
    assert paper_programs.rates_of(swept(rates, 64, 32)) == {
        "b1_mpps": 3.0, "batch32_mpps": 5.0, "sub32_mpps": 9.0, "model_mpps": 8.0,
        "model_B": 64, "model_b": 32, "best_mpps": 9.0,
    }  # fmt: skip


def test_a_program_without_cuts_has_no_sub_batches() -> None:
    rates = paper_programs.rates_of(swept({(1, 1): 3.0, (32, 1): 5.0}, 32, 1))
    assert rates["sub32_mpps"] == rates["batch32_mpps"] == rates["model_mpps"] == 5.0


@requires("bakerc")
def test_a_sweep_of_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, _ = FORWARDERS["ipv6"]
    monkeypatch.setitem(paper_programs.FORWARDERS, "ipv6", (make, 200))
    monkeypatch.setattr(paper_programs, "TRACE_PACKETS", 300)
    monkeypatch.setattr(batching, "POINT_PACKETS", 300)
    monkeypatch.setattr(Bench, "folder", tmp_path)
    bench = Bench(BUILD, 1, (1,), False)
    batching.calibrate(bench)
    source, load = paper_programs.paper_program(bench, "ipv6")
    found = batching.sweep(bench, "ipv6", source, load)
    rates = paper_programs.rates_of(found)
    assert rates.keys() == KEYS | CHOICE
    assert all(rates[key] > 0 for key in KEYS)
