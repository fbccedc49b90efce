"""Programs cut into several aggregates forward what the oracle says: each
application with mappings that the compiler would not choose, at every level
and on as many engines as it needs and more."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import read_capture
from testkit.applications import END_LEVELS, L3_SWITCH, LEVELS, SOURCES
from testkit.paths import ROOT
from testkit.runs import assert_packets_add_up, check_packets, compile_app, simulate
from testkit.tools import read_json, run
from testkit.workloads import Workload, make_workload

#: PPFs of each application that can each be an aggregate.
PIPELINES = {
    "l3-switch": [
        "l3_switch.l2_clsfr", "l3_forwarding.l3_fwdr", "l3_forwarding.eth_encap",
    ],
    "firewall": ["firewall.l2_clsfr", "firewall.classifier"],
    "mpls": ["lsr.l2_clsfr", "lsr.ipv4_fwdr", "lsr.mpls_encap"],
}  # fmt: skip


@pytest.fixture(scope="session")
def loads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Workload]:
    options = ("--seed", "3", "--packets", "3000")
    return {
        app: make_workload(app, tmp_path_factory.mktemp(app), *options)
        for app in PIPELINES
    }


def write_mapping(folder: Path, ppfs: list[str], stages: int) -> Path:
    """Puts each of the first `stages` PPFs into an aggregate of its own."""
    path = folder / "mapping.txt"
    lines = [f"aggregate s{i}\n  {ppf}\n" for i, ppf in enumerate(ppfs[:stages])]
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("app", PIPELINES)
def test_pipelines_agree_with_the_oracle(
    app: str, level: str, loads: dict[str, Workload], tmp_path: Path
) -> None:
    ppfs, load = PIPELINES[app], loads[app]
    mapping, report = (
        write_mapping(tmp_path, ppfs, len(ppfs)),
        tmp_path / "report.json",
    )
    image = compile_app(
        SOURCES[app], tmp_path / "a.ixp", f"--level={level}", *load.profile(),
        f"--mapping={mapping}", f"--report={report}",
    )  # fmt: skip
    count = len(read_json(report)["aggregates"])
    assert count == len(ppfs)
    for engines in {count, 6}:
        out, stats = simulate(image, load, tmp_path, f"--mes={engines}")
        check_packets(load, out, tmp_path / "stats.json")
        assert_packets_add_up(stats)
        names = {e["aggregate"] for e in stats["microengines"] if e["role"] == "app"}
        assert len(names) == count


def test_a_ppf_may_be_put_on_the_xscale_core(
    loads: dict[str, Workload], tmp_path: Path
) -> None:
    mapping = tmp_path / "mapping.txt"
    mapping.write_text("xscale\n  bridge.l2_bridge\n")
    load = loads["l3-switch"]
    image = compile_app(
        L3_SWITCH, tmp_path / "a.ixp", "--level=o1", f"--mapping={mapping}"
    )
    out, _ = simulate(image, load, tmp_path)
    check_packets(load, out, tmp_path / "stats.json")


@pytest.mark.parametrize(
    "text, message",
    [
        ("aggregate a\n  no.such\n", "there is no PPF 'no.such'"),
        ("aggregate a\n  arp_table.receive\n", "runs on the XScale core: marked cold"),
        (
            "aggregate a\n  l3_switch.l2_clsfr\n  l3_forwarding.eth_encap\n"
            "aggregate b\n  l3_forwarding.l3_fwdr\n",
            "wait for each other",
        ),
        ("aggregate a 9\n", "mapping.txt:1: error"),
    ],
)
def test_wrong_mappings_are_errors(text: str, message: str, tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.txt"
    mapping.write_text(text)
    done = run(
        "bakerc", L3_SWITCH, f"--mapping={mapping}", "-o", tmp_path / "a.ixp", status=1
    )
    assert message in done.stderr


@pytest.mark.parametrize("level", LEVELS)
def test_receivers_of_ports_may_be_on_engines_of_their_own(
    level: str, loads: dict[str, Workload], tmp_path: Path
) -> None:
    """The demultiplexer of ports is with one of them; the other has a ring."""
    source = ROOT / "tests/packets/language/receivers.baker"
    image, mapping = tmp_path / "a.ixp", tmp_path / "mapping.txt"
    mapping.write_text(
        "aggregate front\n  rx.by_port\n  receivers.inside\n"
        "aggregate back\n  receivers.outside\n  receivers.mark\n"
    )
    run("bakerc", source, f"--level={level}", f"--mapping={mapping}", "-o", image)
    trace, stats = loads["l3-switch"].trace, tmp_path / "stats.json"

    def frames_of(program: str, *arguments: object) -> list[tuple[int, bytes]]:
        out = tmp_path / "out.pcapng"
        run(program, *arguments, f"--trace={trace}", f"--out={out}", f"--stats={stats}")
        return sorted((frame.port, frame.data) for frame in read_capture(out, 4).frames)

    expected = frames_of("bakerc", source, "--run")
    assert {port for port, _ in expected} == {0, 2, 3}
    drops = read_json(stats)["drops"]["from_outside"]
    assert drops > 0
    assert frames_of("ixpsim", image, "--quiet") == expected
    found = read_json(stats)
    assert found["drops"]["from_outside"] == drops
    names = {e["aggregate"] for e in found["microengines"] if e["role"] == "app"}
    assert names == {"front", "back"}


def report_of(source: Path, load: Workload, folder: Path, *options: str) -> Any:
    path = folder / "report.json"
    compile_app(
        source, folder / "a.ixp", f"--profile-trace={load.trace}",
        f"--report={path}", *options,
    )  # fmt: skip
    return read_json(path)


@pytest.mark.parametrize("app", ["l3-switch", "mpls"])
def test_the_report_has_the_cost_of_a_mapping_file(
    app: str, loads: dict[str, Workload], tmp_path: Path
) -> None:
    """The cost agrees with the simulator, and is relative to the compiler's own
    mapping."""
    source, ppfs, load = SOURCES[app], PIPELINES[app], loads[app]
    options = ("--level=o1", "--mes=3", f"--control={load.control}")

    def rate(*more: str) -> tuple[Any, float]:
        report = report_of(source, load, tmp_path, *options, *more)
        _, stats = simulate(tmp_path / "a.ixp", load, tmp_path, "--warmup=800")
        return report, stats["rate"]["forwarded_mpps"]

    chosen, free = rate()
    assert "mapping" not in chosen
    fixed, slow = rate(f"--mapping={write_mapping(tmp_path, ppfs, 2)}")
    cost = fixed["mapping"]
    assert cost["chosen"]["mpps"] == pytest.approx(chosen["predicted"]["mpps"])
    assert cost["mpps"] == pytest.approx(fixed["predicted"]["mpps"])
    assert cost["lost"] == pytest.approx(1 - slow / free, abs=0.1)
    assert cost["lost"] > 0


def chain(length: int) -> str:
    """PPFs that each add one to the source address and pass the frame on."""
    names = [f"p{i}" for i in range(length)]
    ends = [f"    {a}.out_cc -> {b}.in_cc;" for a, b in pairwise(names)]
    return "\n".join(
        [
            "import net.ether;",
            "module chain {",
            *(
                f"  ppf {n} {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}"
                for n in names
            ),
            "  wiring {",
            "    rx -> p0.in_cc;",
            *ends,
            f"    {names[-1]}.out_cc -> tx;",
            "  }",
            "}",
            *(
                f"chain.{n}.ppf ( ether_pkt * ph ) "
                "{ ph->src = ph->src + 1; channel_put( out_cc, ph ); }"
                for n in names
            ),
        ]
    )


@pytest.mark.parametrize("level", END_LEVELS)
def test_a_chain_of_tiny_ppfs_is_one_aggregate(
    level: str, loads: dict[str, Workload], tmp_path: Path
) -> None:
    source, load = tmp_path / "chain.baker", loads["l3-switch"]
    source.write_text(chain(12))
    report = report_of(source, load, tmp_path, f"--level={level}")
    (only,) = report["aggregates"]
    assert len(only["ppfs"]) == 12 and len(only["engines"]) == 6
    out, stats = tmp_path / "out.pcapng", tmp_path / "stats.json"
    run(
        "ixpsim", tmp_path / "a.ixp", f"--trace={load.trace}", "--packets=300",
        f"--out={out}", f"--stats={stats}", "--quiet",
    )  # fmt: skip
    sent = sorted(frame.data for frame in read_capture(out, 4).frames)
    frames = [
        frame.data.ljust(60, b"\0") for frame in read_capture(load.trace, 4).frames
    ][:300]
    assert sent == sorted(
        frame[:6]
        + ((int.from_bytes(frame[6:12], "big") + 12) % 2**48).to_bytes(6, "big")
        + frame[12:]
        for frame in frames
    )


def simulated_gbps(load: Workload, folder: Path) -> float:
    """The rate of the image that `report_of` wrote, with ports that are no limit."""
    stats = folder / "stats.json"
    run(
        "ixpsim", folder / "a.ixp", f"--trace={load.trace}", "--packets=1000",
        "--warmup=200", f"--stats={stats}", "--quiet",
        "--set=ports.rate_bps=4000000000",
    )  # fmt: skip
    return float(read_json(stats)["rate"]["forwarded_gbps"])


def test_a_hot_lock_gets_no_more_engines(
    loads: dict[str, Workload], tmp_path: Path
) -> None:
    source = ROOT / "tests/aggregation/Inputs/hot_lock.baker"
    load = loads["l3-switch"]

    def rate(*options: str) -> float:
        report_of(source, load, tmp_path, *options)
        return simulated_gbps(load, tmp_path)

    report = report_of(source, load, tmp_path)
    assert report["predicted"]["bottleneck"] == "locks"
    assert len(report["aggregates"][0]["engines"]) < 3
    chosen = rate()
    assert abs(report["predicted"]["gbps"] / chosen - 1) < 0.15
    mapping = tmp_path / "mapping.txt"
    for engines in (2, 4, 6):
        mapping.write_text(f"aggregate all {engines}\n  m.work\n")
        assert rate(f"--mapping={mapping}") < chosen / 0.97


def test_a_hot_lock_is_not_on_engines_that_compute(
    loads: dict[str, Workload], tmp_path: Path
) -> None:
    """The holder of the lock waits while its engine computes for another context.
    The model has this cost, so the compiler separates the two."""
    source = ROOT / "tests/aggregation/Inputs/hot_stage.baker"
    load = loads["l3-switch"]

    def rate(*options: str) -> float:
        report = report_of(source, load, tmp_path, *options)
        found = simulated_gbps(load, tmp_path)
        assert report["predicted"]["gbps"] / found == pytest.approx(1, abs=0.25)
        return found

    chosen = rate()
    mapping = tmp_path / "mapping.txt"
    for engines in (1, 2, 6):
        mapping.write_text(f"aggregate all {engines}\n  m.work\n  m.count\n")
        assert rate(f"--mapping={mapping}") < chosen
    mapping.write_text("aggregate a 5\n  m.work\naggregate b 1\n  m.count\n")
    assert rate(f"--mapping={mapping}") * 0.97 < chosen


def test_locks_of_an_array_are_held_at_the_same_time(
    loads: dict[str, Workload], tmp_path: Path
) -> None:
    text = (ROOT / "tests/aggregation/Inputs/hot_stage.baker").read_text()
    source, load = tmp_path / "many.baker", loads["l3-switch"]
    source.write_text(
        text.replace("lock guard;", "lock guard[64];").replace(
            "critical (guard)", "critical (guard[at])"
        )
    )
    report = report_of(source, load, tmp_path)
    assert len(report["aggregates"][0]["engines"]) == 6
    assert report["predicted"]["bottleneck"] != "locks"
    found = simulated_gbps(load, tmp_path)
    assert report["predicted"]["gbps"] / found == pytest.approx(1, abs=0.15)
