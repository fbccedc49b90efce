"""`bakerc --run --specialize`: the frames of the program's own code."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench.x86.special_cases import (
    access_list,
    flows,
    frames_of,
    module,
    parser,
    rewrites,
    update_storm,
)
from testkit.captures import write_pcap
from testkit.program import Program
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc")
PACKETS = 400


def counters() -> Program:
    """Entries that packets count in and answer with, while calls come and go."""
    traffic = flows(5, 12)
    source = module(
        "  table hosts { key { u32 src; }"
        " value { u16 tag; mutable u32 hits; u32 mark; } size 40; }\n"
        "  table ports { key { range u16 port; } value { u8 kind; mutable u16 seen; }"
        " size 40; }\n  u32 offset;\n  control void move(u32 by) { offset = by; }\n",
        "  hosts * h = hosts.find(ph->src);\n"
        "  if (h) {\n    h->hits += 1;\n    ph->rest[0] = h->hits;\n"
        "    ph->rest[1] = h->mark + offset;\n    ph->id = h->tag;\n  }\n"
        "  ports * p = ports.find(ph->src_port);\n"
        "  if (p) { p->seen += 3; ph->rest[2] = (u32)p->seen << 8 | (u32)p->kind; }\n",
    )
    rng = random.Random(6)
    hosts: set[int] = set()
    ports: set[tuple[int, int]] = set()
    calls = []
    for packet in range(0, PACKETS, 9):
        at = f"@packet {packet} "
        source_address = rng.choice(traffic)[0]
        verb = rng.choice(("change", "remove")) if source_address in hosts else "add"
        values = f", tag: {rng.getrandbits(16)}, mark: {packet}"
        calls.append(
            f"{at}hosts.{verb}({source_address}{'' if verb == 'remove' else values})"
        )
        (hosts.discard if verb == "remove" else hosts.add)(source_address)
        first = rng.getrandbits(16)
        block = (first & 0xF000, first | 0xFFF) if packet % 2 else (first // 2, first)
        if block not in ports and len(ports) < 40:
            ports.add(block)
            calls.append(
                f"{at}ports.add({block[0]}..{block[1]}, priority: {rng.randint(0, 9)},"
                f" kind: {packet % 200})"
            )
        calls.append(f"{at}move({packet % 3})")
    return Program("counters", source, "\n".join(calls) + "\n", frames_of(traffic, 6))


CASES = {
    case.name: case
    for case in (
        counters(),
        access_list(1, 5),
        access_list(40, 2),
        parser("vxlan"),
        rewrites(),
        update_storm(20),
    )
}


@pytest.mark.parametrize("name", CASES)
def test_specialized_runs_agree_with_guarded_ones(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    source, control, trace = (
        tmp_path / f"p.{end}" for end in ("baker", "control", "pcap")
    )
    source.write_text(case.source)
    control.write_text(case.control)
    write_pcap(trace, case.frames[:PACKETS])
    outs: list[bytes] = []
    for options in ([], ["--fast", "--specialize=at-once"], ["--fast", "--specialize"]):
        out = tmp_path / f"out{len(outs)}.pcapng"
        stats = tmp_path / "stats.json"
        run(
            "bakerc",
            source,
            "--run",
            f"--trace={trace}",
            f"--control={control}",
            f"--out={out}",
            f"--stats={stats}",
            "-Wno-unused-variable",
            *options,
        )
        outs.append(out.read_bytes())
        if "--specialize=at-once" in options:
            special = read_json(stats)["specialization"]
            assert special["own_bursts"] == 0
            assert special["used"] == special["builds"] >= 1
    assert outs[0] == outs[1] == outs[2]


def test_explanations_tell_what_would_undo_the_code(tmp_path: Path) -> None:
    case = access_list(40, 2)
    source, control, trace = (
        tmp_path / f"p.{end}" for end in ("baker", "control", "pcap")
    )
    source.write_text(case.source)
    control.write_text(case.control)
    write_pcap(trace, case.frames[:10])
    said = output_of(
        "bakerc",
        source,
        "--run",
        "--fast",
        "--specialize=at-once",
        "--explain=specialization",
        f"--trace={trace}",
        f"--control={control}",
    )
    assert (
        "p.baker:10:9: remark: [specialization] m.acl: 40 rules with 1 sets of masks: "
        "a hash table for each" in said
    )
    assert "undone by m.acl.add, m.acl.change, m.acl.remove, m.acl.clear" in said
