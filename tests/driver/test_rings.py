"""Packets that travel by rings arrive as on x86: around a cycle of PPFs, to the
XScale core and back, with metadata, initial values and control calls."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.tools import requires, run

PROGRAM = Path(__file__).parent / "rings.baker"

pytestmark = requires("bakerc", "ixpsim")


def make_trace(path: Path, count: int) -> None:
    """Frames with 0 to 10 VLAN tags, short and long."""
    rng = random.Random(5)
    frames = []
    for number in range(count):
        frame = bytes([2, 0, 0, 0, 0, number & 255]) + rng.randbytes(6)
        for _ in range(rng.choice([0, 1, 2, 3, 4, 9, 10])):
            frame += struct.pack(">HH", 0x8100, rng.randrange(65536))
        frames.append(
            frame + b"\x08\x00" + rng.randbytes(rng.choice([30, 46, 100, 700]))
        )
    write_pcap(path, frames)


@pytest.mark.parametrize("level", ["base", "o1"])
def test_rings_carry_the_same_packets_as_calls(level: str, tmp_path: Path) -> None:
    trace, control = tmp_path / "in.pcap", tmp_path / "control.txt"
    make_trace(trace, 400)
    control.write_text("preset(2, -5)\n")
    host, chip, image = (tmp_path / n for n in ("x86.pcapng", "chip.pcapng", "a.ixp"))
    inputs = [f"--trace={trace}", f"--control={control}"]
    run("bakerc", PROGRAM, "--run", *inputs, f"--out={host}")
    options = f"--level={level}", "--punt-rate=none"
    run("bakerc", PROGRAM, *options, "-o", image)
    run("ixpsim", image, *inputs, f"--out={chip}", "--quiet")
    assert read_pcapng(host).total() > 200
    assert read_pcapng(chip) == read_pcapng(host)
