"""Random pipelines end, and each packet takes the path that it takes on x86."""

from collections import Counter
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.random_pipelines import random_pipeline
from testkit.runs import assert_packets_add_up, run_on_x86, simulate
from testkit.tools import run
from testkit.workloads import Workload

PORTS = 4
SEEDS = range(24)
LEVELS = ("base", "o1", "o2", "pac", "soar", "phr", "swc")
#: Each program at four levels, so that each level runs programs of all kinds.
AT_LEVELS = [
    (seed, LEVELS[(seed + shift) % len(LEVELS)]) for seed in SEEDS for shift in range(4)
]
PACKETS = 60
COLD_FAN = Path(__file__).parent / "Inputs/cold_fan.baker"


def load_of(folder: Path, packets: int) -> Workload:
    """Frames of different types, one port after another."""
    load = Workload(folder / "in.pcap", folder / "none.txt")
    load.control.touch()
    frames = [
        Frame(0, n % PORTS, bytes(12) + (n * 7).to_bytes(2, "big") + bytes(46))
        for n in range(packets)
    ]
    write_capture(load.trace, frames, PORTS)
    return load


def types_of(out: Path) -> Counter[bytes]:
    return Counter(frame.data[12:14] for frame in read_capture(out, PORTS).frames)


@pytest.mark.parametrize(("seed", "level"), AT_LEVELS)
def test_packets_leave_as_on_x86(seed: int, level: str, tmp_path: Path) -> None:
    """At a low rate: nothing is lost."""
    source = tmp_path / "random.baker"
    source.write_text(random_pipeline(seed))
    load = load_of(tmp_path, PACKETS)
    expected, _ = run_on_x86(source, load, tmp_path)
    image = tmp_path / "random.ixp"
    run("bakerc", source, f"--level={level}", "-o", image)
    out, stats = simulate(image, load, tmp_path, "--rate=0.005", "--mes=2")
    assert_packets_add_up(stats)
    assert types_of(out) == types_of(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chip_under_full_load_ends(seed: int, tmp_path: Path) -> None:
    """What full queues and rings refuse is counted, and nothing else is lost."""
    source = tmp_path / "random.baker"
    source.write_text(random_pipeline(seed))
    load = load_of(tmp_path, 20 * PACKETS)
    expected, _ = run_on_x86(source, load, tmp_path)
    image = tmp_path / "random.ixp"
    run("bakerc", source, "-o", image)
    out, stats = simulate(image, load, tmp_path)
    assert_packets_add_up(stats)
    missing = types_of(expected) - types_of(out)
    assert not types_of(out) - types_of(expected)
    refused = [
        n for name, n in stats["drops"].items() if name.startswith(("punt:", "ring:"))
    ]
    assert bool(missing) == bool(sum(refused) or stats["packets"]["rx_overflow"])


@pytest.mark.parametrize("level", LEVELS)
def test_a_core_that_makes_three_packets_of_one_ends(
    level: str, tmp_path: Path
) -> None:
    """Under full load: while the core puts packets on the ring to the engines, they
    put more on the ring to the core. What leaves are three equal packets each."""
    load = load_of(tmp_path, 20 * PACKETS)
    expected, _ = run_on_x86(COLD_FAN, load, tmp_path)
    assert set(types_of(expected).values()) == {3}
    image = tmp_path / "fan.ixp"
    run("bakerc", COLD_FAN, f"--level={level}", "-o", image)
    out, stats = simulate(image, load, tmp_path)
    assert_packets_add_up(stats)
    left = types_of(out)
    assert left
    assert set(left.values()) == {3}
    assert left <= types_of(expected)
    refused = stats["drops"]["punt:fan.first.out_cc"]
    assert len(left) + refused + stats["packets"]["rx_overflow"] == 20 * PACKETS
