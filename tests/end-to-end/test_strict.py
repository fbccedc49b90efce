"""The applications do nothing that the hardware would not forgive: no hazard in
a strict run, on traffic with exceptions, at the lowest and the highest level."""

from pathlib import Path

import pytest
import toolchain
from toolchain import ENDS, FIREWALL, L3_SWITCH, MPLS

PACKETS = 1000
TRAFFIC = {
    "l3-switch": (
        L3_SWITCH,
        "ipv4",
        "--routes 200 --bridged 0.1 --arp 0.02 --ttl-expired 0.02 --no-route 0.02"
        " --bad-checksum 0.02 --size 64:3,512:1",
    ),
    "firewall": (FIREWALL, "firewall", "--rules 50 --denied 0.1"),
    "mpls": (
        MPLS,
        "mpls",
        "--labels 64 --fecs 100 --transit 0.2 --egress 0.2 --unknown-label 0.02"
        " --ttl-expired 0.02",
    ),
}


@pytest.mark.parametrize("app", TRAFFIC)
def test_no_hazard_in_a_strict_run(tmp_path: Path, app: str) -> None:
    source, kind, options = TRAFFIC[app]
    load = toolchain.make(
        kind, app, tmp_path, *f"--seed 3 --packets {PACKETS} {options}".split()
    )
    for level in ENDS:
        image = toolchain.compile_app(
            source,
            tmp_path / f"{level}.ixp",
            f"--level={level}",
            f"--profile-trace={load.trace}",
            f"--control={load.control}",
        )
        out, stats = toolchain.simulate(image, load, tmp_path, "--strict")
        assert stats["hazards"] == []
        toolchain.assert_packets_add_up(stats)
        toolchain.check(load, out)
