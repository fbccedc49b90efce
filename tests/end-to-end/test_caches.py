"""Delayed-update caches: packets are what the oracle says while no table
changes; while tables change, stale packets stay below the rate asked for."""

import json
from pathlib import Path
from typing import Any

import pytest
import toolchain
from npftrace.capture import read_capture
from toolchain import FIREWALL, L3_SWITCH, MPLS, Workload

SOURCES = {"l3-switch": L3_SWITCH, "firewall": FIREWALL, "mpls": MPLS}
KINDS = {"l3-switch": "ipv4", "firewall": "firewall", "mpls": "mpls"}
INPUTS = Path(__file__).parent / "Inputs"
LEARNER = INPUTS / "learner.baker"
TWO_LOOKUPS = INPUTS / "two_lookups.baker"
#: What each application caches for its ordinary traffic, at least.
CACHED = {
    "l3-switch": "hops.mac_addr",
    "firewall": "firewall.peer",
    "mpls": "lsr.mac_addr",
}


@pytest.fixture(scope="module", params=SOURCES)
def load(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Workload:
    app = request.param
    folder = tmp_path_factory.mktemp(app)
    options = ("--packets", "4000", "--size", "64", "--seed", "3")
    return toolchain.make(KINDS[app], app, folder, *options)


def compile_profiled(load: Workload, folder: Path, *options: str) -> Path:
    return toolchain.compile_app(
        SOURCES[load.app], folder / "app.ixp", "--level=swc",
        f"--profile-trace={load.trace}", f"--control={load.control}", *options,
    )  # fmt: skip


def globals_of(stats: dict[str, Any]) -> list[str]:
    return [each["global"] for each in stats["caches"]["globals"]]


@pytest.mark.parametrize("engines", (1, 6))
def test_cached_programs_equal_the_oracle(
    load: Workload, engines: int, tmp_path: Path
) -> None:
    image = compile_profiled(load, tmp_path)
    out, stats = toolchain.simulate(image, load, tmp_path, f"--mes={engines}")
    toolchain.check(load, out, tmp_path / "stats.json")
    toolchain.assert_packets_add_up(stats)
    assert CACHED[load.app] in globals_of(stats)
    assert stats["caches"]["stale_packets"] == 0
    for each in stats["caches"]["globals"]:
        assert each["reads"] > 0, each


def with_updates(load: Workload, folder: Path, every: int) -> Workload:
    """Next hops (or ports, or actions) that change on every so many packets."""
    lines = []
    for number, packet in enumerate(range(every // 2, 4000, every)):
        mac = f"02:00:00:00:{number >> 8 & 255:02x}:{number & 255:02x}"
        call = (
            f"flow_action({number % 8}, {number // 8 % 2})"
            if load.app == "firewall"
            else f"next_hop_add({number % 16}, {number % 4}, {mac})"
        )
        lines.append(f"@packet {packet} {call}")
    control = folder / "updates.txt"
    control.write_text(load.control.read_text() + "\n".join(lines) + "\n")
    return Workload(load.trace, control, load.app)


@pytest.mark.parametrize(("asked", "every"), ((5e-1, 400), (1e-1, 1000), (1e-2, 50)))
def test_stale_packets_stay_below_the_rate(
    load: Workload, asked: float, every: int, tmp_path: Path
) -> None:
    updated = with_updates(load, tmp_path, every)
    image = compile_profiled(updated, tmp_path, f"--max-error-rate={asked}")
    _, stats = toolchain.simulate(image, updated, tmp_path)
    toolchain.assert_packets_add_up(stats)
    assert stats["caches"]["stale_rate"] <= asked


def test_reasons_stand_in_the_report(load: Workload, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    compile_profiled(load, tmp_path, f"--report={report}")
    decisions = [
        each["decision"]
        for each in json.loads(report.read_text())["decisions"]
        if each["kind"] == "plan-caches"
    ]
    assert f"@{CACHED[load.app]} cached" in decisions
    assert any(decision.endswith(" not cached") for decision in decisions)


def test_caches_that_do_not_pay_are_not_made(tmp_path: Path) -> None:
    """With one engine L3-Switch waits for its instructions, not for memory."""
    options = ("--packets", "4000", "--size", "64", "--seed", "3")
    load = toolchain.make("ipv4", "l3-switch", tmp_path, *options)
    report = tmp_path / "report.json"
    image = compile_profiled(load, tmp_path, "--mes=1", f"--report={report}")
    out, stats = toolchain.simulate(image, load, tmp_path, "--mes=1")
    toolchain.check(load, out, tmp_path / "stats.json")
    assert not stats.get("caches", {}).get("globals")
    last = [
        each
        for each in json.loads(report.read_text())["decisions"]
        if each["decision"].startswith("@hops.mac_addr")
    ][-1]
    assert last["decision"] == "@hops.mac_addr not cached after all"
    assert "million packets a second" in last["reason"]


@pytest.fixture(scope="module")
def few_flows(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Traffic of which a few destinations have the most."""
    return toolchain.make(
        "ipv4", "l3-switch", tmp_path_factory.mktemp("zipf"), "--packets", "4000",
        "--size", "64", "--locality", "zipf", "--exponent", "1.5", "--flows", "200",
    )  # fmt: skip


def test_results_of_a_lookup_are_kept(few_flows: Workload, tmp_path: Path) -> None:
    image = compile_profiled(few_flows, tmp_path)
    out, stats = toolchain.simulate(image, few_flows, tmp_path, "--mes=6")
    toolchain.check(few_flows, out, tmp_path / "stats.json")
    toolchain.assert_packets_add_up(stats)
    (answers,) = stats["caches"]["answers"]
    assert answers["lookup"] == "ipv4_routes.find"
    assert answers["hits"] > 0.5 * stats["packets"]["received"]
    assert answers["stale_hits"] == 0


@pytest.mark.parametrize("asked", (1e-1, 1e-2))
def test_stale_results_stay_below_the_rate(
    few_flows: Workload, asked: float, tmp_path: Path
) -> None:
    control = tmp_path / "updates.txt"
    routes = [
        f"@packet {packet} route_add({10 + number % 200}.0.0.0, 8, {number % 16})"
        for number, packet in enumerate(range(100, 4000, 100))
    ]
    control.write_text(few_flows.control.read_text() + "\n".join(routes) + "\n")
    updated = Workload(few_flows.trace, control, few_flows.app)
    image = compile_profiled(updated, tmp_path, f"--max-error-rate={asked}")
    _, stats = toolchain.simulate(image, updated, tmp_path)
    toolchain.assert_packets_add_up(stats)
    assert stats["caches"]["stale_rate"] <= asked


@pytest.mark.parametrize("engines", (1, 6))
def test_engines_that_write_raise_the_version(engines: int, tmp_path: Path) -> None:
    load = toolchain.make(
        "ipv4", "learner", tmp_path, "--packets", "8000", "--size", "64",
        "--arp", "0.001",
    )  # fmt: skip
    image = toolchain.compile_app(
        LEARNER, tmp_path / "learner.ixp", f"--profile-trace={load.trace}",
        "--max-error-rate=0.3", f"--mes={engines}",
    )  # fmt: skip
    quiet = tmp_path / "quiet.control"
    quiet.write_text("")
    _, stats = toolchain.simulate(
        image, Workload(load.trace, quiet, load.app), tmp_path, f"--mes={engines}"
    )
    toolchain.assert_packets_add_up(stats)
    (way,) = stats["caches"]["globals"]
    assert way["global"] == "learner.way"
    # The first fill of each engine, and those behind eight stores.
    assert way["home_reads"] > engines
    assert 0 < stats["caches"]["stale_rate"] <= 0.3


def test_two_lookups_share_the_cam(tmp_path: Path) -> None:
    load = toolchain.make(
        "ipv4", "two-lookups", tmp_path, "--packets", "1000", "--size", "64"
    )
    tables = tmp_path / "tables.control"
    tables.write_text("".join(f"set({n}, {n * n + 3})\n" for n in range(8)))
    load = Workload(load.trace, tables, load.app)
    frames = []
    for level in ("phr", "swc"):
        image = toolchain.compile_app(
            TWO_LOOKUPS, tmp_path / "two.ixp", f"--profile-trace={load.trace}",
            f"--control={load.control}", f"--level={level}",
        )  # fmt: skip
        out, stats = toolchain.simulate(image, load, tmp_path, "--mes=1")
        sent = read_capture(out, 4).frames
        frames.append(sorted((frame.port, frame.data) for frame in sent))
    assert frames[0] == frames[1]
    kept = {each["lookup"]: each["hits"] for each in stats["caches"]["answers"]}
    assert set(kept) == {"g.find_first", "g.find_second"}
    assert min(kept.values()) > 900
