"""The promises of `bakerc --wcet`: by class of traffic, no message takes longer than
the bound of its class, and no traffic of a class is slower than its rate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from testkit.applications import SOURCES
from testkit.runs import check_packets, compile_app, simulate
from testkit.tools import output_of, read_json, requires
from testkit.workloads import make_workload

pytestmark = requires("bakerc", "ixpsim")

#: What the profiles are made from: other packets than the measured ones.
PROFILES = {
    "l3-switch": "--routes 1000",
    "firewall": "--rules 100 --denied 0.05",
    "mpls": "--labels 512 --fecs 1000",
}


@dataclass(frozen=True)
class Kind:
    """Traffic of one class: the application, the options of `npftrace make`, and the
    kind and the name of the class."""

    app: str
    options: str
    kind: str
    name: str
    #: The kind of traffic, unless it is the application's.
    traffic: str | None = None
    #: The part of the measured rate that is promised at least.
    promised: float = 0


IPV4_OUT = "l2_clsfr.l3_forward_cc > l3_fwdr.eth_encap_cc > eth_encap.out_cc"
IPV6_OUT = "l2_clsfr.ipv6_cc > ipv6_fwdr.encap_cc > encap.out_cc"
FILTERED = "l2_clsfr.ip_cc > classifier.out_cc > filter.out_cc > bridge.out_cc"
PUSHED = "l2_clsfr.ip_cc > ipv4_fwdr.out_cc > mpls_encap.out_cc"
PUSHED3 = "l2_clsfr.ip_cc > ipv4_fwdr.push_cc > push.out_cc > mpls_encap.out_cc"
SWAPPED = "l2_clsfr.label_cc > label_fwdr.out_cc > mpls_encap.out_cc"
BRIDGED = "l2_clsfr.l2_bridge_cc > l2_bridge.out_cc"
RULES = "--rules 100 --denied"
NO_LABELS = "--transit 0 --egress 0"
KINDS = {
    "routed": Kind("l3-switch", "--routes 1000", "forward", IPV4_OUT, promised=0.5),
    "routed6": Kind("l3-switch", "", "forward", IPV6_OUT, "ipv6", promised=0.2),
    "bridged": Kind("l3-switch", "--routes 100 --bridged 1", "forward", BRIDGED),
    "checksum": Kind("l3-switch", "--bad-checksum 1", "drop", "bad_checksum"),
    "expired": Kind("l3-switch", "--ttl-expired 1", "punt", "l3_fwdr.expired_cc"),
    "passed": Kind("firewall", f"{RULES} 0", "forward", FILTERED, promised=0.5),
    "denied": Kind("firewall", f"{RULES} 1", "drop", "flow_denied"),
    "pushed": Kind("mpls", NO_LABELS, "forward", PUSHED, promised=0.45),
    "pushed3": Kind("mpls", f"--push 3 {NO_LABELS}", "forward", PUSHED3, promised=0.3),
    "swapped": Kind("mpls", "--transit 1 --egress 0", "forward", SWAPPED),
    "unknown": Kind(
        "mpls", f"--unknown-label 1 {NO_LABELS}", "drop", "unknown_label"
    ),
}  # fmt: skip


@dataclass
class Promise:
    image: Path
    report: dict[str, Any]

    def of(self, kind: str, name: str) -> dict[str, Any]:
        found: list[dict[str, Any]] = [
            each for each in self.report["promised"]["classes"]
            if (each["kind"], each["name"]) == (kind, name)
        ]  # fmt: skip
        assert len(found) == 1, f"{len(found)} classes '{kind} {name}'"
        return found[0]


@pytest.fixture(scope="module")
def promises(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Promise]:
    """The applications' images and reports."""
    made = {}
    for app, options in PROFILES.items():
        folder = tmp_path_factory.mktemp(app)
        size = ("--packets", "1000", "--seed", "2")
        load = make_workload(app, folder, *size, *options.split())
        report = folder / "report.json"
        image = compile_app(
            SOURCES[app], folder / "app.ixp", *load.profile(), "--wcet",
            f"--report={report}",
        )  # fmt: skip
        made[app] = Promise(image, read_json(report))
    return made


