"""Firewall: x86, microcode at each level, and the oracle agree on every packet."""

import gzip
import json
from itertools import accumulate
from pathlib import Path

import pytest

from npftrace.frames.capture import read_capture, write_capture
from testkit.applications import FIREWALL, LEVELS
from testkit.runs import (
    assert_packets_add_up,
    check_packets,
    compile_levels,
    refusal,
    run_on_x86,
    simulate,
)
from testkit.workloads import Workload, captured_workload, make_workload

PACKETS = 5000
EXCEPTIONS = (
    " --unmatched 0.02 --fragments 0.05 --options 0.05 --arp 0.01 --not-ipv4 0.01"
    " --bad-header 0.02 --tiny-fragment 0.01 --short-transport 0.02"
)
# DRAM accesses of a packet at o1.
PACKET_DRAM = 11
RULE_COUNTS = (10, 100, 1000, 10000)


@pytest.fixture(scope="module")
def loads(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Workload]:
    """By number of rules: matched, denied and unmatched packets, every exception."""
    return {
        count: make_workload(
            "firewall",
            tmp_path_factory.mktemp(f"firewall-{count}"),
            *f"--seed 31 --packets {PACKETS} --rules {count}{EXCEPTIONS}".split(),
        )
        for count in RULE_COUNTS
    }


@pytest.fixture(scope="module")
def firewall_images(
    tmp_path_factory: pytest.TempPathFactory, loads: dict[int, Workload]
) -> dict[str, Path]:
    """The program at each level; all sets of rules use the same image."""
    folder = tmp_path_factory.mktemp("firewall-images")
    return compile_levels(FIREWALL, loads[100], folder)


@pytest.mark.parametrize("rules", RULE_COUNTS)
def test_x86_agrees_with_the_oracle(
    rules: int, loads: dict[int, Workload], tmp_path: Path
) -> None:
    out, stats = run_on_x86(FIREWALL, loads[rules], tmp_path)
    check_packets(loads[rules], out, tmp_path / "x86.json")
    assert_packets_add_up(stats)


@pytest.mark.parametrize("engines", (1, 3, 6))
@pytest.mark.parametrize("level", LEVELS)
def test_microcode_agrees_with_the_oracle(
    level: str,
    engines: int,
    firewall_images: dict[str, Path],
    loads: dict[int, Workload],
    tmp_path: Path,
) -> None:
    out, stats = simulate(
        firewall_images[level], loads[100], tmp_path, f"--mes={engines}"
    )
    check_packets(loads[100], out, tmp_path / "stats.json")
    assert_packets_add_up(stats)
    assert stats["packets"]["received"] == PACKETS


@pytest.mark.parametrize("rules", RULE_COUNTS)
def test_each_set_of_rules(
    rules: int,
    firewall_images: dict[str, Path],
    loads: dict[int, Workload],
    tmp_path: Path,
) -> None:
    out, stats = simulate(firewall_images["o1"], loads[rules], tmp_path)
    check_packets(loads[rules], out, tmp_path / "stats.json")
    # The bounds that lookup.baker states, with the action and the output port; and
    # a packet's head.
    counts = stats["per_packet"]
    assert counts["application"]["sram"] <= 14
    assert counts["packet"]["dram"] <= (0 if rules <= 100 else 7) + PACKET_DRAM


@pytest.mark.parametrize("name", ["fw1_1k", "acl1_1k", "ipc1_1k", "acl1_10k"])
def test_classbench_sets(
    name: str, firewall_images: dict[str, Path], test_data: Path, tmp_path: Path
) -> None:
    rules = test_data / f"rules/{name}.gz"
    options = ["--rule-file", str(rules), "--packets", "3000", "--fragments", "0.05"]
    load = make_workload("firewall", tmp_path, *options)
    count = len(gzip.decompress(rules.read_bytes()).splitlines())
    assert load.control.read_text().count("rule_add") == count
    out, _ = simulate(firewall_images["o1"], load, tmp_path)
    check_packets(load, out, tmp_path / "stats.json")


def test_actions_change_while_packets_flow(
    firewall_images: dict[str, Path], loads: dict[int, Workload], tmp_path: Path
) -> None:
    lines = loads[100].control.read_text().splitlines()
    lines += [
        f"@packet {1 + 40 * n} flow_action({n}, {n % 3 // 2 ^ 1})" for n in range(100)
    ]
    lines += ["@packet 2000 default_action(1)", "@packet 2500 other_action(0)"]
    control = tmp_path / "control.txt"
    control.write_text("\n".join(lines) + "\n")
    load = Workload(loads[100].trace, control, "firewall")
    out, _ = simulate(firewall_images["o1"], load, tmp_path)
    check_packets(load, out)


def reversed_frame(data: bytes) -> bytes:
    """The frame of an answer, with the same checksums."""
    at = 14 + 4 * (data[14] & 15)
    ends = data[30:34] + data[26:30] + data[34:at] + data[at + 2 : at + 4]
    return data[:26] + ends + data[at : at + 2] + data[at + 4 :]


