"""`npftrace convert`: frames, ports and times are the same in the other format."""

from collections.abc import Callable
from pathlib import Path

import pytest

from npftrace.cli import main
from npftrace.frames.capture import Frame, read_capture, write_capture


def test_round_trip(
    tmp_path: Path, frame: Callable[..., bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    frames = [Frame(1000 * i + 7, 3 - i % 4, frame()) for i in range(10)]
    source = tmp_path / "a.pcapng"
    write_capture(source, frames, 4)
    assert main(["convert", str(source), str(tmp_path / "b.pcapng")]) == 0
    assert read_capture(tmp_path / "b.pcapng", 4).frames == frames
    assert main(["convert", str(source), str(tmp_path / "c.pcap"), "--first=2"]) == 0
    assert "does not name the ports" in capsys.readouterr().err
    found = read_capture(tmp_path / "c.pcap", 4).frames
    assert [(f.time_ns, f.data) for f in found] == [
        (f.time_ns, f.data) for f in frames[2:]
    ]
