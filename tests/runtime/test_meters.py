"""The meters of the library against a model written from RFC 2697 and RFC 2698."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.runs import compile_text
from testkit.tools import read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

GREEN, YELLOW, RED = range(3)
TICKS_OF_SECOND = 37_500_000

PROGRAM = """
import net.ether;
import net.meters;
instance one = single_rate_meters(40);
instance two = two_rate_meters(40);
module m {
  control u32 by_one(u32 now, u8 i, u16 length, u8 incoming) {
    return one.judge(now, i, length, incoming);
  }
  control u32 by_two(u32 now, u8 i, u16 length, u8 incoming) {
    return two.judge(now, i, length, incoming);
  }
  // Time begins at 0.
  control int start() {
    for (u32 i = 0; i < 40; i++) { one.meters[i].last = 0; two.meters[i].last = 0; }
    return 0;
  }
  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(ether_pkt * ph) {
  u32 length = packet_length(ph);
  ph->type = (u16)(one.color(0, length) * 16 + two.color(39, length));
  channel_put(out_cc, ph);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("meters")
    return compile_text(PROGRAM, folder, [bytes(60)] * 3000)


class SingleRate:
    """RFC 2697, section 3, with exact tokens."""

    def __init__(self, cir: int, cbs: int, ebs: int) -> None:
        self.cir, self.cbs, self.ebs = cir, cbs, ebs
        self.committed, self.excess = Fraction(cbs), Fraction(ebs)

    def pass_time(self, seconds: Fraction) -> None:
        new = self.cir * seconds
        into = min(new, self.cbs - self.committed)
        self.committed += into
        self.excess = min(self.excess + new - into, Fraction(self.ebs))

    def color(self, length: int, incoming: int) -> int:
        if incoming == GREEN and self.committed >= length:
            self.committed -= length
            return GREEN
        if incoming != RED and self.excess >= length:
            self.excess -= length
            return YELLOW
        return RED

    def margin(self, length: int) -> Fraction:
        return min(abs(self.committed - length), abs(self.excess - length))


class TwoRate:
    """RFC 2698, section 3."""

    def __init__(self, cir: int, cbs: int, pir: int, pbs: int) -> None:
        self.cir, self.cbs, self.pir, self.pbs = cir, cbs, pir, pbs
        self.committed, self.peak = Fraction(cbs), Fraction(pbs)

    def pass_time(self, seconds: Fraction) -> None:
        self.committed = min(self.committed + self.cir * seconds, Fraction(self.cbs))
        self.peak = min(self.peak + self.pir * seconds, Fraction(self.pbs))

    def color(self, length: int, incoming: int) -> int:
        if incoming == RED or self.peak < length:
            return RED
        if incoming == YELLOW or self.committed < length:
            self.peak -= length
            return YELLOW
        self.peak -= length
        self.committed -= length
        return GREEN

    def margin(self, length: int) -> Fraction:
        return min(abs(self.committed - length), abs(self.peak - length))


def histories() -> tuple[list[str], list[int]]:
    """Random calls, and the colors of the model. Calls that hang on a hundredth of
    a byte are left out, for the program's rates are rounded."""
    rng = random.Random(21)
    lines, colors = [], []
    for i in range(36):
        cir, cbs, ebs = rng.randint(100_000, 10**8), rng.randint(1, 9000), 0
        ebs = rng.choice([0, rng.randint(1, 20_000)])
        pir, pbs = cir + rng.choice([0, rng.randint(1, 10**8)]), rng.randint(1, 9000)
        lines.append(f"one.set({i}, {cir}, {cbs}, {ebs})")
        lines.append(f"two.set({i}, {cir}, {cbs}, {pir}, {pbs})")
    lines.append("start()")
    lines_of_meters = [
        line.split("(")[1].rstrip(")").split(", ") for line in lines[:-1]
    ]
    meters = {
        int(i): [SingleRate(*map(int, a)), TwoRate(*map(int, b))]
        for (i, *a), (_, *b) in zip(
            lines_of_meters[::2], lines_of_meters[1::2], strict=True
        )
    }
    for i, pair in meters.items():
        now = 0
        for _ in range(12):
            passed = rng.choice([0, 1, rng.randint(1, 40_000), rng.randint(1, 10**7)])
            now += passed
            length, incoming = rng.randint(1, 1500), rng.choice([0, 0, 0, 1, 2])
            for name, meter in zip(("one", "two"), pair, strict=True):
                meter.pass_time(Fraction(passed, TICKS_OF_SECOND))
                if meter.margin(length) < Fraction(1, 100):
                    length += 1
                colors.append(meter.color(length, incoming))
                lines.append(f"by_{name}({now}, {i}, {length}, {incoming})")
    return lines, colors


@pytest.mark.parametrize("machine", ["x86", "chip"])
def test_colors_are_those_of_the_rfcs(
    machine: str, program: Path, tmp_path: Path
) -> None:
    control, stats = tmp_path / "c.txt", tmp_path / "s.json"
    lines, colors = histories()
    control.write_text("\n".join(lines) + "\n")
    trace = tmp_path / "one.pcap"
    write_pcap(trace, [bytes(60)])
    tool = (
        ("bakerc", program, "--run")
        if machine == "x86"
        else ("ixpsim", program.with_suffix(".ixp"), "--quiet")
    )
    run(*tool, f"--trace={trace}", f"--control={control}", f"--stats={stats}")
    given = [value["value"] for value in read_json(stats)["control"]["values"]]
    assert given == colors
    assert min(Counter(colors).values()) > 50, "all colors are given"


def test_engines_share_a_meter(program: Path, tmp_path: Path) -> None:
    """Packets on all contexts of six engines take no more than the tokens, and no
    token gets lost."""
    control, out, stats = tmp_path / "c.txt", tmp_path / "o.pcapng", tmp_path / "s.json"
    rate, burst, excess, peak_rate, peak_burst = (
        10_000_000,
        3000,
        6000,
        30_000_000,
        9000,
    )
    control.write_text(
        f"one.set(0, {rate}, {burst}, {excess})\n"
        f"two.set(39, {rate}, {burst}, {peak_rate}, {peak_burst})\n"
    )
    run(
        "ixpsim", program.with_suffix(".ixp"), "--quiet",
        f"--trace={program.with_suffix('.pcap')}", f"--control={control}",
        f"--out={out}", f"--stats={stats}",
    )  # fmt: skip
    seconds = read_json(stats)["seconds"]
    one: Counter[int] = Counter()
    two: Counter[int] = Counter()
    for (_, frame), count in read_pcapng(out).items():
        one[frame[13] >> 4] += 60 * count
        two[frame[13] & 15] += 60 * count
    assert sum(one.values()) == 3000 * 60
    # Frames come and go for a few microseconds at both ends.
    slack = 0.1
    for tokens, given in (
        (burst + rate * seconds, one[GREEN]),
        (burst + excess + rate * seconds, one[GREEN] + one[YELLOW]),
        (burst + rate * seconds, two[GREEN]),
        (peak_burst + peak_rate * seconds, two[GREEN] + two[YELLOW]),
    ):
        assert (1 - slack) * tokens - 60 <= given <= tokens + 60, (one, two, seconds)
    assert one[RED] and two[RED]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("one.set(40, 1, 1, 1)", "no meter of this number"),
        ("one.set(0, 1, 0, 0)", "one of the bursts"),
        ("two.set(0, 1, 0, 1, 1)", "both bursts"),
        ("two.set(0, 2, 1, 1, 1)", "not be below the committed rate"),
    ],
)
def test_what_is_no_meter(call: str, why: str, program: Path, tmp_path: Path) -> None:
    control = tmp_path / "c.txt"
    control.write_text(call + "\n")
    trace = f"--trace={program.with_suffix('.pcap')}"
    said = run("bakerc", program, "--run", trace, f"--control={control}", status=1)
    assert "c.txt:1" in said.stderr and why in said.stderr