@pytest.mark.parametrize("name", KINDS)
def test_a_class_keeps_its_bound_and_its_rate(
    name: str, promises: dict[str, Promise], tmp_path: Path
) -> None:
    kind = KINDS[name]
    promise = promises[kind.app]
    promised = promise.of(kind.kind, kind.name)
    options = ("--packets", "2000", *kind.options.split())
    load = make_workload(kind.app, tmp_path, *options, kind=kind.traffic)
    out, stats = simulate(promise.image, load, tmp_path, "--mes=6")
    cycles = max(
        each["iteration_cycles_max"]
        for each in stats["microengines"]
        if each["role"] == "app"
    )
    (bound,) = (each["issue_cycles"] for each in promised["aggregates"])
    assert 0 < cycles <= bound
    (whole,) = promise.report["aggregates"]
    assert bound <= whole["worst_case"]["issue_cycles"]
    if kind.kind == "forward":
        check_packets(load, out, tmp_path / "stats.json")
        assert stats["packets"]["forwarded"] == 2000
        measured = stats["rate"]["forwarded_gbps"]
        assert kind.promised * measured <= promised["gbps"] <= measured
    elif kind.kind == "drop":
        assert stats["packets"]["dropped"] == 2000


def test_classes_have_bounds_of_their_own(promises: dict[str, Promise]) -> None:
    # The dearest packets of the L3-Switch cost many times what a routed one costs, and
    # a dropped one less.
    promise = promises["l3-switch"]
    (whole,) = promise.report["aggregates"]
    costs = [
        promise.of(kind, name)["aggregates"][0]["issue_cycles"]
        for kind, name in [("drop", "bad_checksum"), ("forward", IPV4_OUT)]
    ]
    assert costs[0] < costs[1] < whole["worst_case"]["issue_cycles"] / 5
    # Tests compile applications without meters.
    assert promise.report["promised"]["punts_per_second"] == 0


def test_a_class_counts_the_mpackets_that_it_sends(
    promises: dict[str, Promise],
) -> None:
    # Labels are pushed in front of a frame of 60 bytes, which then leaves in two
    # mpackets; a routed frame keeps its length.
    added = {
        name: promises[KINDS[name].app].of(KINDS[name].kind, KINDS[name].name)[
            "bytes_added"
        ]
        for name in ("routed", "routed6", "bridged", "passed", "pushed", "pushed3")
    }
    assert added["routed"] == added["bridged"] == added["passed"] == 0
    assert added["routed6"] == 0
    # A loop pushes the further labels: as many as the headroom may hold.
    assert added["pushed"] == 4
    assert added["pushed3"] == 128


def test_a_demand_is_for_a_class(tmp_path: Path) -> None:
    image, app = tmp_path / "a.ixp", SOURCES["firewall"]
    demands = "filter.out_cc=1.5,drop not_ipv4=2"
    report = tmp_path / "report.json"
    output_of("bakerc", app, f"--min-rate={demands}", f"--report={report}", "-o", image)
    # The firewall has two channels to the core, for new connections.
    promised = read_json(report)["promised"]
    assert 198_000 < promised["punts_per_second"] <= 200_000
    assert 0 <= promised["gbps_beside_punts"] < promised["gbps"]
    image.unlink()
    for demand, told in {
        "filter.out_cc=2.6": "class is 'forward l2_clsfr.ip_cc > classifier.out_cc",
        "1.5": "filter6.track_cc",
        "ipv6=1": "'ipv6'; there are:\n  forward l2_clsfr.ip_cc > ",
    }.items():
        said = output_of("bakerc", app, f"--min-rate={demand}", "-o", image, status=1)
        assert told in said
        assert ("E-driver-045" if "ipv6" in demand else "E-driver-040") in said
        assert not image.exists()
    for demand in ("fast", "drop=", "=2", "drop=-1"):
        said = output_of("bakerc", app, f"--min-rate={demand}", "-o", image, status=2)
        assert f"not [CLASS=]GBPS: {demand}" in said
