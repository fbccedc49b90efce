"""The firewall's rules change while packets flow: each packet is judged by those
before or those after a commit, never by a mix."""

from __future__ import annotations

from pathlib import Path

import pytest

from testkit.applications import FIREWALL
from testkit.runs import check_packets, compile_app, run_on_x86, simulate
from testkit.tools import read_json, requires, run
from testkit.workloads import Workload, make_workload

pytestmark = requires("bakerc", "ixpsim")
PACKETS = 900
#: Packets that are in the chip when a call is made, at the rate of these runs.
WINDOW = 8
#: Half of all flows are dropped: a mix of two lists shows.
DROPS = ("--dropped-flows", "0.5", "--denied", "0.5")
#: A commit takes 0.2 s of chip time. While it holds them, frames wait in the ports.
SLOW = ("--rate=0.002",)
#: Rules with more values of TOS than the firewall has classes for.
TOO_MANY = [
    f"rule_add(1, 0.0.0.0, 0, 0.0.0.0, 0, 0, 65535, 0, 65535, 256, {tos}, 255, 0, 0)"
    for tos in range(80)
]


def rules_of(seed: int, folder: Path, *options: str) -> tuple[Workload, list[str]]:
    """A workload, and the lines of its control file that make its rules."""
    part = folder / f"seed{seed}"
    part.mkdir()
    load = make_workload(
        "firewall", part, "--rules", "50", "--seed", str(seed), *DROPS, *options
    )
    lines = load.control.read_text().splitlines()
    return load, [line for line in lines if line.startswith(("rule_add", "rules_"))]


def change(packet: int, rules: list[str]) -> list[str]:
    return [f"@packet {packet} {line}" for line in ("rules_clear()", *rules)]


def changing(folder: Path, *at: int, grows: bool = False) -> Workload:
    """Rules of one seed, then at each of these packets those of another, or, if the
    list `grows`, both."""
    load, first = rules_of(3, folder, "--packets", str(PACKETS))
    _, second = rules_of(5, folder)
    if grows:
        second = first[:-1] + second
    lines = load.control.read_text().splitlines()
    for number, packet in enumerate(at):
        lines += change(packet, first if number % 2 else second)
    load.control.write_text("\n".join(lines) + "\n")
    return load


@pytest.mark.parametrize("level", ["o1", "swc"])
def test_a_commit_is_seen_whole(level: str, tmp_path: Path) -> None:
    load = changing(tmp_path, 300)
    image = compile_app(
        FIREWALL, tmp_path / "i.ixp", f"--level={level}", "--mes=1", *load.profile()
    )
    out, stats = simulate(image, load, tmp_path, *SLOW)
    assert stats["packets"]["forwarded"] > PACKETS / 4
    check_packets(load, out, tmp_path / "stats.json", window=WINDOW)


def test_a_commit_beside_packets_would_be_seen_half_done(tmp_path: Path) -> None:
    """Without `@exclusive` the test above fails. Old and new rules decide alike."""
    source = tmp_path / "source"
    source.mkdir()
    for file in FIREWALL.parent.glob("*.baker"):
        (source / file.name).write_text(file.read_text().replace("@exclusive ", ""))
    load = changing(tmp_path, 300, grows=True)
    image = compile_app(
        source / FIREWALL.name, tmp_path / "i.ixp", "--level=o1", "--mes=1"
    )
    out, _ = simulate(image, load, tmp_path, *SLOW)
    with pytest.raises(AssertionError, match="expected frames were not sent"):
        check_packets(load, out, window=PACKETS)


def test_rules_are_committed_again_and_again(tmp_path: Path) -> None:
    load = changing(tmp_path, *range(60, PACKETS, 60))
    out, _ = run_on_x86(FIREWALL, load, tmp_path)
    check_packets(load, out, window=1)


@pytest.mark.parametrize("engine", ["x86", "chip"])
def test_a_refused_commit_leaves_the_rules_in_force(
    engine: str, tmp_path: Path
) -> None:
    load, _ = rules_of(3, tmp_path, "--packets", "300")
    text = load.control.read_text()
    refused = tmp_path / "refused.control"
    refused.write_text("\n".join([text, "rules_clear()", *TOO_MANY, "rules_commit()"]))
    out, stats = tmp_path / "out.pcapng", tmp_path / "stats.json"
    command: list[object] = ["bakerc", FIREWALL, "--run"]
    if engine == "chip":
        image = compile_app(FIREWALL, tmp_path / "i.ixp", "--level=o1")
        command = ["ixpsim", image]
    done = run(
        *map(str, command), f"--trace={load.trace}", f"--control={refused}",
        "--keep-going", f"--out={out}", f"--stats={stats}", status=1,
    )  # fmt: skip
    assert "refused the call: the rules have too many values of TOS" in done.stderr
    assert read_json(stats)["packets"]["forwarded"] > 0
    check_packets(load, out, window=0, order="none")
