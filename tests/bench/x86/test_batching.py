"""The benchmark of the model of rates: what it says of a grid, and its programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.harness.bench import Bench
from bench.x86 import batching as measured
from bench.x86.random_programs import program
from testkit.paths import BUILD
from testkit.tools import requires


def test_errors_and_choice_of_a_grid() -> None:
    def point(burst: int, sub: int, rate: float, model: float) -> dict[str, float]:
        return {
            "burst": burst,
            "sub_batch": sub,
            "measured_mpps": rate,
            "model_mpps": model,
        }

    points = [point(1, 1, 10, 11), point(2, 1, 16, 12), point(2, 2, 20, 20)]
    found = {"points": points, "chosen": {"burst": 2, "sub_batch": 1}}
    said = measured.judged(found)
    assert said["max_relative_error"] == pytest.approx(0.25)
    assert said["mean_relative_error"] == pytest.approx((0.1 + 0.25) / 3)
    assert said["choice_over_best"] == pytest.approx(0.8)
    assert (said["best_B"], said["best_b"]) == (2, 2)


def test_random_programs_differ_and_stay() -> None:
    sources = [program(seed, 1).source for seed in range(1, 21)]
    assert len(set(sources)) == 20
    assert program(3, 5) == program(3, 5)


@requires("bakerc")
def test_keys_of_batching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "TRACE_PACKETS", 500)
    monkeypatch.setattr(measured, "POINT_PACKETS", 300)
    monkeypatch.setattr(measured, "RANDOM_PROGRAMS", 2)
    monkeypatch.setattr(measured, "APPS", ())
    monkeypatch.setattr(measured, "PAPER_PROGRAMS", ())
    monkeypatch.delenv("KARAKAL_TEST_DATA", raising=False)
    monkeypatch.setattr(Bench, "folder", tmp_path)
    found = measured.batching(Bench(BUILD, 1, (1,), False))
    assert sorted(found) == ["cpu", "model", "programs"]
    assert sorted(found["programs"]) == ["random-1", "random-2"]
    assert sorted(found["model"]) == [
        "max_relative_error",
        "mean_relative_error",
        "worst_choice_over_best",
    ]
    assert 0 < found["model"]["worst_choice_over_best"] <= 1
