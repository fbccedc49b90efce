"""Packets that the receiver numbers leave in the order of their arrival: at every
level, on any number of engines, with short and long paths, drops, punts, copies and
created packets between them."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.runs import assert_packets_add_up, run_on_x86, simulate
from testkit.tools import run
from testkit.workloads import Workload

SOURCE = Path(__file__).parent / "Inputs/order.baker"
PORTS = 4
PACKETS = 1200
LEVELS = ("base", "o1", "o2", "pac", "soar", "phr", "swc")
#: What order.baker writes to the destination of packets without a number.
MADE, FROM_CORE = b"\xff" * 6, b"\xee" * 6
ONE_ENGINE_EACH = """
aggregate front 1
  paths.first
aggregate back {back}
  paths.second
"""


def load_of(
    folder: Path, seed: int, ways: tuple[int, ...] = (), packets: int = PACKETS
) -> Workload:
    """Frames with their numbers, whose types draw one of `ways`, else of all."""
    load = Workload(folder / "in.pcap", folder / "none.txt")
    load.control.touch()
    draw = random.Random(seed)
    frames = [
        Frame(
            0,
            number % PORTS,
            bytes(6)
            + number.to_bytes(6, "big")
            + (0x100 + draw.choice(ways or range(16))).to_bytes(2, "big")
            + bytes(46),
        )
        for number in range(packets)
    ]
    write_capture(load.trace, frames, PORTS)
    return load


def late(out: Path, kind: bytes = b"") -> tuple[int, int]:
    """How many frames left, and how many of them after a later one by their port: of
    those with a number, or of those that are marked as `kind`."""
    newest: dict[int, int] = {}
    count = behind = 0
    for frame in read_capture(out, PORTS, allow_empty=True).frames:
        mark = frame.data[:6]
        if mark != kind and (kind or mark in (MADE, FROM_CORE)):
            continue
        number = int.from_bytes(frame.data[6:12], "big")
        count += 1
        behind += number < newest.get(frame.port, -1)
        newest[frame.port] = max(number, newest.get(frame.port, -1))
    return count, behind


def compiled(folder: Path, *options: str) -> Path:
    image = folder / "order.ixp"
    run("bakerc", SOURCE, *options, "-o", image)
    return image


def assert_all_leave(load: Workload, out: Path, stats: dict[str, Any]) -> None:
    """The same frames leave as on x86, but for those that the core's queue refuses."""
    assert_packets_add_up(stats)
    expected, _ = run_on_x86(SOURCE, load, out.parent)
    left, wanted = (
        Counter(frame.data for frame in read_capture(path, PORTS).frames)
        for path in (out, expected)
    )
    refused = stats["drops"].get("punt:paths.first.core_cc", 0)
    assert not left - wanted
    assert sum((wanted - left).values()) <= refused


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("engines", [1, 2, 4, 6])
def test_no_frame_is_late(level: str, engines: int, tmp_path: Path) -> None:
    load = load_of(tmp_path, engines)
    image = compiled(tmp_path, f"--level={level}")
    out, stats = simulate(image, load, tmp_path, f"--mes={engines}")
    assert_all_leave(load, out, stats)
    count, behind = late(out)
    assert count > PACKETS // 2
    assert behind == 0
    # The core is done with packets in the order in which they came to it.
    count, behind = late(out, FROM_CORE)
    assert count > 5
    assert behind == 0


def test_without_order_frames_overtake(tmp_path: Path) -> None:
    load = load_of(tmp_path, 4)
    image = compiled(tmp_path, "--order=none")
    out, stats = simulate(image, load, tmp_path, "--mes=4")
    assert_all_leave(load, out, stats)
    _, behind = late(out)
    assert behind > 50


@pytest.mark.parametrize("level", ["base", "phr", "swc"])
@pytest.mark.parametrize("back", [1, 4])
def test_the_number_goes_through_aggregates(
    level: str, back: int, tmp_path: Path
) -> None:
    """One of two stages is slow: one engine in front of four, or after one."""
    load = load_of(tmp_path, back)
    mapping = tmp_path / "mapping.txt"
    mapping.write_text(ONE_ENGINE_EACH.format(back=back))
    image = compiled(tmp_path, f"--level={level}", f"--mapping={mapping}")
    out, stats = simulate(image, load, tmp_path)
    assert_all_leave(load, out, stats)
    count, behind = late(out)
    assert count > PACKETS // 2
    assert behind == 0


@pytest.mark.parametrize("ways", [(2,), (5,), (2, 5, 6), (3, 4), (1, 1, 1, 7)], ids=str)
def test_numbers_that_are_given_up_hold_nothing_up(
    ways: tuple[int, ...], tmp_path: Path
) -> None:
    """Traffic of drops alone, of punts alone, of both and what is left of copies,
    of packets that come with others, and of mostly long paths: more than the window
    of numbers."""
    load = load_of(tmp_path, 1, ways, packets=2 * PACKETS)
    out, stats = simulate(compiled(tmp_path), load, tmp_path)
    assert_packets_add_up(stats)
    assert stats["packets"]["received"] == 2 * PACKETS
    assert late(out)[1] == late(out, FROM_CORE)[1] == 0


def test_nothing_is_late_at_a_low_rate_either(tmp_path: Path) -> None:
    """What waits leaves when its turn comes, though no later message arrives."""
    load = load_of(tmp_path, 3)
    image = compiled(tmp_path)
    out, stats = simulate(image, load, tmp_path, "--rate=0.05")
    assert_all_leave(load, out, stats)
    assert late(out)[1] == 0
