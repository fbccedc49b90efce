"""Delayed-update caches: every packet is right while no table changes. While tables
change, stale packets stay below the requested rate."""

import re
from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import read_capture
from testkit.applications import L3_SWITCH, SOURCES
from testkit.runs import assert_packets_add_up, check_packets, compile_app, simulate
from testkit.tools import read_json, run
from testkit.workloads import Workload, make_workload

INPUTS = Path(__file__).parent / "Inputs"
LEARNER = INPUTS / "learner.baker"
TWO_LOOKUPS = INPUTS / "two_lookups.baker"
#: Programs that keep elements of `g.accounts` in lines, and how far apart the
#: accounts are that packets read.
BY_CAM = (INPUTS / "accounts.baker", 128)
BY_INDEX = (INPUTS / "accounts_by_index.baker", 129)
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
    return make_workload(app, folder, *options)


def compile_profiled(load: Workload, folder: Path, *options: str) -> Path:
    return compile_app(
        SOURCES[load.app], folder / "app.ixp", "--level=swc",
        *load.profile(), *options,
    )  # fmt: skip


def globals_of(stats: dict[str, Any]) -> list[str]:
    return [each["global"] for each in stats["caches"]["globals"]]


@pytest.mark.parametrize("engines", (1, 6))
def test_cached_programs_agree_with_the_oracle(
    load: Workload, engines: int, tmp_path: Path
) -> None:
    image = compile_profiled(load, tmp_path)
    out, stats = simulate(image, load, tmp_path, f"--mes={engines}")
    check_packets(load, out, tmp_path / "stats.json")
    assert_packets_add_up(stats)
    assert CACHED[load.app] in globals_of(stats)
    assert stats["caches"]["stale_packets"] == 0
    for each in stats["caches"]["globals"]:
        assert each["reads"] > 0, each


def with_updates(load: Workload, folder: Path, every: int) -> Workload:
    """Next hops (or ports, or actions) that change every `every` packets."""
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
    _, stats = simulate(image, updated, tmp_path)
    assert_packets_add_up(stats)
    assert stats["caches"]["stale_rate"] <= asked


