"""Programs cut into several aggregates forward what the oracle says: each
application with mappings that the compiler would not choose, at every level
and on as many engines as it needs and more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import toolchain
from toolchain import FIREWALL, L3_SWITCH, LEVELS, MPLS, Workload

PIPELINES = {
    "l3-switch": (
        L3_SWITCH,
        ["l3_switch.l2_clsfr", "l3_forwarding.l3_fwdr", "l3_forwarding.eth_encap"],
    ),
    "firewall": (FIREWALL, ["firewall.l2_clsfr", "firewall.classifier"]),
    "mpls": (
        MPLS,
        ["lsr.l2_clsfr", "lsr.ipv4_fwdr", "lsr.mpls_encap"],
    ),
}
KINDS = {"l3-switch": "ipv4", "firewall": "firewall", "mpls": "mpls"}


@pytest.fixture(scope="session")
def loads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Workload]:
    made = {}
    for app, kind in KINDS.items():
        folder = tmp_path_factory.mktemp(app)
        made[app] = toolchain.make(
            kind, app, folder, "--seed", "3", "--packets", "3000"
        )
    return made


def write_mapping(folder: Path, ppfs: list[str], stages: int) -> Path:
    """The first `stages` of these PPFs each in an aggregate of its own."""
    path = folder / "mapping.txt"
    lines = [f"aggregate s{i}\n  {ppf}\n" for i, ppf in enumerate(ppfs[:stages])]
    path.write_text("".join(lines))
    return path


def stages_of(app: str) -> int:
    return len(PIPELINES[app][1])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("app", PIPELINES)
def test_pipelines_forward_what_the_oracle_says(
    app: str, level: str, loads: dict[str, Workload], tmp_path: Path
) -> None:
    source, ppfs = PIPELINES[app]
    load = loads[app]
    image = toolchain.compile_app(
        source,
        tmp_path / "a.ixp",
        f"--level={level}",
        f"--profile-trace={load.trace}",
        f"--control={load.control}",
        f"--mapping={write_mapping(tmp_path, ppfs, len(ppfs))}",
        f"--report={tmp_path / 'report.json'}",
    )
    report = json.loads((tmp_path / "report.json").read_text())
    count = len(report["aggregates"])
    assert count == stages_of(app)
    for engines in {count, 6}:
        out, stats = toolchain.simulate(image, load, tmp_path, f"--mes={engines}")
        toolchain.check(load, out, tmp_path / "stats.json")
        toolchain.assert_packets_add_up(stats)
        names = {e["aggregate"] for e in stats["microengines"] if e["role"] == "app"}
        assert len(names) == count


def test_a_ppf_may_be_put_on_the_xscale_core(
    loads: dict[str, Workload], tmp_path: Path
) -> None:
    mapping = tmp_path / "mapping.txt"
    mapping.write_text("xscale\n  bridge.l2_bridge\n")
    load = loads["l3-switch"]
    image = toolchain.compile_app(
        L3_SWITCH, tmp_path / "a.ixp", "--level=o1", f"--mapping={mapping}"
    )
    out, _ = toolchain.simulate(image, load, tmp_path)
    toolchain.check(load, out, tmp_path / "stats.json")


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
    done = toolchain.run(
        "bakerc", L3_SWITCH, f"--mapping={mapping}", "-o", tmp_path / "a.ixp", status=1
    )
    assert message in done.stderr
