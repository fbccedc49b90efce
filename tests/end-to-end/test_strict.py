"""A strict run of the applications finds no hazard, on traffic with exceptions, at
the lowest and the highest level."""

from pathlib import Path

import pytest

from testkit.applications import END_LEVELS, SOURCES
from testkit.runs import assert_packets_add_up, check_packets, compile_app, simulate
from testkit.workloads import make_workload

PACKETS = 1000
TRAFFIC = {
    "l3-switch": (
        "--routes 200 --bridged 0.1 --arp 0.02 --ttl-expired 0.02 --no-route 0.02"
        " --bad-checksum 0.02 --size 64:3,512:1"
    ),
    "firewall": "--rules 50 --denied 0.1",
    "mpls": (
        "--labels 64 --fecs 100 --transit 0.2 --egress 0.2 --unknown-label 0.02"
        " --ttl-expired 0.02"
    ),
}


@pytest.mark.parametrize("app", TRAFFIC)
def test_no_hazard_in_a_strict_run(tmp_path: Path, app: str) -> None:
    options = f"--seed 3 --packets {PACKETS} {TRAFFIC[app]}"
    load = make_workload(app, tmp_path, *options.split())
    for level in END_LEVELS:
        image = compile_app(
            SOURCES[app], tmp_path / "a.ixp", f"--level={level}", *load.profile()
        )
        out, stats = simulate(image, load, tmp_path, "--strict")
        assert stats["hazards"] == []
        assert_packets_add_up(stats)
        check_packets(load, out)
