"""What an image tells tools that look inside: types of globals, metadata fields,
the functions that wait for locks and their lines."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest

from testkit.captures import write_pcap
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

SOURCE = Path(__file__).parent / "Inputs/inside.baker"
LINES = SOURCE.read_text().splitlines()
(CRITICAL,) = [n for n, line in enumerate(LINES, 1) if "critical (guard)" in line]
(PUT,) = [n for n, line in enumerate(LINES, 1) if "channel_put" in line]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("facts")
    frames = [
        struct.pack(">HIHIHH", 2, number, 2, number, number, 0).ljust(60, b"\0")
        for number in range(400)
    ]
    write_pcap(path / "in.pcap", frames)
    mapping = path / "mapping.txt"
    mapping.write_text("aggregate all 1\n  m.sort\n")
    for level in ("o1", "swc"):
        run(
            "bakerc", SOURCE, f"--level={level}", f"--mapping={mapping}",
            f"--profile-trace={path}/in.pcap", "-o", path / f"{level}.ixp",
        )  # fmt: skip
    return path


def simulate(folder: Path, *arguments: str, level: str = "swc") -> str:
    return output_of(
        "ixpsim", folder / f"{level}.ixp", f"--trace={folder}/in.pcap", *arguments
    )


def test_a_breakpoint_names_types_and_metadata(folder: Path) -> None:
    said = simulate(
        folder, f"--break=inside.baker:{PUT}", "--trace-packet=34", level="o1"
    )
    assert re.search(r"^  \S*mark +7 \(0x7\)$", said, re.M), said
    assert re.search(r"^  m\.seen +u32 +\S+ 0x[0-9a-f]+ +\d+ \(0x", said, re.M), said
    assert re.search(r"^  m\.by_port +u32\[4\] +\S+ 0x[0-9a-f]+ +0x", said, re.M)


def test_the_profile_says_where_contexts_wait_for_locks(folder: Path) -> None:
    said = simulate(folder, "--profile")
    wait = re.search(r"waits for a lock: (\d+) cycles in (\d+) waits at (\S+)", said)
    assert wait and wait[3].endswith(f"inside.baker:{CRITICAL}"), said
    file = folder / "p.json"
    simulate(folder, f"--profile={file}", "--quiet")
    (code,) = [
        code for code in read_json(file)["microcode"].values() if code["role"] == "app"
    ]
    (lock,) = code["locks"]
    assert lock["waited"] == int(wait[1]) and lock["waits"] == int(wait[2])


def test_waiting_for_a_lock_is_a_row_of_the_summary(folder: Path) -> None:
    stats = folder / "s.json"
    said = simulate(folder, f"--stats={stats}")
    share = re.search(r"^locks +([\d.]+)% .* waiting at (\S+)$", said, re.M)
    assert share and share[2].endswith(f"inside.baker:{CRITICAL}"), said
    found: dict[str, Any] = read_json(stats)
    assert found["locks"]["places"] == [share[2]]
    waited = sum(each["lock_wait_cycles"] for each in found["microengines"])
    cycles = found["measured"]["cycles"]
    assert found["locks"]["wait_share"] == pytest.approx(waited / (8 * cycles))
    assert f"{100 * found['locks']['wait_share']:.1f}" == share[1]


def test_a_lock_has_a_line_where_it_is_polled(folder: Path) -> None:
    """The functions of the runtime that wait for locks are in the line table."""
    file = folder / "p.json"
    simulate(folder, f"--profile={file}", "--quiet")
    places = {
        row["location"].rpartition(":")[0]
        for code in read_json(file)["microcode"].values()
        for row in code["instructions"]
    }
    assert places & {"locks.ll", "services.ll"}
