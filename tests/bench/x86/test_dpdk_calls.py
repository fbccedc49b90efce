"""DPDK's calls beside the papers' programs: all send the same frames, a forwarder that
does not is found, and the columns of the benchmark."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.harness.bench import Bench, Failed
from bench.x86 import batching, dpdk_calls, paper_programs, programs
from testkit.captures import write_pcap
from testkit.forwarders import FORWARDERS, Forwarder
from testkit.paths import BUILD, ROOT
from testkit.tools import requires
from testkit.workloads import Workload, make_workload

ENTRIES, PACKETS, FAULTY = 700, 900, 0.2
PAIRS = ((1, 1), (32, 1), (32, 32), (128, 48))
#: The calls of each job that every processor has.
CALLS = {
    "l2fwd": {"rte_hash", "rte_hash bulk"},
    "ipv4": {"rte_lpm", "rte_lpm bulk", "rte_lpm x4", "rte_fib"},
    "ipv6": {"rte_lpm6", "rte_lpm6 bulk", "rte_fib6"},
    "ndn": {"rte_hash", "rte_hash bulk"},
}
needs_harness = pytest.mark.skipif(
    not (BUILD / "tests/dpdk-forwarders").exists(),
    reason="no DPDK: ./dev dpdk installs its packages; then build dpdk-forwarders",
)


def compared(tmp_path: Path, made: Forwarder, rounds: int) -> dict[str, Any]:
    load = Workload(tmp_path / "p.pcap", tmp_path / "p.control")
    write_pcap(load.trace, made.frames)
    load.control.write_text(made.control)
    source = tmp_path / "p.baker"
    source.write_text(made.source)
    bench = Bench(BUILD, 1, (1,), False)
    return dpdk_calls.compared(bench, made.name, source, load, PAIRS, rounds=rounds)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bench, "folder", tmp_path)


@needs_harness
@requires("bakerc")
@pytest.mark.parametrize("name", FORWARDERS)
def test_all_send_what_the_program_sends(name: str, tmp_path: Path) -> None:
    make, _ = FORWARDERS[name]
    made = make(ENTRIES, PACKETS, FAULTY)
    found = compared(tmp_path, made, rounds=1)
    assert found["sent"] == len(list(made.expected()))
    columns = dpdk_calls.told(found, (32, 32))
    assert CALLS[name] <= columns["dpdk"].keys() == columns["dpdk_ratios"].keys()
    assert all(rate > 0 for rate in columns["dpdk"].values())
    assert found["page_kib"] in (4, 2048)


@needs_harness
@requires("bakerc")
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("l2fwd", r"destination->port;", "(u8)(destination->port ^ 1);"),
        ("ipv4", r"iph->ttl <= 1\b", "iph->ttl <= 2"),
        ("ipv6", r"iph->hop_limit -= 1", "iph->hop_limit -= 2"),
        ("ndn", r"ih->hop_limit <= 1\b", "ih->hop_limit <= 2"),
    ],
)
def test_a_difference_is_found(
    name: str, right: str, wrong: str, tmp_path: Path
) -> None:
    make, _ = FORWARDERS[name]
    made = make(ENTRIES, PACKETS, FAULTY)
    other, count = re.subn(right, wrong, made.source)
    assert count == 1
    with pytest.raises(Failed, match=r"E-bench-003"):
        compared(tmp_path, replace(made, source=other), rounds=0)


@needs_harness
@requires("bakerc")
@pytest.mark.parametrize(
    ("app", "kind", "options"),
    [
        (
            "l3-switch",
            "ipv4",
            "--routes 500 --hops 32 --ttl-expired 0.05 --bad-checksum 0.05"
            " --no-route 0.05 --bad-version 0.02 --bad-length 0.02",
        ),
        (
            "firewall",
            "firewall",
            "--rules 100 --denied 0.1 --unmatched 0.05 --fragments 0.05 --options 0.05"
            " --bad-header 0.02 --tiny-fragment 0.02 --short-transport 0.02",
        ),
    ],
)
def test_applications_are_matched(
    app: str, kind: str, options: str, tmp_path: Path
) -> None:
    arguments = f"{options} --packets 4000 --size 64 --seed 4".split()
    load = make_workload(app, tmp_path, *arguments, kind=kind)
    source = ROOT / f"apps/{app}/{app.replace('-', '_')}.baker"
    bench = Bench(BUILD, 1, (1,), False)
    found = dpdk_calls.compared(bench, app, source, load, PAIRS, rounds=0)
    assert 3000 < found["sent"] < 4000
    assert found["variants"] == []


def run_of(**rates: float) -> dict[str, Any]:
    variants = [
        {"name": name.replace("_32", "").replace("_", " "), "mpps": rate, "burst": 32,
         "sub_batch": 32 if name == "baker" else 1}
        for name, rate in rates.items()
    ]  # fmt: skip
    return {"variants": variants, "page_kib": 4}


def test_ratios_are_over_the_best_bursts() -> None:
    found = run_of(baker=30.0, lpm=10.0, lpm_32=15.0)
    found["variants"] += [
        {"name": "baker", "mpps": 4.0, "burst": 1, "sub_batch": 1},
        {"name": "lpm", "mpps": 8.0, "burst": 1, "sub_batch": 1},
    ]
    columns = dpdk_calls.told(found, (32, 32))
    assert columns["dpdk"] == {"lpm": 15.0}
    assert columns["dpdk_ratios"] == {"lpm": 2.0}
    assert columns["dpdk_one_by_one_ratios"] == {"lpm": 0.5}


def test_verdicts_are_over_the_fastest_kind() -> None:
    ratios = {
        "rte_lpm": 3.0,
        "rte_lpm bulk": 1.2,
        "rte_fib": 1.5,
        "rte_fib avx512": 0.9,
    }
    assert dpdk_calls.verdicts(dpdk_calls.ASKED["ipv4"], ratios) == [
        ("rte_lpm bulk", 1.1, 1.2),
        ("rte_fib", 1.0, 0.9),
    ]


def test_met_or_not_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def columns(call: str, ratio: float) -> dict[str, Any]:
        return {
            "dpdk": {call: 9.0},
            "dpdk_ratios": {call: ratio},
            "dpdk_one_by_one_ratios": {call: 0.8},
            "dpdk_run": {"variants": [], "page_kib": 4},
        }

    programs = {
        "l2fwd": columns("rte_hash", 1.7),
        "ndn": columns("rte_hash", 1.2),
        "l3-switch": columns("rte_lpm", 1.5),
    }
    dpdk_calls.print_comparison(programs)
    said = capsys.readouterr().out
    assert "l2fwd over rte_hash: 1.70, asked 1.60: met" in said
    assert "ndn over rte_hash: 1.20, asked 1.60: not met" in said
    one_by_one = "l3-switch, packet by packet, over rte_lpm: 0.80, asked 1.00: not met"
    assert one_by_one in said


def test_without_dpdk_the_columns_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = Bench(tmp_path, 1, (1,), False)
    rates: dict[str, Any] = {}
    load = Workload(tmp_path / "p.pcap", tmp_path / "p.control")
    dpdk_calls.with_dpdk(bench, "ipv4", rates, tmp_path / "p.baker", load, (32, 32))
    assert rates["dpdk"] == {}
    dpdk_calls.print_comparison({"ipv4": rates})
    assert "not measured: libdpdk-dev is not installed" in capsys.readouterr().out


@requires("bakerc", "ixpsim")
def test_keys_of_x86(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make, _ = FORWARDERS["ipv6"]
    monkeypatch.setitem(paper_programs.FORWARDERS, "ipv6", (make, 200))
    for module in (paper_programs, programs):
        monkeypatch.setattr(module, "TRACE_PACKETS", 300)
    monkeypatch.setattr(batching, "POINT_PACKETS", 300)
    monkeypatch.setattr(programs, "ROUNDS", 1)
    few = {
        key: tuple(word for word in options if not word.startswith("--packets"))
        for key, options in programs.VARIANTS.items()
    }
    monkeypatch.setattr(programs, "VARIANTS", few)
    monkeypatch.setattr(programs, "APPS", ("l3-switch",))
    monkeypatch.setattr(programs, "PAPER_PROGRAMS", ("ipv6",))
    bench = Bench(BUILD, 1, (1,), False)
    found = programs.x86(bench)["programs"]
    said = capsys.readouterr().out
    assert list(found) == ["l3-switch", "ipv6"]
    columns = {"dpdk", "dpdk_ratios", "dpdk_one_by_one_ratios", "dpdk_run"}
    if not dpdk_calls.harness(bench).exists():
        columns = {"dpdk", "dpdk_note"}
        assert dpdk_calls.NOT_MEASURED in said
    else:
        assert "l3-switch, packet by packet, over rte_lpm: " in said
        assert "ipv6 over rte_fib6: " in said
    rates = {"b1_mpps", "batch32_mpps", "sub32_mpps"}
    assert found["l3-switch"].keys() == rates | columns | {"guarded_mpps"}
    chosen = {"model_mpps", "model_B", "model_b", "best_mpps"}
    assert found["ipv6"].keys() == rates | columns | chosen
