"""The generators for firewall and MPLS: determinism, shares, and answers that
the oracles confirm."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from npftrace.cli import main
from npftrace.frames.capture import read_capture
from npftrace.make import firewall_frames, mpls
from npftrace.oracle import make_oracle
from npftrace.tables.control import read_control

SIZES = {
    "firewall": ["--packets", "2000", "--rules", "60"],
    "mpls": ["--packets", "2000", "--labels", "200", "--fecs", "300"],
}
KINDS = {"firewall": firewall_frames.PACKET_KINDS, "mpls": mpls.PACKET_KINDS}


def every_share(kind: str) -> list[str]:
    return [word for name in KINDS[kind] for word in (f"--{name}", "0.03")]


def make(folder: Path, kind: str, *options: str) -> Path:
    folder.mkdir(exist_ok=True)
    files = ["--out", folder / "t.pcap", "--control", folder / "c.txt"]
    files += ["--answers", folder / "a.jsonl"]
    assert main(["make", kind, *map(str, files), *SIZES[kind], *options]) == 0
    return folder


def answers_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "a.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def assert_oracle_agrees(folder: Path, app: str, ports: int = 4) -> None:
    oracle = make_oracle(app, read_control(folder / "c.txt"), ports, 0)
    frames = read_capture(folder / "t.pcap", ports).frames
    for index, (frame, answer) in enumerate(
        zip(frames, answers_of(folder), strict=True)
    ):
        (verdict,) = oracle.verdicts(index, frame.port, frame.data)
        told = (answer["outcome"], answer.get("reason", ""), answer.get("out", []))
        ports_out = [port for port, _ in verdict.outputs]
        assert (verdict.kind, verdict.reason, ports_out) == told, answer


@pytest.mark.parametrize("kind", SIZES)
def test_the_same_seed_gives_the_same_bytes(kind: str, tmp_path: Path) -> None:
    options = every_share(kind)
    one = make(tmp_path / "1", kind, *options, "--seed", "5")
    two = make(tmp_path / "2", kind, *options, "--seed", "5")
    three = make(tmp_path / "3", kind, *options, "--seed", "6")
    for name in ("t.pcap", "c.txt", "a.jsonl"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
        assert (one / name).read_bytes() != (three / name).read_bytes()


@pytest.mark.parametrize("locality", ["uniform", "zipf"])
@pytest.mark.parametrize("size", ["64", "64-1518"])
@pytest.mark.parametrize("kind", SIZES)
def test_answers_agree_with_the_oracle(
    kind: str, size: str, locality: str, tmp_path: Path
) -> None:
    options = [*every_share(kind), "--size", size, "--locality", locality]
    if kind == "mpls":
        options += ["--push", "2", "--depth", "4"]
    assert_oracle_agrees(make(tmp_path, kind, *options), kind)


def test_mpls_traffic_is_one_third_of_each_configuration(tmp_path: Path) -> None:
    answers = answers_of(make(tmp_path, "mpls"))
    outcomes = Counter(answer["outcome"] for answer in answers)
    assert outcomes == {"labelled": 1333, "routed": 667}
    frames = read_capture(tmp_path / "t.pcap", 4).frames
    types = Counter(frame.data[12:14] for frame in frames)
    assert types == {b"\x88\x47": 1334, b"\x08\x00": 666}
    assert {len(frame.data) for frame in frames} == {60}
    assert_oracle_agrees(tmp_path, "mpls")


def test_mpls_frames_have_the_stations_and_types_of_their_kind(tmp_path: Path) -> None:
    folder = make(tmp_path, "mpls", *every_share("mpls"))
    seen = set()
    frames = read_capture(folder / "t.pcap", 4).frames
    for frame, answer in zip(frames, answers_of(folder), strict=True):
        destination, source, ether_type = (
            frame.data[:6].hex(), frame.data[6:12].hex(), frame.data[12:14].hex()
        )  # fmt: skip
        # A host sends through each port.
        assert source == f"0a000001000{frame.port}"
        reason = answer.get("reason")
        if reason == "not_for_router":
            assert destination.startswith("0a000002")
        else:
            assert destination == f"02000000000{frame.port}"
        assert (ether_type == "0806") == (reason == "other_type")
        seen.add(ether_type)
    assert seen == {"0800", "0806", "8847"}


def test_shares_of_mpls_are_exact(tmp_path: Path) -> None:
    answers = answers_of(make(tmp_path, "mpls", *every_share("mpls")))
    drops = Counter(answer.get("reason") for answer in answers)
    assert drops["ttl_expired"] == 120 and drops["unknown_label"] == 60


@pytest.mark.parametrize("push", [1, 2, 3, 4])
def test_ingress_pushes_the_given_number_of_labels(push: int, tmp_path: Path) -> None:
    options = ["--transit", "0", "--egress", "0", "--push", str(push)]
    for answer in answers_of(make(tmp_path, "mpls", *options)):
        assert len(answer["pushed"]) == push


def test_a_twentieth_is_denied(tmp_path: Path) -> None:
    answers = answers_of(make(tmp_path, "firewall"))
    reasons = Counter(answer.get("reason", "passed") for answer in answers)
    assert reasons == {"passed": 1900, "flow_denied": 100}
    rules = {answer["rule"] for answer in answers}
    assert len(rules) > 20


@pytest.mark.parametrize("locality", ["uniform", "zipf"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_rules_of_ipv6_decide_as_those_of_ipv4(
    seed: int, locality: str, tmp_path: Path
) -> None:
    options = [*every_share("firewall"), "--seed", str(seed), "--locality", locality]
    four = make(tmp_path / "4", "firewall", *options)
    six = make(tmp_path / "6", "firewall", *options, "--ipv6", "--size", "86")
    assert (six / "a.jsonl").read_text() == (four / "a.jsonl").read_text()
    calls = Counter(call.function for call in read_control(six / "c.txt"))
    assert calls["rule6_add"] == 60 and "rule_add" not in calls
    assert_oracle_agrees(six, "firewall")


def test_kinds_of_ipv6_packets_are_those_of_its_headers(tmp_path: Path) -> None:
    options = [*every_share("firewall"), "--ipv6"]
    folder = make(tmp_path, "firewall", *options)
    types: Counter[str] = Counter()
    extensions: Counter[int] = Counter()
    for frame in read_capture(folder / "t.pcap", 4).frames:
        types[frame.data[12:14].hex()] += 1
        if frame.data[12:14].hex() == "86dd":
            extensions[frame.data[20]] += 1
            assert len(frame.data) >= 82
    assert types == {"86dd": 1880, "0806": 60, "809b": 60}
    # Options; fragments after the first, and those at offset 1.
    assert (extensions[60], extensions[44]) == (60, 120)


@pytest.mark.parametrize(
    ("kind", "options", "error"),
    [
        ("mpls", ["--transit", "0.9"], "E-traces-110"),
        ("mpls", ["--depth", "16", "--transit", "0.5"], "E-traces-113"),
        ("firewall", ["--denied", "0.9", "--arp", "0.2"], "E-traces-110"),
        ("firewall", ["--rules", "1"], "E-traces-112"),
    ],
)
def test_impossible_traffic_is_refused(
    kind: str,
    options: list[str],
    error: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = ["--out", str(tmp_path / "t.pcap"), "--control", str(tmp_path / "c")]
    assert main(["make", kind, *files, *SIZES[kind], *options]) == 1
    assert error in capsys.readouterr().err
    assert not list(tmp_path.glob("t.pcap*"))
