"""The commands in the folder's README work."""

import bz2
import gzip
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from npftrace.cli import main
from npftrace.frames.capture import Frame, write_capture

README = Path(__file__).resolve().parents[2] / "traces/README.md"


def commands() -> list[list[str]]:
    lines = [line for line in README.read_text().splitlines() if line[:4] == " " * 4]
    text = "\n".join(lines).replace("\\\n", " ")
    words = [shlex.split(line) for line in text.splitlines()]
    return [line[1:] for line in words if line[0] == "npftrace"]


def write_stats(path: Path) -> None:
    """Statistics for the trace that the README makes: 10 % bridged, 1 % ARP."""
    packets = {"received": 20000, "forwarded": 20000, "dropped": 0, "consumed": 0}
    path.write_text(json.dumps({"packets": packets, "drops": {"arp_done": 200}}))


def test_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frame: Callable[..., bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rib.txt.gz").write_bytes(gzip.compress(b"10.0.0.0/8 AS1\n"))
    Path("rib.mrt.bz2").write_bytes(bz2.compress(b"2001:db8::/32 AS1\n"))
    rule = b"@10.0.0.0/8 0.0.0.0/0 0 : 65535 80 : 80 0x06/0xFF"
    Path("fw1.gz").write_bytes(gzip.compress(rule))
    frames = [Frame(0, 0, frame())]
    for name in ("capture.pcap", "one.pcapng", "other.pcapng"):
        write_capture(Path(name), frames, 4)
    write_stats(Path("stats.json"))
    found = commands()
    assert len(found) == 18
    for arguments in found:
        assert main(arguments) == 0, arguments
