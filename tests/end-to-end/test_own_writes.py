"""A packet sees what it has written itself and loses no update, on every engine."""

from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.runs import compile_app, run_on_x86, simulate
from testkit.workloads import Workload

OWN_WRITES = Path(__file__).parent / "Inputs/own_writes.baker"
RAISE, SET, SHOW = 1, 2, 3
PACKETS = 2000


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Mostly readers, so that `held` is worth caching, and a few writers."""
    folder = tmp_path_factory.mktemp("own")
    frames = []
    for number in range(PACKETS):
        kind = RAISE if number % 150 == 40 else SET if number % 500 == 7 else SHOW
        source = (1000 + number).to_bytes(6, "big")
        data = bytes(6) + source + kind.to_bytes(2, "big") + bytes(46)
        frames.append(Frame(1000 * number, number % 2, data))
    trace, control = folder / "trace.pcapng", folder / "control.txt"
    write_capture(trace, frames, 4)
    control.write_text("")
    return Workload(trace, control, "l3-switch")


def shown(out: Path) -> list[tuple[int, int]]:
    """The port and the number in each packet."""
    return sorted(
        (frame.port, int.from_bytes(frame.data[6:12], "big"))
        for frame in read_capture(out, 4).frames
    )


@pytest.mark.parametrize("level", ("base", "pac", "phr", "swc"))
def test_levels_agree_with_x86(level: str, load: Workload, tmp_path: Path) -> None:
    expected = shown(run_on_x86(OWN_WRITES, load, tmp_path)[0])
    assert len(expected) == PACKETS and expected[-1][1] > 1000
    image = compile_app(
        OWN_WRITES, tmp_path / "own.ixp", f"--level={level}", *load.profile(),
        "--max-error-rate=1", "--mes=1",
    )  # fmt: skip
    # One packet at a time: nothing but the order of accesses matters.
    out, _ = simulate(image, load, tmp_path, "--mes=1", "--rate=0.02")
    assert shown(out) == expected
