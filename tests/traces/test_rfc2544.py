"""The measurements of RFC 2544 on an image whose behaviour is known."""

import argparse
import json
from pathlib import Path

import pytest

from npftrace.runs import rfc2544
from npftrace.runs.rfc2544 import Bench, Trial

LINE_GBPS = 2.0


class KnownImage(Bench):
    """Forwards up to 1.23 Gbit/s, takes bursts of `burst` frames, and up to 50
    route changes in a trial."""

    def __init__(self, burst: int = 1000, limit_gbps: float = 1.23) -> None:
        super().__init__(argparse.Namespace(packets=4000, ports=4), Path())
        self.burst = burst
        self.limit_gbps = limit_gbps
        self.changes = 0
        self.rates: list[float] = []

    def make(self, size: int, updates: int = 0) -> None:
        self.changes = updates

    def trial(self, gbps: float, packets: int | None = None) -> Trial:
        self.rates.append(gbps)
        limit = 0.1 if self.changes > 50 else self.limit_gbps
        overflow = max(0, (packets or 0) - self.burst)
        return Trial(gbps, min(gbps, limit), 1.0, overflow, {"p50": 7})


@pytest.mark.parametrize(
    ("forwarded", "lost"), [(1.0, 0), (0.985, 0), (0.97, 0.03), (0.0, 1)]
)
def test_up_to_two_percent_is_no_loss(forwarded: float, lost: float) -> None:
    assert Trial(1.0, forwarded, 0, 0, {}).lost == pytest.approx(lost)


def test_throughput_is_the_highest_percent_of_the_line_rate_without_loss() -> None:
    # 62 % of 2 Gbit/s is 1.24, of which 1.23 leaves; of 63 % 2.4 % are lost.
    assert KnownImage().throughput(LINE_GBPS).offered_gbps == pytest.approx(1.24)


def test_throughput_without_loss_at_line_rate_takes_one_trial() -> None:
    image = KnownImage(limit_gbps=3)
    assert image.throughput(LINE_GBPS).offered_gbps == LINE_GBPS
    assert image.rates == [LINE_GBPS]


@pytest.mark.parametrize(
    ("burst", "found"), [(1000, 992), (0, 0), (1, 1), (16383, 16128), (16384, 16384)]
)
def test_a_burst_is_found_to_a_fiftieth(burst: int, found: int) -> None:
    assert KnownImage(burst).back_to_back(LINE_GBPS) == found


def test_loss_is_measured_until_two_rates_lose_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rfc2544, "line_rate", lambda size, ports: LINE_GBPS)
    result = KnownImage().size(64)
    assert [point["share"] for point in result.loss] == [1, 0.9, 0.8, 0.7, 0.6, 0.5]
    lost = [point["lost"] for point in result.loss]
    assert lost == pytest.approx([0.385, 0.316667, 0.23125, 0.121429, 0, 0], rel=1e-5)
    assert result.overload_gbps == 1.23
    assert result.back_to_back_frames == 992
    assert result.throughput_gbps == pytest.approx(1.24)


def test_latency_is_measured_at_shares_of_the_throughput() -> None:
    image = KnownImage(limit_gbps=100)
    result = image.size(64)
    # Four ports of 1 Gbit/s, 64 of every 84 bytes: 3.0476 Gbit/s.
    assert image.rates[:4] == pytest.approx([3.04762, 2.89524, 2.74286, 1.52381], 1e-5)
    assert [point["share"] for point in result.latency] == [1, 0.95, 0.9, 0.5]


def test_route_changes_rise_tenfold_until_frames_are_lost() -> None:
    # 4,000 frames of 64 bytes at 0.9 Gbit/s take 2.2756 ms; 10 changes are right.
    assert KnownImage().updates(64, 1.0) == pytest.approx(10 / 2.275556e-3, rel=1e-6)


def test_no_route_change_without_loss_is_a_rate_of_0() -> None:
    image = KnownImage(limit_gbps=0.5)
    assert image.updates(64, 1.0) == 0


def test_a_trial_reads_the_statistics_of_the_simulator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    stats = {
        "rate": {"forwarded_gbps": 1.5, "forwarded_mpps": 2.9},
        "packets": {"rx_overflow": 3},
        "latency_cycles": {"p50": 700},
    }

    def run(command: list[str]) -> None:
        commands.append(command)
        (tmp_path / "stats.json").write_text(json.dumps(stats))

    monkeypatch.setattr(rfc2544, "_run", run)
    args = argparse.Namespace(image="a.ixp", packets=4000, mes=3)
    found = Bench(args, tmp_path).trial(2.0, 500)
    assert found == Trial(2.0, 1.5, 2.9, 3, {"p50": 700})
    assert {"--rate=2.0000", "--packets=500", "--mes=3"} < set(commands[0])
    Bench(args, tmp_path).trial(2.0)
    assert "--packets=4000" in commands[1]
