"""The oracles against the packet tests, whose frames are written by hand."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from npftrace.check.comparison import Input, judge
from npftrace.errors import InputError
from npftrace.oracle import APPS, make_oracle
from npftrace.runs.packet_file import PacketTest, read_test
from npftrace.runs.packet_tests import control_file
from npftrace.tables.control import read_control
from testkit.paths import ROOT

PORTS = 4
#: Tests of one-packet times, where an oracle gives packets and ticks a window.
INEXACT = ("bridge-forgets", "stateful-forgets", "ipv6-stateful-forgets")
TESTS = sorted(
    path
    for app in APPS
    for path in (ROOT / "tests/packets" / app).glob("*.packets")
    if path.stem not in INEXACT
)
Frames = Counter[tuple[int, bytes]]
#: Reasons of copies from which a program learns, which no oracle knows.
COPIES = ("learned", "noted")


def judged(test: PacketTest, app: str, folder: Path) -> list[Input]:
    """The frames of a test with the verdicts of the application's oracle."""
    path = folder / "control.txt"
    path.write_text(control_file(test, by_packet=True))
    oracle = make_oracle(app, read_control(path), PORTS, window=0)
    return judge(oracle, test.sent, len(test.sent))


def explains(inputs: Sequence[Input], expected: Frames, drops: Counter[str]) -> bool:
    """Whether each input has a verdict so that the frames and the drops are those
    expected."""
    if not inputs:
        return not expected and not drops
    for verdict in inputs[0].verdicts:
        sent = Counter(verdict.outputs)
        dropped = Counter(verdict.copies)
        if verdict.kind == "dropped" and verdict.reason:
            dropped[verdict.reason] += 1
        fits = sent <= expected and dropped <= drops
        if fits and explains(inputs[1:], expected - sent, drops - dropped):
            return True
    return False


@pytest.mark.parametrize(
    "path", TESTS, ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_packets(path: Path, tmp_path: Path) -> None:
    test = read_test(path)
    try:
        inputs = judged(test, path.parent.name, tmp_path)
    except InputError as error:
        if "only before packets flow" not in str(error):
            raise
        pytest.skip(f"the oracle has no such updates: {error}")
    expected = Counter((frame.port, frame.data) for frame in test.expected)
    drops = Counter({r: n for r, n in test.drops.items() if r not in COPIES})
    assert explains(inputs, expected, drops)
