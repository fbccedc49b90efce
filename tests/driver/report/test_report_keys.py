"""What the report and the manifest of a small program say, key by key.

Three of four packets reach the second PPF, which loops 200 times over nine
instructions. It has three engines, so they are the limit.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from testkit.captures import write_pcap
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

INPUTS = Path(__file__).parent / "Inputs"
#: Engine cycles a second, and what a prediction may be too high by.
CLOCK, MODEL_ERROR = 600e6, 0.15
PORTS_MPPS = 4e9 / (8 * 84) / 1e6
Json = dict[str, Any]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    trace, image = folder / "t.pcap", folder / "keys.ixp"
    types = (7, 3, 3, 3)
    heads = [bytes(12) + struct.pack(">H", types[n % 4]) for n in range(40)]
    write_pcap(trace, [head + bytes(46) for head in heads])
    run(
        "bakerc", INPUTS / "keys.baker", f"--mapping={INPUTS / 'keys.mapping'}",
        f"--profile-trace={trace}", "--wcet", "--punt-rate=none", "-o", image,
        f"--report={folder / 'report.json'}",
    )  # fmt: skip
    return image


@pytest.fixture(scope="module")
def report(image: Path) -> Json:
    found: Json = read_json(image.parent / "report.json")
    return found


@pytest.fixture(scope="module")
def manifest(image: Path) -> Json:
    found: Json = json.loads(output_of("ixpsim", "--describe=json", image))
    return found


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """The report of a program without a profile and a mapping file."""
    folder = tmp_path_factory.mktemp("plain")
    source = INPUTS.parent.parent / "Inputs/small.baker"
    path = folder / "r.json"
    run("bakerc", source, "--level=o1", "-o", folder / "a.ixp", f"--report={path}")
    found: Json = read_json(path)
    return found


def pick(values: list[Json], *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(value[key] for key in keys) for value in values]


def gbps(mpps: float) -> float:
    return mpps * 64 * 8 / 1000


def test_a_report_names_its_program(report: Json, plain: Json) -> None:
    assert (report["schema"], report["program"]) == (1, "keys")
    assert (report["target"], report["level"]) == ("ixp2400", "swc")
    assert (plain["program"], plain["level"]) == ("small", "o1")
    assert not {"mapping", "promised"} & set(plain)
    assert not any("worst_case" in each for each in plain["aggregates"])


def test_aggregates_of_a_report(report: Json) -> None:
    front, back = report["aggregates"]
    assert (front["name"], front["ppfs"], front["engines"]) == (
        "front", ["m.a.in_cc"], [1, 2],
    )  # fmt: skip
    assert (back["name"], back["ppfs"], back["engines"]) == (
        "back", ["m.b.in_cc"], [3, 4, 5],
    )  # fmt: skip
    for aggregate in (front, back):
        words = [function["words"] for function in aggregate["functions"]]
        assert sum(words) == aggregate["words"] == aggregate["statistics"]["words"]
        assert min(words) > 0 and aggregate["words_available"] == 4096
    # Only the first drops packets, by a function of the runtime.
    assert pick(front["functions"], "name", "runtime") == [
        ("me_main", False), ("baker_packet_drop", True),
    ]  # fmt: skip
    assert pick(back["functions"], "name", "runtime") == [("me_main", False)]


def test_stages_of_the_model(report: Json) -> None:
    front, back = (each["model"] for each in report["aggregates"])
    assert (front["messages_per_packet"], back["messages_per_packet"]) == (1, 0.75)
    assert (front["contexts"], back["contexts"]) == (0, 4)
    assert 1800 < back["issue_cycles"] < 1850
    assert back["issue_cycles"] > 20 * front["issue_cycles"] > 0
    assert back["sent"] == pytest.approx(1, abs=1e-4)
    assert back["sent_without_head"] == front["locked_cycles"] == 0
    # The loop is one segment, and the sum of squares that of its cycles.
    assert back["segment_squares"] == pytest.approx(1804**2, rel=0.01)
    # One atomic command of scratch, and the ring to Tx, in each message.
    assert back["unit_commands"]["hash"] == back["unit_commands"]["sram1_read"] == 0
    for stage in (front, back):
        assert set(stage["unit_cycles"]) == set(stage["unit_squares"])
        for unit, commands in stage["unit_commands"].items():
            assert (stage["unit_cycles"][unit] > 0) == (commands > 0)
            # Squares are the least where all commands are as long.
            if commands:
                least = stage["unit_cycles"][unit] ** 2 / commands
                assert stage["unit_squares"][unit] >= least * (1 - 1e-6)


def test_utilizations_are_those_at_the_predicted_rate(report: Json) -> None:
    per_cycle = report["predicted"]["mpps"] * 1e6 / CLOCK
    busy = dict.fromkeys(report["predicted"]["unit_utilization"], 0.0)
    for aggregate in report["aggregates"]:
        stage = aggregate["model"]
        share = per_cycle * stage["messages_per_packet"]
        cycles = stage["issue_cycles"] / len(aggregate["engines"])
        assert stage["utilization"] == pytest.approx(share * cycles)
        for unit, each in stage["unit_cycles"].items():
            busy[unit] += share * each
    for unit, utilization in report["predicted"]["unit_utilization"].items():
        # Rx and Tx use memories, too.
        assert busy[unit] <= utilization <= 1
    assert report["predicted"]["unit_utilization"]["hash"] == 0
    assert report["predicted"]["unit_utilization"]["dram"] > busy["dram"] > 0


def test_rates_on_fewer_engines(report: Json) -> None:
    predicted = report["predicted"]
    rows = predicted["by_engines"]
    assert predicted["engines"] == 5 and predicted["frame_bytes"] == 64
    assert [row["engines"] for row in rows] == [2, 3, 4, 5]
    last = {key: predicted[key] for key in ("engines", "mpps", "gbps", "bottleneck")}
    assert rows[-1] == last
    issue = report["aggregates"][1]["model"]["issue_cycles"]
    # Engines are added to the first aggregate, then to the second.
    for row, engines in zip(rows, (1, 1, 2, 3), strict=True):
        assert row["bottleneck"] == "engines of back"
        bound = engines * CLOCK / (0.75 * issue) / 1e6
        assert row["mpps"] == pytest.approx(bound, rel=0.01)
        assert row["gbps"] == pytest.approx(gbps(row["mpps"]))


def test_what_a_mapping_file_costs(report: Json) -> None:
    cost = report["mapping"]
    assert Path(cost["file"]).name == "keys.mapping"
    assert cost["mpps"] == report["predicted"]["mpps"]
    assert cost["chosen"]["aggregates"] == [
        {"name": "main", "engines": [1, 2, 3, 4, 5, 6]}
    ]
    assert cost["chosen"]["bottleneck"] == "engines of main"
    assert cost["lost"] == pytest.approx(1 - cost["mpps"] / cost["chosen"]["mpps"])
    assert 0.45 < cost["lost"] < 0.55


def test_the_worst_case_and_the_promise(report: Json) -> None:
    promised = report["promised"]
    forward, drop = promised["classes"]
    worst = [each["worst_case"] for each in report["aggregates"]]
    assert pick(forward["aggregates"], "name", "messages") == [
        ("front", 1),
        ("back", 1),
    ]
    assert pick(drop["aggregates"], "name", "messages") == [("front", 1)]
    assert (forward["kind"], forward["name"]) == ("forward", "a.out_cc > b.out_cc")
    assert (drop["kind"], drop["name"]) == ("drop", "unspecified in front")
    # The worst case of an aggregate is that of its slowest class.
    assert worst[0] == {k: drop["aggregates"][0][k] for k in worst[0]}
    assert worst[1] == {k: forward["aggregates"][1][k] for k in worst[1]}
    assert (
        drop["aggregates"][0]["issue_cycles"] > forward["aggregates"][0]["issue_cycles"]
    )
    bound = 3 * CLOCK / worst[1]["issue_cycles"] / 1e6 * (1 - MODEL_ERROR)
    assert forward["mpps"] == pytest.approx(bound, rel=0.005)
    assert drop["mpps"] == pytest.approx(PORTS_MPPS * (1 - MODEL_ERROR))
    assert (forward["bottleneck"], drop["bottleneck"]) == ("engines of back", "ports")
    for each in (forward, drop):
        assert each["gbps"] == pytest.approx(gbps(each["mpps"]))
        assert each["bytes_added"] == each["packets_per_second_max"] == 0
    assert promised["class"] == 0
    for key in ("mpps", "gbps", "bottleneck"):
        assert promised[key] == forward[key]
    assert promised["gbps_beside_punts"] == promised["gbps"]
    assert promised["punt_share"] == promised["punts_per_second"] == 0
    assert promised["frame_bytes"] == 64


def test_memory_decisions_and_profile(report: Json, plain: Json) -> None:
    assert pick(report["memory"], "global", "memory", "bytes") == [
        ("m.seen", "scratch", 64), ("m.total", "scratch", 4),
    ]  # fmt: skip
    seen, total = report["memory"]
    assert total["address"] == seen["address"] + 64
    assert seen["reason"] == "0.75 accesses per packet of 1.00 words, 64 bytes"
    decisions = pick(report["decisions"], "subject", "kind", "decision", "reason")
    assert [d[:3] for d in decisions if d[1] in ("core", "channel")] == [
        ("m.a.in_cc", "core", "me"), ("m.b.in_cc", "core", "me"),
        ("rx", "channel", "ring 0"), ("m.a.out_cc", "channel", "ring 4"),
        ("m.b.out_cc", "channel", "ring 1"),
    ]  # fmt: skip
    steps = [d for d in decisions if d[1] == "aggregation"]
    refused = "not merged: the mapping file keeps them apart"
    assert ("m.a and m.b", "aggregation", "refuse", refused) in steps
    slow = [step[3] for step in steps if step[2] == "duplicate"]
    assert [text.rpartition("; ")[2] for text in slow[:1]] == ["now on 2 engines"]
    assert ("@m.seen in scratch", seen["reason"]) in {d[2:] for d in decisions}
    # What has no reason is a decision alone.
    assert any(
        d[1:] == ("pac", "16 bytes written by one command", "") for d in decisions
    )
    packets = report["profile_packets"]
    assert packets == {"m.a.in_cc": 40, "m.b.in_cc": 30, "m.reset": 0}
    assert plain["profile_packets"] == {}
    assert report["xscale"]["ppfs"] == [] and report["xscale"]["bytes"] > 0


def test_engines_of_a_manifest(manifest: Json) -> None:
    roles = [("rx", "rx", 0), *(("app", "front", n) for n in (1, 2))]
    roles += [*(("app", "back", n) for n in (3, 4, 5)), ("tx", "tx", 7)]
    assert pick(manifest["engines"], "role", "ucode", "engine") == roles
    for engine in manifest["engines"]:
        assert engine.get("aggregate") == (
            engine["ucode"] if engine["role"] == "app" else None
        )
    front, back = manifest["aggregates"]
    assert (front["name"], front["ucode"], front["engines"]) == ("front",) * 2 + (
        [1, 2],
    )
    assert "contexts" not in front and back["contexts"] == 4
    # The loader may choose next-neighbour rings between them.
    assert front["variants"] == [{"takes": False, "puts": True, "ucode": "front.puts"}]
    assert back["variants"] == [{"takes": True, "puts": False, "ucode": "back.takes"}]


def test_memory_of_a_manifest(manifest: Json, report: Json) -> None:
    assert manifest["format"] == "karakal-image" and manifest["version"] == 1
    assert (manifest["program"], manifest["level"]) == ("keys", "swc")
    assert pick(manifest["globals"], "name", "type", "bytes", "address") == [
        (name, kind, m["bytes"], m["address"])
        for (name, kind), m in zip(
            (("m.seen", "u32[16]"), ("m.total", "u32")), report["memory"], strict=True
        )
    ]
    assert manifest["metadata"] == [{"name": "sum", "word": 0, "words": 1}]
    assert manifest["sram_size"] == 4 << 20
    assert manifest["drop_reasons"] == ["unspecified", "truncated", "no_port"]
    for key in ("caches", "cache_lines", "lookup_caches", "lock_functions", "tables"):
        assert manifest[key] == [], key
    assert not {"stop_word", "hash"} & set(manifest)
    assert manifest["sram_rings"] == []


def test_control_functions_of_a_manifest(manifest: Json) -> None:
    xscale = manifest["xscale"]
    (reset,) = xscale["control"]
    assert reset["name"] == "m.reset" and reset["returns"] == "s32"
    assert reset["params"] == [{"name": "n", "type": "u32"}]
    assert xscale["handler"] < reset["entry"] < xscale["stack"] < xscale["arguments"]
    assert xscale["init"] == [] and xscale["refusals"] == []
    assert not {"table_limit", "exclusive", "interval_us"} & set(reset)
