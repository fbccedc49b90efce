"""The packets and spans of a run are read page by page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from baker_explorer.record import Record, Span
from baker_explorer.runs import Run, Settings
from baker_explorer.views.journey import frame
from baker_explorer.workspace import Workspace
from testkit.captures import write_pcap

PACKETS = """number,fate,received,taken,left,latency,port
0,forwarded,10,20,50,33,1
1,dropped,11,21,40,,
2,forwarded,12,22,90,70,0
3,inside,13,,,,
"""
SPANS = """engine,context,begin,cycles,state,pc,wait
1,0,0,10,run,,
1,0,10,100,sram,7,sram[read]
1,1,5,20,run,,
2,0,0,500,run,,
"""


@pytest.fixture
def record(tmp_path: Path) -> Record:
    (tmp_path / "r.packets.csv").write_text(PACKETS)
    (tmp_path / "r.spans.csv").write_text(SPANS)
    made = Record.make(tmp_path / "r", tmp_path / "r.sqlite")
    return made


def test_packets_are_chosen_ordered_and_paged(record: Record) -> None:
    def numbers(choice: str, first: int = 0, count: int = 10) -> list[int]:
        return [row["number"] for row in record.packets(choice, first, count)]

    assert numbers("slowest") == [2, 0] and record.count("slowest") == 2
    assert numbers("not forwarded") == [1, 3]
    assert numbers("all, by number", 1, 2) == [1, 2]
    assert record.packets("not forwarded", 1, 1)[0]["left"] is None


def test_spans_of_an_engine_that_touch_some_cycles(record: Record) -> None:
    assert record.spans(1, 20, 30) == [
        Span(0, 10, 100, "sram", 7, "sram[read]"),
        Span(1, 5, 20, "run", None, ""),
    ]
    assert record.spans(3, 0, 100) == []


def test_spans_are_read_when_they_are_asked_for(record: Record, tmp_path: Path) -> None:
    def names() -> set[str]:
        return {path.name for path in tmp_path.iterdir()}

    assert names() == {"r.sqlite", "r.spans.csv"}
    assert record.packets("slowest", 0, 1)
    assert names() == {"r.sqlite", "r.spans.csv"}
    assert record.spans(2, 0, 10) == [Span(0, 0, 500, "run", None, "")]
    assert names() == {"r.sqlite", "r.spans.sqlite"}
    assert record.spans(2, 0, 10) == [Span(0, 0, 500, "run", None, "")]


def test_a_page_of_a_million_packets_reads_few(tmp_path: Path) -> None:
    """No page sorts or loads the packets: the query plan uses an index."""
    record = Record.make(_csv(tmp_path, 20_000), tmp_path / "r.sqlite")
    for choice in ("slowest", "not forwarded", "all, by number"):
        plan = record.plan(choice)
        assert "TEMP B-TREE" not in plan, plan
        assert len(record.packets(choice, 9_000, 12)) == 12


def _csv(folder: Path, packets: int) -> Path:
    lines = ["number,fate,received,taken,left,latency,port"]
    for number in range(packets):
        if number % 2:
            lines.append(f"{number},forwarded,1,2,3,{number * 7919 % packets},0")
        else:
            lines.append(f"{number},dropped,1,2,3,,")
    (folder / "r.packets.csv").write_text("\n".join(lines) + "\n")
    (folder / "r.spans.csv").write_text("engine\n")
    return folder / "r"


def test_a_frame_of_a_trace_that_is_repeated(tmp_path: Path) -> None:
    frames = [bytes([number]) * 60 for number in range(5)]
    write_pcap(tmp_path / "t.pcap", frames)
    write_pcap(tmp_path / "none.pcap", [])
    workspace = Workspace(tmp_path)

    def run(trace: str) -> Run:
        settings = Settings(files=("a.baker",), trace=trace)
        return Run(0, settings, tmp_path / "0", workspace)

    assert [frame(run("t.pcap"), number) for number in (0, 4, 13)] == [
        frames[0], frames[4], frames[3],
    ]  # fmt: skip
    assert frame(run("none.pcap"), 2) == b""


def test_control_calls_belong_to_a_trace() -> None:
    settings = Settings(files=("a.baker",), control="a.control")
    assert "--control=a.control" not in settings.compile_arguments()
    with_trace = replace(settings, trace="t.pcap")
    assert "--control=a.control" in with_trace.compile_arguments()
    assert "ixpsim" not in settings.commands()
