"""The generator: determinism, shares, and answers that the oracle confirms."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from npftrace.cli import main
from npftrace.frames.capture import Frame, read_capture
from npftrace.frames.wire import checksum
from npftrace.make.ipv4 import PACKET_KINDS
from npftrace.oracle import make_oracle
from npftrace.tables.control import read_control

ALL_SHARES = [word for name in PACKET_KINDS for word in (f"--{name}", "0.03")]


class Made:
    """The files of a run of the generator."""

    def __init__(self, folder: Path, *options: str, name: str = "t.pcap") -> None:
        folder.mkdir(exist_ok=True)
        self.trace, self.control = folder / name, folder / "c.txt"
        self.answers = folder / "a.jsonl"
        files = ["--out", self.trace, "--control", self.control]
        files += ["--answers", self.answers]
        assert main(["make", "ipv4", *map(str, files), *options]) == 0

    def bytes(self) -> list[bytes]:
        return [f.read_bytes() for f in (self.trace, self.control, self.answers)]

    def frames(self, ports: int = 4) -> list[Frame]:
        return read_capture(self.trace, ports).frames

    def answer_list(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.answers.read_text().splitlines()]


SMALL = ["--packets", "3000", "--routes", "500"]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    one = Made(tmp_path / "1", *SMALL, *ALL_SHARES, "--seed", "5").bytes()
    two = Made(tmp_path / "2", *SMALL, *ALL_SHARES, "--seed", "5").bytes()
    three = Made(tmp_path / "3", *SMALL, *ALL_SHARES, "--seed", "6").bytes()
    assert one == two
    assert all(a != b for a, b in zip(one, three, strict=True))


def test_plain_traffic_is_all_routed(tmp_path: Path) -> None:
    made = Made(tmp_path, *SMALL)
    assert {answer["outcome"] for answer in made.answer_list()} == {"routed"}
    ports = Counter(answer["out"][0] for answer in made.answer_list())
    assert set(ports) == {0, 1, 2, 3}
    frames = made.frames()
    assert {len(frame.data) for frame in frames} == {60}
    assert len({frame.data for frame in frames}) == 3000
    assert all(checksum(frame.data[14:34]) == 0 for frame in frames)
    assert [int.from_bytes(f.data[42:50], "big") for f in frames] == [*range(3000)]


def test_shares_are_exact(tmp_path: Path) -> None:
    answers = Made(tmp_path, *SMALL, *ALL_SHARES).answer_list()
    outcomes = Counter(a.get("reason", a["outcome"]) for a in answers)
    expected = Counter({"routed": 3000 - 90 * len(PACKET_KINDS)})
    for kind in PACKET_KINDS.values():
        expected[kind.outcome] += 90
    assert outcomes == expected


@pytest.mark.parametrize("ports", [2, 4, 7])
@pytest.mark.parametrize("extra", [[], ["--default-route", "--no-route", "0"]])
def test_answers_agree_with_the_oracle(
    tmp_path: Path, ports: int, extra: list[str]
) -> None:
    options = [*SMALL, *ALL_SHARES, "--size", "64-1518", "--ports", str(ports)]
    made = Made(tmp_path, *options, *extra)
    oracle = make_oracle("l3-switch", read_control(made.control), ports, 0)
    for index, (frame, answer) in enumerate(
        zip(made.frames(ports), made.answer_list(), strict=True)
    ):
        assert answer["packet"] == index and answer["port"] == frame.port
        (verdict,) = oracle.verdicts(index, frame.port, frame.data)
        assert verdict.kind == answer["outcome"]
        assert verdict.reason == answer.get("reason", "")
        assert [port for port, _ in verdict.outputs] == answer.get("out", [])
        if verdict.kind == "routed":
            out = verdict.outputs[0][1]
            assert out[0:6].hex(":") == answer["dst"]
            assert out[6:12].hex(":") == answer["src"]
            assert out[22] == answer["ttl"]


def test_updates_change_the_answers(tmp_path: Path) -> None:
    made = Made(tmp_path, *SMALL, "--updates", "400")
    calls = read_control(made.control)
    assert sum(call.unit == "packet" for call in calls) == 400
    oracle = make_oracle("l3-switch", calls, 4, 0)
    for index, (frame, answer) in enumerate(
        zip(made.frames(), made.answer_list(), strict=True)
    ):
        (verdict,) = oracle.verdicts(index, frame.port, frame.data)
        assert verdict.outputs[0][0] == answer["out"][0]
        assert verdict.outputs[0][1][0:6].hex(":") == answer["dst"]


def test_pcapng_holds_the_same_frames(tmp_path: Path) -> None:
    options = [*SMALL, "--size", "imix"]
    plain = Made(tmp_path / "1", *options)
    ng = Made(tmp_path / "2", *options, name="t.pcapng")
    assert read_capture(ng.trace, 4).has_ports
    assert plain.frames() == ng.frames()
    sizes = Counter(len(frame.data) + 4 for frame in plain.frames())
    assert set(sizes) == {64, 594, 1518}
    assert sizes[64] > sizes[594] > sizes[1518] > 100


def test_frames_arrive_at_line_rate(tmp_path: Path) -> None:
    frames = Made(tmp_path, *SMALL).frames()
    for index, frame in enumerate(frames):
        assert frame.time_ns == index // 4 * 672  # 84 bytes at 1 Gbit/s


def test_zipf_has_few_flows(tmp_path: Path) -> None:
    uniform = Made(tmp_path / "1", *SMALL).frames()
    zipf = Made(tmp_path / "2", *SMALL, "--locality", "zipf").frames()
    popular = Counter(frame.data[30:34] for frame in zipf).most_common(1)[0][1]
    # 1/H(65536) of the packets go to the most popular destination.
    assert 0.05 < popular / len(zipf) < 0.13
    assert Counter(f.data[30:34] for f in uniform).most_common(1)[0][1] < 30


def test_a_million_packets_would_take_less_than_20_s(tmp_path: Path) -> None:
    files = [str(tmp_path / "t.pcap"), "--control", str(tmp_path / "c.txt")]
    begin = time.process_time()
    assert main(["make", "ipv4", "--out", *files, "--packets", "200000"]) == 0
    assert time.process_time() - begin < 20 / 5


@pytest.mark.parametrize(
    "options",
    [
        ["--bridged", "0.6", "--arp", "0.6"],
        ["--default-route", "--no-route", "0.1"],
    ],
)
def test_impossible_traffic_is_refused(
    tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--out", str(tmp_path / "t.pcap"), "--control", str(tmp_path / "c")]
    assert main(["make", "ipv4", *files, *options]) == 1
    assert "E-traces-11" in capsys.readouterr().err
    assert not list(tmp_path.glob("t.pcap*"))


@pytest.mark.parametrize(
    "options", [["--bridged", "1.5"], ["--size", "63"], ["--size", "x"], ["--ports=1"]]
)
def test_wrong_options_are_usage_errors(tmp_path: Path, options: list[str]) -> None:
    files = ["--out", str(tmp_path / "t.pcap"), "--control", str(tmp_path / "c")]
    with pytest.raises(SystemExit) as status:
        main(["make", "ipv4", *files, *options])
    assert status.value.code == 2
