"""The library's multicast groups while they change, and what they refuse."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.paths import ROOT
from testkit.runs import refusal
from testkit.tools import requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = ROOT / "tests/packets/language/multicast.baker"
HEAD = bytes(6) + bytes([2, 0, 0, 0, 0, 10]) + b"\x99\x01"
PACKETS = 900
#: Entries that come and go, one a call, and each with an edit of its own.
ENTRIES = [(1 + i % 3, 0x100 + i) for i in range(40)]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("multicast") / "t.ixp"
    run("bakerc", PROGRAM, "-o", made)
    return made


def changes() -> tuple[list[str], list[frozenset[tuple[int, int]]]]:
    """Calls that add an entry or remove the oldest of three, and the group after
    each."""
    lines, states = [], []
    group: list[tuple[int, int]] = []
    for i, (port, edit) in enumerate(ENTRIES):
        when = "" if i < 3 else f"@packet {i * PACKETS // len(ENTRIES)} "
        if len(group) == 3:
            lines.append(f"{when}groups.remove(1, {group[0][0]}, {group[0][1]})")
            group = group[1:]
            states.append(frozenset(group))
        lines.append(f"{when}groups.add(1, port: {port}, edit: {edit})")
        group = [*group, (port, edit)]
        states.append(frozenset(group))
    return lines, states


@pytest.mark.parametrize("machine", ["x86", "chip"])
def test_a_packet_sees_the_group_of_one_moment(
    machine: str, image: Path, tmp_path: Path
) -> None:
    trace, control, out = (
        tmp_path / name for name in ("t.pcapng", "c.txt", "o.pcapng")
    )
    write_pcap(trace, [HEAD + i.to_bytes(4) + bytes(42) for i in range(PACKETS)])
    lines, states = changes()
    control.write_text("\n".join(lines) + "\n")
    # A change waits until no packet reads the list that it replaces.
    chip = ("ixpsim", image, "--quiet", "--rate=0.2")
    tool = ("bakerc", PROGRAM, "--run") if machine == "x86" else chip
    run(*tool, f"--trace={trace}", f"--control={control}", f"--out={out}")
    copies: dict[bytes, set[tuple[int, int]]] = defaultdict(set)
    for (port, frame), count in read_pcapng(out).items():
        assert count == 1
        copies[frame[14:18]].add((port, int.from_bytes(frame[10:12])))
    # Frame n came by port n modulo 4, and does not go back.
    seen = set()
    for i in range(PACKETS):
        left = [frozenset(e for e in state if e[0] != i % 4) for state in states]
        assert copies[i.to_bytes(4)] in left, i
        seen.add(left.index(frozenset(copies[i.to_bytes(4)])))
    assert len(seen) > 20, "packets met many of the groups"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("groups.add(8, 1, 0)", "there is no group of this number"),
        ("groups.add(1, 16, 0)", "a group has ports 0 to 15"),
        ("groups.add(1, 1, 1)", "the group has this entry"),
        ("groups.add(1, 1, 4)", "the group has all copies that its module allows"),
        ("groups.remove(1, 1, 4)", "the group has no such entry"),
        ("groups.remove(9, 1, 4)", "there is no group of this number"),
        ("groups.clear(8)", "there is no group of this number"),
    ],
)
def test_refusals(call: str, why: str, tmp_path: Path) -> None:
    trace = tmp_path / "t.pcap"
    write_pcap(trace, [HEAD + bytes(46)])
    lines = [f"groups.add(1, 1, {edit})" for edit in (1, 2, 3)]
    said = refusal(PROGRAM, trace, "\n".join([*lines, call]), tmp_path)
    assert "control.txt:4" in said and why in said, said
