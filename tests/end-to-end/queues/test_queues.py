"""Packets in queues keep their metadata, and none is lost, on every engine."""

from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.paths import ROOT
from testkit.runs import assert_packets_add_up
from testkit.switch import running_switch
from testkit.tools import read_json, run

INPUTS = Path(__file__).parent / "Inputs"
CROSSING, HELD = INPUTS / "crossing.baker", INPUTS / "held.baker"
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


def test_the_switch_holds_packets_over_bursts(tmp_path: Path) -> None:
    """Ten frames come one by one; a full queue drops the two that are too many."""
    sent = [bytes(12) + b"\x88\xb5" + bytes([n] * 46) for n in range(10)]
    write_capture(tmp_path / "in.pcap", [Frame(0, 0, data) for data in sent], 1)
    with running_switch(
        HELD, tmp_path, "--burst=1", "--stay", f"--port=pcap,rx={tmp_path}/in.pcap",
        f"--port=pcap,tx={tmp_path}/out.pcap",
    ) as sw:  # fmt: skip
        packets = sw.wait_for("packets", "received", least=10)["packets"]
        assert packets["waiting"] == 8 and packets["dropped"] == 2
        sw.control.ask("call held.release(5)")
        stats = sw.control.stats()
        assert stats["packets"]["waiting"] == 3 and stats["drops"]["queue_full"] == 2
        assert "bakersw_packets_waiting{" in sw.control.ask("stats prometheus")
        sw.end()
    out = read_capture(tmp_path / "out.pcap", 1).frames
    assert [frame.data for frame in out] == sent[:5]


def test_several_cores_of_the_switch_share_no_queue(tmp_path: Path) -> None:
    switch = ("bakersw", HELD, "--port=null", "--socket=none", "--cores=2")
    said = run(*switch, status=1).stderr
    assert "E-driver-049" in said and "--cores=1" in said
