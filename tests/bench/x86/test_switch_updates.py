"""The benchmark of a switch's updates: it runs, and its results have their keys."""

from __future__ import annotations

import pytest

from bench.harness.bench import Bench
from bench.x86 import switch_updates as measured
from testkit.paths import BUILD
from testkit.tools import requires


@requires("bakersw")
def test_keys_of_switch_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "SECONDS", 0.1)
    monkeypatch.setattr(measured, "UPDATES_PER_S", 2000)
    monkeypatch.setattr(measured, "LOADS", (0.0, 0.1))
    found = measured.switch_updates(Bench(BUILD, 1, (1,), False))
    assert sorted(found) == ["cpu", "frames_per_s", "loads"]
    assert list(found["loads"]) == ["0%", "10%"]
    for values in found["loads"].values():
        assert sorted(values) == [
            "calls_per_stop", "frames_per_s", "in_force_us_p50", "in_force_us_p99",
            "missed", "updates_per_s",
        ]  # fmt: skip
        assert values["updates_per_s"] > 0 and values["calls_per_stop"] >= 1
