"""Declared tables: control files, their errors, and what tools are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.tools import read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol p { head : 112; k : 32; demux { 18 }; }
module m {
  table routes { key { lpm u32 dst; } value { u16 hop; u8 port; } size 2; limit 3; }
  table rules { key { ternary u32 a; range u16 b; } value { u8 c; } limit 2; }
  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(p_pkt * ph) {
  routes * r = routes.find(ph->k);
  ph->k = (u32)r->hop + rules.find(ph->k, 9)->c;
  channel_put(out_cc, ph);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    source = folder / "t.baker"
    source.write_text(PROGRAM)
    run("bakerc", source, "-o", folder / "t.ixp")
    write_pcap(folder / "t.pcap", [bytes(60)] * 3)
    return source


FULL = "".join(f"routes.add(10.{i}.0.0/16, {i}, 0)\n" for i in range(3))
REFUSED = [
    (FULL + "routes.add(11.0.0.0/8, 1, 1)\n", 4, "its limit is 3 entries"),
    (FULL + "m.routes.add(10.2.0.0/16, 1, 1)\n", 4, "has an entry with this key"),
    ("routes.change(10.0.0.0/8, 1, 1)\n", 1, "the table has no such entry"),
    ("routes.remove(10.0.0.0/8)\n", 1, "the table has no such entry"),
    ("routes.add(10.0.0.1/8, 1, 1)\n", 1, "bits beyond the length of its prefix"),
    ("routes.add(10.0.0.0/33, 1, 1)\n", 1, "longer than the field"),
    ("rules.add(10.0.0.1 & 10.0.0.0, 1, 2, 3)\n", 1, "that its mask does not have"),
    ("rules.add(10.0.0.1, 2..1, 2, 3)\n", 1, "ends before it begins"),
    ("rules.add(10.0.0.1, 2..1, c: 3)\n", 1, "needs 'priority'"),
    ("routes.add(10.0.0.0/8, hop: 70000, port: 1)\n", 1, "does not fit hop: u16"),
]


@pytest.mark.parametrize(
    ("control", "line", "why"), REFUSED, ids=lambda v: str(v)[-30:]
)
def test_both_machines_refuse(
    control: str, line: int, why: str, program: Path, tmp_path: Path
) -> None:
    calls = tmp_path / "c.txt"
    calls.write_text(control)
    inputs = (f"--trace={program.with_suffix('.pcap')}", f"--control={calls}")
    on_x86 = run("bakerc", program, "--run", *inputs, status=1).stderr
    on_chip = run(
        "ixpsim", program.with_suffix(".ixp"), *inputs, "--quiet", status=1
    ).stderr
    for said in (on_x86, on_chip):
        assert f"c.txt:{line}" in said and why in said, said


def test_values_agree(program: Path, tmp_path: Path) -> None:
    calls = tmp_path / "c.txt"
    calls.write_text(
        FULL + "routes.remove(10.1.0.0/16)\nroutes.change(10.2.0.0/16, 9, 8)\n"
        "@end routes.count()\n@end routes.hop(10.2.0.0/16)\n"
        "@end routes.port(10.2.0.0/16)\n@end routes.hop(10.1.0.0/16)\n"
    )
    inputs = (f"--trace={program.with_suffix('.pcap')}", f"--control={calls}")
    found = []
    stats = tmp_path / "s.json"
    run("bakerc", program, "--run", *inputs, f"--stats={stats}")
    found.append(read_json(stats)["control"]["values"])
    run("ixpsim", program.with_suffix(".ixp"), *inputs, "--quiet", f"--stats={stats}")
    found.append(read_json(stats)["control"]["values"])
    for values in found:
        assert [each["value"] for each in values] == [2, 9, 8, 0]


def test_the_image_lists_its_tables(program: Path) -> None:
    said = run("ixpsim", "--describe", program.with_suffix(".ixp")).stdout
    tables = json.loads(said.split("\ntables: ")[1])
    assert [table["name"] for table in tables] == ["m.routes", "m.rules"]
    assert tables[0]["key"] == [{"name": "dst", "match": "lpm", "bits": 32}]
    assert tables[0]["value"][0] == {"name": "hop", "type": "u16", "mutable": False}
    assert tables[0]["limit"] == 3 and tables[0]["structure"] == "trie"
    assert [table["structure"] for table in tables] == ["trie", "list"]


def test_a_table_without_a_structure(tmp_path: Path) -> None:
    source = tmp_path / "t.baker"
    source.write_text(PROGRAM.replace("limit 2;", "limit 5000;"))
    said = run("bakerc", source, "-o", tmp_path / "t.ixp", status=1).stderr
    assert "t.baker:5:9" in said and "[E-baker-407]" in said
    assert not (tmp_path / "t.ixp").exists()


FLOWS = """
protocol q { head : 112; k : 32; a : 64; b : 32; demux { 30 }; }
module m {
  table flows { key { u32 k; } value { u64 a; u32 b; mutable u32 n; } size 40; }
  ppf f { in q_pkt * in_cc; out q_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(q_pkt * ph) {
  flows * flow = flows.find(ph->k);
  if (flow)
    atomic_add(flow->n, 1);
  ph->a = flow->a;
  ph->b = flow->b;
  channel_put(out_cc, ph);
}
"""


@pytest.mark.parametrize("level", ["base", "swc"])
def test_packets_and_updates_at_once(level: str, tmp_path: Path) -> None:
    """Packets count in entries that change, while others come and go beside
    them. None sees the values of another key or of two changes."""
    source, image = tmp_path / "f.baker", tmp_path / "f.ixp"
    source.write_text(FLOWS)
    run("bakerc", source, f"--level={level}", "-o", image)
    packets, kept = 600, 8
    head = bytes(12) + b"\x12\x34"
    keys = [i % 16 for i in range(packets)]
    write_pcap(tmp_path / "t.pcap", [head + k.to_bytes(4) + bytes(42) for k in keys])
    stamp = [0] * 40

    def call(verb: str, key: int) -> str:
        stamp[key] += 1
        value = key << 16 | stamp[key]
        return f"flows.{verb}({key}, a: {value << 32 | value}, b: {value})"

    lines = [call("add", key) for key in range(kept)]
    for at in range(0, packets, 4):
        lines.append(f"@packet {at} {call('change', at // 4 % kept)}")
        guest = kept + at // 4 % 8
        lines.append(f"@packet {at} {call('add', guest)}")
        lines.append(f"@packet {at + 3} flows.remove({guest})")
    lines += [f"@end flows.n({key})" for key in range(kept)]
    control, out, stats = (tmp_path / name for name in ("c.txt", "o.pcapng", "s.json"))
    control.write_text("\n".join(lines) + "\n")
    run(
        "ixpsim", image, f"--trace={tmp_path / 't.pcap'}", f"--control={control}",
        f"--out={out}", f"--stats={stats}", "--quiet",
    )  # fmt: skip
    frames = read_pcapng(out)
    assert sum(frames.values()) == packets
    for _, frame in frames:
        key, a, b = (
            int.from_bytes(frame[begin:end])
            for begin, end in ((14, 18), (18, 26), (26, 30))
        )
        if key < kept or b != 0:
            assert b >> 16 == key and a == b << 32 | b, (key, a, b)
        else:
            assert a == 0
    values = read_json(stats)["control"]["values"]
    assert [v["value"] for v in values] == [keys.count(k) for k in range(kept)]


def test_one_command_reads_fifteen_words(tmp_path: Path) -> None:
    """The entries of three keys of 128 bits, in an image that the simulator
    takes."""
    source, asm = tmp_path / "f.baker", tmp_path / "f.uc"
    text = FLOWS.replace("u32 k; }", "u128 k; }").replace("u64 a;", "")
    text = text.replace("ph->a = flow->a;", "").replace("mutable u32 n;", "")
    text = text.replace("    atomic_add(flow->n, 1);", "    ph->a = 1;")
    source.write_text(text.replace("size 40", "size 10000"))
    said = run("bakerc", source, "--emit=asm", "--explain=tables", "-o", asm).stderr
    assert "buckets, 1 hash and 1.04 accesses of 15 words" in said
    reads = [line for line in asm.read_text().splitlines() if "sram[read" in line]
    assert sum("$0," in line and "indirect_ref" in line for line in reads) == 1
