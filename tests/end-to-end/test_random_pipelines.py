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
PACKETS = 60


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


@pytest.mark.parametrize("level", ("base", "o2", "pac", "swc"))
@pytest.mark.parametrize("seed", SEEDS)
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
