"""The benchmark of specialization: its cases differ, its results have their keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.harness.bench import Bench
from bench.x86 import specialization as measured
from bench.x86.eswitch_cases import stations
from bench.x86.skewed_cases import skewed
from bench.x86.special_cases import access_list, cases, rewrites
from testkit.paths import BUILD
from testkit.tools import requires


def test_cases_have_names_of_their_own() -> None:
    names = [case.name for case in cases()]
    assert len(names) == len(set(names))
    assert all(name.startswith(measured.PAPER) for name in names)


def test_an_access_list_has_the_rules_it_says() -> None:
    for rules, fields in ((1, 1), (64, 3), (1000, 5)):
        calls = access_list(rules, fields).control.splitlines()
        assert len(calls) == rules
        assert all(call.count("any") == 5 - fields for call in calls)


@requires("bakerc")
def test_keys_of_specialization(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measured, "RUN_PACKETS", 1000)
    monkeypatch.setattr(measured, "ROUNDS", 1)
    monkeypatch.setattr(measured, "CALM_PACKETS", 20_000)
    monkeypatch.setattr(measured, "APPS", ())
    monkeypatch.setattr(measured, "cases", lambda: [rewrites()])
    monkeypatch.setattr(measured, "eswitch_cases", lambda: [stations(1)])
    monkeypatch.setattr(measured, "beside_open_vswitch", lambda bench: {})
    monkeypatch.setattr(measured, "skewed_cases", lambda: [skewed("hash", "one")])
    monkeypatch.setattr(Bench, "folder", tmp_path)
    found = measured.specialization(Bench(BUILD, 1, (1,), False))
    assert sorted(found) == [
        *("cases", "cpu", "open_vswitch", "paper_geomean", "skewed", "updates"),
        "worst_ratio",
    ]
    case = found["cases"]["rewrite-15"]
    assert sorted(case) == ["generic_mpps", "ratio", "specialized_mpps"]
    assert all(value > 0 for value in case.values())
    assert sorted(found["skewed"]["hash-one"]) == [
        *("observed_mpps", "ratio", "unobserved_mpps")
    ]
    assert found["updates"]["accepted_per_s"] > 0
