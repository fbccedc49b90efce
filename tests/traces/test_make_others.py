"""`npftrace make ipv6`, `make l2` and `replay-rate`."""

import json
from pathlib import Path

import pytest

from npftrace.cli import main
from npftrace.frames.capture import read_capture
from npftrace.frames.wire import pad
from npftrace.oracle import make_oracle
from npftrace.tables.control import read_control

IPV6 = "--hop-limit .05 --bad-version .05 --bad-length .05 --no-route .05"
L2 = "--broadcast .05 --multicast .05 --unknown .05 --arp .05 --same-port .05"


@pytest.mark.parametrize(
    "kind, options",
    [
        ("ipv6", IPV6 + " --multicast .05"),
        ("ipv6", "--locality zipf --size 78-1518"),
        ("l2", L2),
    ],
)
def test_answers_agree_with_the_oracle(tmp_path: Path, kind: str, options: str) -> None:
    trace, control = tmp_path / "t.pcap", tmp_path / "c.txt"
    answers = tmp_path / "a.jsonl"
    files = ["--out", trace, "--control", control, "--answers", answers]
    command = ["make", kind, *map(str, files), "--packets", "1000", *options.split()]
    assert main(command) == 0
    oracle = make_oracle("l3-switch", read_control(control), 4, 0)
    lines = [json.loads(line) for line in answers.read_text().splitlines()]
    frames = read_capture(trace, 4).frames
    for index, (frame, answer) in enumerate(zip(frames, lines, strict=True)):
        (verdict,) = oracle.verdicts(index, frame.port, pad(frame.data))
        assert (verdict.kind, verdict.reason) == (
            answer["outcome"],
            answer.get("reason", ""),
        )
        assert [port for port, _ in verdict.outputs] == answer.get("out", [])


def test_too_many_shares(tmp_path: Path) -> None:
    files = ["--out", str(tmp_path / "t.pcap"), "--control", str(tmp_path / "c")]
    assert main(["make", "l2", *files, "--broadcast", "0.7", "--arp", "0.7"]) == 1


def test_a_rate_gives_the_times(tmp_path: Path) -> None:
    trace, timed = tmp_path / "t.pcap", tmp_path / "r.pcapng"
    control = str(tmp_path / "c.txt")
    main(["make", "l2", "--out", str(trace), "--control", control, "--packets", "9"])
    assert main(["replay-rate", str(trace), "--out", str(timed), "--rate", "0.5"]) == 0
    before, after = (read_capture(path, 4).frames for path in (trace, timed))
    assert [frame.data for frame in before] == [frame.data for frame in after]
    # 64 bytes at half a bit a nanosecond.
    assert [frame.time_ns for frame in after] == [1024 * i for i in range(9)]
    assert main(["replay-rate", str(trace), "--out", str(timed), "--rate", "0"]) == 2