def test_the_report_has_the_reasons(load: Workload, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    compile_profiled(load, tmp_path, f"--report={report}")
    decisions = [
        each["decision"]
        for each in read_json(report)["decisions"]
        if each["kind"] == "plan-caches"
    ]
    assert f"@{CACHED[load.app]} cached" in decisions
    assert any(decision.endswith(" not cached") for decision in decisions)


@pytest.fixture(scope="module")
def few_flows(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Traffic that goes mostly to a few destinations."""
    return make_workload(
        "l3-switch", tmp_path_factory.mktemp("zipf"), "--packets", "4000",
        "--size", "64", "--locality", "zipf", "--exponent", "1.5", "--flows", "200",
    )  # fmt: skip


def test_results_of_a_lookup_are_cached(few_flows: Workload, tmp_path: Path) -> None:
    image = compile_profiled(few_flows, tmp_path)
    out, stats = simulate(image, few_flows, tmp_path, "--mes=6")
    check_packets(few_flows, out, tmp_path / "stats.json")
    assert_packets_add_up(stats)
    (cache,) = stats["caches"]["lookups"]
    assert cache["lookup"] == "l3_forwarding.ipv4_routes.find"
    assert cache["hits"] > 0.5 * stats["packets"]["received"]
    assert cache["stale_hits"] == 0


def test_a_result_is_cached_only_in_the_generation_of_its_lookup(
    few_flows: Workload, tmp_path: Path
) -> None:
    """LLVM does not merge the two loads of the generation."""
    ir = tmp_path / "app.ll"
    run(
        "bakerc", L3_SWITCH, "--emit=llvm", *few_flows.profile(), "-o", ir,
    )  # fmt: skip
    text = ir.read_text()
    generation = r"(%\S+) = load i32, ptr addrspace\(4\) (inttoptr[^,]*)"
    barrier = r"call void @__ixp_barrier\(\)"
    lookup = rf"{generation}[^\n]*\n\s*{barrier}(.*?){barrier}[^\n]*\n\s*{generation}"
    found = re.search(lookup, text, re.DOTALL)
    assert found, text
    before, place, between, now, same_place = found.groups()
    assert place == same_place
    assert "load" in between
    compared = rf"icmp eq i32 ({before}, {now}|{now}, {before})\b"
    assert re.search(compared, text[found.end() :])


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
    _, stats = simulate(image, updated, tmp_path)
    assert_packets_add_up(stats)
    assert stats["caches"]["stale_rate"] <= asked


@pytest.mark.parametrize("engines", (1, 6))
def test_engines_that_write_raise_the_version(engines: int, tmp_path: Path) -> None:
    load = make_workload(
        "learner", tmp_path, "--packets", "8000", "--size", "64", "--arp", "0.001",
        kind="ipv4",
    )  # fmt: skip
    image = compile_app(
        LEARNER, tmp_path / "learner.ixp", f"--profile-trace={load.trace}",
        "--max-error-rate=0.3", f"--mes={engines}",
    )  # fmt: skip
    quiet = tmp_path / "quiet.control"
    quiet.write_text("")
    _, stats = simulate(
        image, Workload(load.trace, quiet, load.app), tmp_path, f"--mes={engines}"
    )
    assert_packets_add_up(stats)
    (way,) = stats["caches"]["globals"]
    assert way["global"] == "learner.way"
    # The first fill of each engine, and the fills after eight stores.
    assert way["home_reads"] > engines
    assert 0 < stats["caches"]["stale_rate"] <= 0.3


def test_two_lookups_share_the_cam(tmp_path: Path) -> None:
    load = make_workload(
        "two-lookups", tmp_path, "--packets", "1000", "--size", "64", kind="ipv4"
    )
    tables = tmp_path / "tables.control"
    tables.write_text("".join(f"set({n}, {n * n + 3})\n" for n in range(8)))
    load = Workload(load.trace, tables, load.app)
    frames = []
    for level in ("phr", "swc"):
        image = compile_app(
            TWO_LOOKUPS, tmp_path / "two.ixp", *load.profile(), f"--level={level}",
        )  # fmt: skip
        out, stats = simulate(image, load, tmp_path, "--mes=1")
        sent = read_capture(out, 4).frames
        frames.append(sorted((frame.port, frame.data) for frame in sent))
    assert frames[0] == frames[1]
    hits = {each["lookup"]: each["hits"] for each in stats["caches"]["lookups"]}
    assert set(hits) == {"g.find_first", "g.find_second"}
    assert min(hits.values()) > 900
    # The first packet asks for the same value of `first` twice.
    _, stats = simulate(image, load, tmp_path, "--mes=1", "--packets=1")
    hits = {each["lookup"]: each["hits"] for each in stats["caches"]["lookups"]}
    assert hits == {"g.find_first": 1, "g.find_second": 0}


def test_a_program_that_caches_only_results_is_watched(tmp_path: Path) -> None:
    load = make_workload(
        "only-lookup", tmp_path, "--packets", "1000", "--size", "64", kind="ipv4"
    )
    updates = tmp_path / "updates.control"
    updates.write_text(
        "".join(f"@packet {150 * n} set({5 * n}, {n})\n" for n in range(1, 6))
    )
    image = compile_app(
        INPUTS / "only_lookup.baker", tmp_path / "only.ixp",
        f"--profile-trace={load.trace}",
    )  # fmt: skip
    load = Workload(load.trace, updates, load.app)
    caches = simulate(image, load, tmp_path, "--mes=1")[1]["caches"]
    assert caches["globals"] == []
    assert caches["version_checks"] > 0
    # A packet makes one look-up, so it is stale once.
    (lookup,) = caches["lookups"]
    assert 0 < lookup["stale_hits"] == lookup["stale_packets"]


@pytest.fixture(scope="module")
def few_stations(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return make_workload(
        "accounts", tmp_path_factory.mktemp("accounts"), "--packets", "32000",
        "--size", "64", "--locality", "zipf", "--exponent", "4", kind="l2",
    )  # fmt: skip


def set_account(number: int, apart: int, value: int) -> str:
    return (
        f"set({number * apart}, {value * 7919 + 3}, {value * 104729 + 11}, "
        f"{0x55AA << value % 16}, {value * 31})"
    )


def with_accounts(
    load: Workload, folder: Path, apart: int, changes: tuple[int, ...] = ()
) -> Workload:
    """Eight accounts, one of which changes at each of these packets."""
    lines = [set_account(number, apart, number) for number in range(8)]
    lines += [f"@packet {at} {set_account(at % 8, apart, at)}" for at in changes]
    control = folder / "accounts.control"
    control.write_text("\n".join(lines) + "\n")
    return Workload(load.trace, control, load.app)


def compile_accounts(source: Path, load: Workload, folder: Path, *options: str) -> Path:
    return compile_app(
        source, folder / "accounts.ixp", *load.profile(), *options,
    )  # fmt: skip


@pytest.mark.parametrize("program", (BY_CAM, BY_INDEX), ids=("cam", "index"))
def test_elements_of_a_large_array_are_cached(
    program: tuple[Path, int], few_stations: Workload, tmp_path: Path
) -> None:
    """Without a cache the array's SRAM channel is saturated; cache lines relieve it."""
    source, apart = program
    load = with_accounts(few_stations, tmp_path, apart)
    frames, rates = [], []
    for level in ("phr", "swc"):
        image = compile_accounts(source, load, tmp_path, f"--level={level}")
        out, stats = simulate(image, load, tmp_path, "--mes=6")
        assert_packets_add_up(stats)
        sent = read_capture(out, 4).frames
        frames.append(sorted((frame.port, frame.data) for frame in sent))
        rates.append(stats["rate"]["forwarded_gbps"])
    assert frames[0] == frames[1]
    assert rates[1] > 1.25 * rates[0]
    kept = {each["global"]: each for each in stats["caches"]["globals"]}
    assert kept["g.accounts"]["reads"] > 100 * kept["g.accounts"]["home_reads"] > 0
    assert stats["caches"]["stale_packets"] == 0


def test_a_cache_that_does_not_pay_is_not_made(
    few_stations: Workload, tmp_path: Path
) -> None:
    """One engine waits for its instructions, not for memory."""
    source, apart = BY_CAM
    load = with_accounts(few_stations, tmp_path, apart)
    report = tmp_path / "report.json"
    image = compile_accounts(source, load, tmp_path, "--mes=1", f"--report={report}")
    _, stats = simulate(image, load, tmp_path, "--mes=1")
    assert not stats["caches"]["globals"]
    last = [
        each
        for each in read_json(report)["decisions"]
        if each["decision"].startswith("elements of @g.accounts")
    ][-1]
    assert last["decision"] == "elements of @g.accounts not cached after all"
    assert "million packets per second" in last["reason"]


@pytest.mark.parametrize("program", (BY_CAM, BY_INDEX), ids=("cam", "index"))
def test_stale_elements_stay_below_the_rate(
    program: tuple[Path, int], few_stations: Workload, tmp_path: Path
) -> None:
    source, apart = program
    load = with_accounts(few_stations, tmp_path, apart, (8001, 24004))
    asked = 0.6
    image = compile_accounts(source, load, tmp_path, f"--max-error-rate={asked}")
    _, stats = simulate(image, load, tmp_path)
    assert_packets_add_up(stats)
    assert "g.accounts" in globals_of(stats)
    assert 0 < stats["caches"]["stale_rate"] <= asked
