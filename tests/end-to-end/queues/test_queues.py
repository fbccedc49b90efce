"""Packets in queues keep their metadata, and none is lost, on every engine."""

from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import Frame, write_capture
from testkit.paths import ROOT
from testkit.runs import assert_packets_add_up
from testkit.tools import read_json, run

CROSSING = Path(__file__).parent / "Inputs/crossing.baker"
PACKETS = 2000
CALLS = ("wrong_packets()", "exclusive_rounds()", "still_waiting()")


@pytest.fixture(scope="module")
def traffic(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("queues")
    frames = [
        Frame(
            2000 * i, i % 4, bytes(12) + b"\x08\x00" + bytes([0x45, 0] + [i % 251] * 44)
        )
        for i in range(PACKETS)
    ]
    write_capture(folder / "t.pcapng", frames, 4)
    (folder / "t.control").write_text("".join(f"@end {call}\n" for call in CALLS))
    return [f"--trace={folder / 't.pcapng'}", f"--control={folder / 't.control'}"]


def check(stats: dict[str, Any]) -> None:
    packets = stats["packets"]
    # An exclusive function holds the frames at the ports.
    assert packets["received"] + packets["rx_overflow"] == PACKETS
    assert_packets_add_up(stats)
    wrong, rounds, still = (value["value"] for value in stats["control"]["values"])
    assert wrong == 0 and rounds > 0
    # Those that wait are copies and created packets, too.
    assert 0 < packets["waiting"] <= still


@pytest.mark.parametrize("rate", ("0.3", "2"))
@pytest.mark.parametrize("engines", ("1", "6"))
@pytest.mark.parametrize("level", ("base", "pac", "phr", "swc"))
def test_queues_between_engines_and_the_core(
    level: str, engines: str, rate: str, traffic: list[str], tmp_path: Path
) -> None:
    image, stats = tmp_path / "q.ixp", tmp_path / "s.json"
    run("bakerc", CROSSING, f"--level={level}", f"--mes={engines}", "-o", image)
    run("ixpsim", image, *traffic, f"--rate={rate}", "--strict", f"--stats={stats}")
    check(read_json(stats))


def test_queues_on_x86(traffic: list[str], tmp_path: Path) -> None:
    counts = []
    for options in ((), ("--fast",), ("--fast", "--burst=8", "--sub-batch=8")):
        stats = tmp_path / "s.json"
        run("bakerc", CROSSING, "--run", *traffic, *options, f"--stats={stats}")
        found = read_json(stats)
        check(found)
        counts.append([found[key] for key in ("packets", "drops", "control")])
    assert counts[0] == counts[1] == counts[2]


@pytest.mark.parametrize("program", ("queues", "schedulers"))
def test_passes_keep_what_queues_do(program: str, tmp_path: Path) -> None:
    """Also where a handle from a queue is empty."""
    source = ROOT / f"tests/packets/language/{program}.baker"
    run("bakerc", source, "--check-passes=50", "-o", tmp_path / "q.ixp")


def test_the_switch_refuses_queues(tmp_path: Path) -> None:
    said = run("bakersw", CROSSING, "--port=null", "--socket=none", status=1).stderr
    assert "E-driver-049" in said