@pytest.mark.parametrize("engine", ["x86", "base", "swc"])
def test_answers_pass_in_stateful_mode(
    engine: str,
    firewall_images: dict[str, Path],
    loads: dict[int, Workload],
    tmp_path: Path,
) -> None:
    """Every packet is followed by an answer, soon or late."""
    frames = read_capture(loads[100].trace, 4).frames[:1500]
    answers = [
        frame._replace(port=frame.port ^ 1, data=reversed_frame(frame.data))
        for frame in frames
    ]
    load = Workload(tmp_path / "t.pcapng", tmp_path / "c.txt", "firewall")
    write_capture(load.trace, frames + answers + frames + answers, 4)
    control = loads[100].control.read_text()
    lines = ["default_action(1)", "stateful(1)", "@packet 4000 connection_tick()"]
    load.control.write_text("\n".join([control, *lines, ""]))
    if engine == "x86":
        out, _ = run_on_x86(FIREWALL, load, tmp_path)
        check_packets(load, out, tmp_path / "x86.json", window=0)
    else:
        # The core notes a connection in less time than its next packet takes to come.
        out, stats = simulate(firewall_images[engine], load, tmp_path, "--rate=0.1")
        check_packets(load, out, window=512)
        assert stats["drops"]["noted"] > 100


def test_without_rules_the_default_decides(
    firewall_images: dict[str, Path], loads: dict[int, Workload], tmp_path: Path
) -> None:
    for action in (0, 1):
        control = tmp_path / "control.txt"
        control.write_text(
            f"port_pair(0, 2)\nport_pair(1, 3)\ndefault_action({action})\n"
        )
        load = Workload(loads[10].trace, control, "firewall")
        out, _ = simulate(firewall_images["o1"], load, tmp_path)
        check_packets(load, out, tmp_path / "stats.json")


def test_real_captures(
    firewall_images: dict[str, Path], test_data: Path, tmp_path: Path
) -> None:
    load = captured_workload("firewall", test_data, tmp_path)
    out, _ = run_on_x86(FIREWALL, load, tmp_path)
    check_packets(load, out, tmp_path / "x86.json")
    out, _ = simulate(firewall_images["o1"], load, tmp_path)
    check_packets(load, out, tmp_path / "stats.json")


RULE = "rule_add({flow}, 10.0.0.0, {src}, 10.0.0.0, 8, {low}, 9, 0, 9, {p}, 0, 0, 0, 0)"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"flow": 1024}, "there are flows 0 to 1023"),
        ({"src": 33}, "a prefix has at most 32 bits"),
        ({"low": 10}, "a range of ports ends before it begins"),
        ({"p": 257}, "a protocol is 0 to 255, or 256 for any"),
    ],
)
def test_wrong_rules_are_refused(
    fields: dict[str, int], words: str, loads: dict[int, Workload], tmp_path: Path
) -> None:
    call = RULE.format(**{"flow": 0, "src": 8, "low": 0, "p": 6} | fields)
    assert f"rule_add' refused the call: {words}" in refusal(
        FIREWALL, loads[10].trace, call, tmp_path
    )


def test_too_many_rules_are_refused(loads: dict[int, Workload], tmp_path: Path) -> None:
    call = RULE.format(flow=0, src=8, low=0, p=6)
    said = refusal(FIREWALL, loads[10].trace, "\n".join([call] * 10241), tmp_path)
    assert "control.txt:10241" in said
    assert "rule_add' refused the call: there are 10240 rules, the most" in said


def test_frames_overtake_in_the_program_alone(
    firewall_images: dict[str, Path], tmp_path: Path
) -> None:
    """Rx numbers packets, and rings and Rx keep their order: what is late is so when
    a context puts it towards Tx, which puts it back in order."""
    options = "--seed 9 --packets 1000 --size 64 --locality zipf --flows 8 --denied 0"
    load = make_workload("firewall", tmp_path, *options.split())
    timeline = tmp_path / "timeline.json"
    wanted = (f"--timeline={timeline}", "--mes=2")
    out, _ = simulate(firewall_images["swc"], load, tmp_path, *wanted)
    check_packets(load, out, order="port")
    moments: dict[str, list[int]] = {}
    for event in json.loads(timeline.read_text())["traceEvents"]:
        if event.get("cat") == "packet" and event["ph"] == "n":
            moments.setdefault(event["name"], []).append(event["id"])

    def late(moment: str) -> int:
        numbers = moments[moment]
        assert len(numbers) == 1000
        newest = accumulate(numbers, max)
        return sum(a < b for a, b in zip(numbers, newest, strict=True))

    assert late("put into ring 0") == late("got from ring 0") == 0
    assert late("put into ring 1") == late("got from ring 1") > 0
