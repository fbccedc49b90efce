"""`npftrace bench2544` measures an image, and its results are consistent."""

from __future__ import annotations

from pathlib import Path

import pytest

from npftrace.runs.rfc2544 import line_rate
from testkit.applications import L3_SWITCH
from testkit.paths import BUILD
from testkit.runs import compile_app
from testkit.tools import read_json, run_npftrace


def test_line_rate() -> None:
    # 1,488,095 frames of 64 bytes per second on each port of 1 Gbit/s.
    assert line_rate(64, 4) == pytest.approx(4 * 1488095 * 512 / 1e9, rel=1e-6)


def test_measurements_are_consistent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=":")
    image = compile_app(L3_SWITCH, tmp_path / "l3.ixp", "--level=o1")
    found, plot = tmp_path / "found.json", tmp_path / "plot.svg"
    table = run_npftrace(
        "bench2544", image, "--sizes", "1024", "--packets", "200", "--entries",
        "100", "--mes", "3", "--json", found, "--plot", plot,
    ).stdout  # fmt: skip
    assert "RFC 2544" in table
    results = read_json(found)
    (size,) = results["sizes"]
    assert 0 < size["throughput_gbps"] <= size["line_gbps"]
    assert [point["share"] for point in size["latency"]] == [1, 0.95, 0.9, 0.5]
    assert all(0 < p["p50"] <= p["p99"] <= p["max"] for p in size["latency"])
    losses = [point["lost"] for point in size["loss"]]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == 0 or len(losses) == 10
    assert size["overload_gbps"] > 0
    assert size["back_to_back_frames"] > 100
    assert results["updates_per_s"] > 0
    assert plot.read_text().lstrip().startswith("<?xml")


def test_a_missing_image_is_an_error(tmp_path: Path) -> None:
    run_npftrace("bench2544", tmp_path / "none.ixp", "--sizes", "64", status=1)
