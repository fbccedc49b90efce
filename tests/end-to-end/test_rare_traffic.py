"""Traffic that no profile has shown stays on the engines, and is right there."""

from collections import Counter
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.applications import LEVELS, SOURCES
from testkit.runs import assert_packets_add_up, check_packets, compile_app, simulate
from testkit.tools import read_json, run
from testkit.workloads import Workload, make_workload

PORTS = 4
RARE = Path(__file__).parent / "Inputs/rare.baker"
#: The types of the frames that leave, by the type of the frame that comes.
LEAVES = {
    0x800: (0x800 + 0x10 + 0x400,),
    1: (1 + 0x10 + 0x100,),
    2: (2 + 0x10 + 0x100, 2 + 0x10 + 0x400),
    3: (3 + 0x10 + 0x100 + 0x200,),
    4: (4 + 0x10 + 0x100 + 0x400,),
}


def frames(kinds: list[int], folder: Path, name: str) -> Workload:
    """Frames of these types, one port after another."""
    load = Workload(folder / f"{name}.pcap", folder / "none.txt")
    load.control.touch()
    made = [
        Frame(0, n % PORTS, bytes(12) + kind.to_bytes(2, "big") + bytes(46))
        for n, kind in enumerate(kinds)
    ]
    write_capture(load.trace, made, PORTS)
    return load


def cores_of(report: Path) -> dict[str, dict[str, str]]:
    """The compiler's decision on the core of each PPF, and its reason."""
    decisions = read_json(report)["decisions"]
    return {each["subject"]: each for each in decisions if each["kind"] == "core"}


@pytest.mark.parametrize("level", LEVELS)
def test_rare_paths_are_right_on_the_engines(level: str, tmp_path: Path) -> None:
    plain = frames([0x800] * 100, tmp_path, "plain")
    kinds = [0x800, 1, 2, 3, 4, 1, 3, 2, 4, 4] * 60
    load = frames(kinds, tmp_path, "rare")
    report = tmp_path / "report.json"
    image = compile_app(
        RARE, tmp_path / "rare.ixp", f"--level={level}", *plain.profile(),
        f"--report={report}",
    )  # fmt: skip
    reason = cores_of(report)["m.odd.in_cc"]["reason"]
    assert reason.endswith("but there is room on the engines")
    out, stats = simulate(image, load, tmp_path, "--mes=2")
    assert_packets_add_up(stats)
    assert stats["packets"]["to_xscale"] == 0
    sent = Counter(
        int.from_bytes(frame.data[12:14], "big")
        for frame in read_capture(out, PORTS).frames
    )
    assert sent == Counter(end for kind in kinds for end in LEAVES[kind])


#: Application, traffic of the profile, other traffic.
OTHERS = {
    "bridged": ("l3-switch", "--routes 100", "--routes 100 --bridged 1"),
    "routed": ("l3-switch", "--routes 100 --bridged 1", "--routes 100"),
    "push": ("mpls", "--transit 1 --egress 0", "--transit 0 --egress 0 --push 3"),
    "pop": ("mpls", "--transit 0 --egress 0", "--transit 0 --egress 1"),
    "fragments": ("firewall", "--rules 20", "--rules 20 --fragments 0.5"),
}


@pytest.mark.parametrize("level", ("pac", "swc"))
@pytest.mark.parametrize("kind", OTHERS)
def test_other_traffic_than_the_profile_stays_on_the_engines(
    kind: str, level: str, tmp_path: Path
) -> None:
    app, trained, tested = OTHERS[kind]
    (tmp_path / "trained").mkdir()
    size = ("--packets", "1000")
    profile = make_workload(app, tmp_path / "trained", *size, *trained.split())
    load = make_workload(app, tmp_path, *size, *tested.split())
    image = tmp_path / "app.ixp"
    compile_app(SOURCES[app], image, f"--level={level}", *profile.profile())
    out, stats = simulate(image, load, tmp_path, "--mes=2")
    check_packets(load, out, tmp_path / "stats.json")
    assert stats["packets"]["to_xscale"] == 0


def test_without_room_rare_ppfs_go_to_the_core(tmp_path: Path) -> None:
    """A small control store holds the frequent PPFs alone."""
    (tmp_path / "trained").mkdir()
    profile = make_workload(
        "l3-switch", tmp_path / "trained", "--packets=500", "--routes=100"
    )
    report = tmp_path / "report.json"
    run(
        "bakerc", SOURCES["l3-switch"], *profile.profile(), f"--report={report}",
        "--set=me.control_store=1536", "-o", tmp_path / "small.ixp",
    )  # fmt: skip
    cores = {name: each["decision"] for name, each in cores_of(report).items()}
    assert cores["l3_switch.l2_clsfr.in_cc"] == "me"
    assert "xscale" in cores.values()
