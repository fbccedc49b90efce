"""The benchmark command: the keys of its results, and messages about missing parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testkit.paths import BUILD, ROOT
from testkit.tools import Done, read_json, requires, run_python

BENCH = ROOT / "tests/bench/bench.py"
built = requires("bakerc", "ixpsim")


def bench(*arguments: str, status: int = 0) -> Done:
    return run_python(BENCH, f"--build={BUILD}", *arguments, status=status)


def results(tmp_path: Path, *arguments: str) -> Any:
    file = tmp_path / "bench.json"
    bench(*arguments, f"--json={file}")
    return read_json(file)


def test_an_unknown_name_is_a_wrong_command_line() -> None:
    assert "no benchmark 'sped'" in bench("sped", status=2).stderr


def test_without_a_build_everything_is_skipped(tmp_path: Path) -> None:
    done = bench("speed", f"--build={tmp_path}")
    assert "left out: speed: bakerc is not built" in done.stdout


@built
def test_keys_of_speed(tmp_path: Path) -> None:
    found = results(tmp_path, "speed", "--packets=100")
    shares = found["speed"].pop("host_time_share")
    levels = found["speed"].pop("levels")
    applications = found["speed"].pop("applications")
    assert list(applications) == ["l3-switch", "firewall", "mpls"]
    assert applications["l3-switch"] == levels
    for app in applications.values():
        assert list(app) == ["o1", "swc"]
        assert app["swc"]["chip_cycles_per_s"] > 0
    assert levels["o1"] == found["speed"]
    assert levels["swc"].keys() == levels["o1"].keys()
    assert sorted(found["speed"]) == [
        "chip_cycles_per_s",
        "clock_hz",
        "instructions_per_s",
        "instructions_per_s_one_engine",
        "memory_megabytes",
        "packets_per_s",
        "start_seconds",
        "steady_chip_cycles_per_s",
        "steady_instructions_per_s",
        "steady_packets_per_s",
    ]
    # The steady rates are differences, of any sign in runs as short as these.
    assert all(
        value > 0
        for key, value in found["speed"].items()
        if not key.startswith("steady")
    )
    # Without perf, there are no shares.
    assert not shares or sum(shares.values()) == pytest.approx(1, abs=0.1)


@built
def test_keys_of_table1_and_rates(tmp_path: Path) -> None:
    found = results(tmp_path, "table1", "rates", "--packets=300", "--mes=1,6")
    for level in ("base", "o1"):
        row = found["table1"]["l3-switch"][level]
        assert sorted(row["packet"]) == ["dram", "scratch", "sram"]
        assert sorted(row["application"]) == ["scratch", "sram"]
        assert sorted(row["other"]) == ["cap", "hash", "msf"]
        assert row["instructions"] > 0 and row["code_words"] > 0
        rate = found["rates"]["l3-switch"][level]
        assert rate["6"]["gbps"] > rate["1"]["gbps"] > 0
        assert rate["6"]["mpps"] > rate["1"]["mpps"] > 0


@built
def test_keys_of_headroom(tmp_path: Path) -> None:
    found = results(tmp_path, "headroom", "--packets=300", "--mes=1,6")["headroom"]
    assert sorted(found) == ["firewall", "l3-switch", "mpls"]
    for by_engines in found.values():
        assert list(by_engines) == ["1", "6"]
        one, six = by_engines["1"], by_engines["6"]
        assert six["gbps"] > one["gbps"] == one["gbps_per_engine"] > 0
        assert six["gbps_per_engine"] == pytest.approx(six["gbps"] / 6)
        assert one["limit"] and 0 < one["limit_utilization"] <= 1
        assert six["empty_polls_per_packet"] >= 0
        units = six["unit_utilization"]
        assert {"scratch", "dram", "sram 0", "ports", "app engines"} <= units.keys()
        assert all(0 <= share <= 1 for share in units.values())


@built
def test_keys_of_frontend(tmp_path: Path) -> None:
    found = results(tmp_path, "frontend")["frontend"]
    assert found["lines"] >= 5000
    assert found["parse_and_check_seconds"] > 0
    assert found["parse_check_and_lower_seconds"] > 0


@built
def test_keys_of_diagnostics(tmp_path: Path) -> None:
    found = results(tmp_path, "diagnostics")["diagnostics"]
    assert sorted(found) == ["errors_max", "errors_median", "errors_p90", "mutants"]
    assert found["mutants"] == 1000
    assert found["errors_median"] == 1
    assert found["errors_p90"] <= 3


@built
def test_keys_of_compile(tmp_path: Path) -> None:
    found = results(tmp_path, "compile")["compile"]
    assert found["parse_lines_per_s"] > 0
    assert found["codegen"]["instructions"] >= 5000
    assert found["codegen"]["seconds"] > 0
    assert found["seconds"]["l3-switch"] > 0
