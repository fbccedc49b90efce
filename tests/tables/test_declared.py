"""Declared tables: control files, their errors, and what tools are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.runs import compile_text
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
    return compile_text(PROGRAM, folder, [bytes(60)] * 3)


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
    source.write_text(PROGRAM.replace("size 2; limit 3;", "size 10000000;"))
    said = run("bakerc", source, "-o", tmp_path / "t.ixp", status=1).stderr
    assert "t.baker:4:9" in said and "[E-baker-407]" in said
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


def test_a_million_keys_of_128_bits(tmp_path: Path) -> None:
    """They fit a board with 32 MB of SRAM in a channel, and no smaller one."""
    source, image = tmp_path / "f.baker", tmp_path / "f.ixp"
    text = FLOWS.replace("u32 k; }", "u128 k; }").replace("size 40", "size 1000000")
    for without in ("u64 a; ", "mutable u32 n; ", "ph->a = flow->a;",
                    "atomic_add(flow->n, 1);"):  # fmt: skip
        assert without in text
        text = text.replace(without, "")
    source.write_text(text)
    board = "--set=sram.size=33554432"
    said = run("bakerc", source, board, "--explain=tables", "-o", image).stderr
    assert "buckets, 1 hash and 1.15 accesses of 15 words" in said
    assert "does not fit" in run("bakerc", source, "-o", image, status=1).stderr


def test_a_trie_without_space(tmp_path: Path) -> None:
    """A trie of more than 1,024 entries has nodes for prefixes like those of
    its control file. Others are refused when none is left; what is removed
    makes room."""
    source, image = tmp_path / "t.baker", tmp_path / "t.ixp"
    source.write_text(PROGRAM.replace("size 2; limit 3;", "size 2000;"))
    short = [f"routes.add({i >> 8}.{i & 255}.0.0/16, 1, 1)" for i in range(500)]
    write_pcap(tmp_path / "t.pcap", [bytes(60)] * 3)
    control = tmp_path / "c.txt"
    control.write_text("\n".join(short) + "\n")
    profile = (f"--profile-trace={tmp_path / 't.pcap'}", f"--control={control}")
    said = run("bakerc", source, "--explain=tables", *profile, "-o", image).stderr
    assert "like those of the table's entries" in said
    longer = [f"routes.add({200 + (i >> 8)}.{i & 255}.1.128/25, 1, 1)"
              for i in range(500)]  # fmt: skip
    taken = tmp_path / "taken.txt"
    taken.write_text("\n".join(short + longer) + "\n")
    inputs = (f"--trace={tmp_path / 't.pcap'}", f"--control={taken}")
    said = run("ixpsim", image, *inputs, "--quiet", status=1).stderr
    assert "has no space for this entry, though its limit is not reached" in said
    line = int(said.split("taken.txt:")[1].split(":")[0])
    assert 500 < line < 600
    fits = longer[: line - 501]
    refused = longer[line - 501]
    again = [*short, *fits, fits[0].replace("add", "remove").replace(", 1, 1", "")]
    taken.write_text("\n".join([*again, refused]) + "\n@end routes.count()\n")
    stats = tmp_path / "s.json"
    run("ixpsim", image, *inputs, "--quiet", f"--stats={stats}")
    assert read_json(stats)["control"]["values"][0]["value"] == 500 + len(fits)


def test_a_trie_in_dram(tmp_path: Path) -> None:
    """50,000 IPv6 routes do not fit SRAM. Packets find them in DRAM."""
    source, image = tmp_path / "t.baker", tmp_path / "t.ixp"
    source.write_text(
        "protocol p { head : 112; k : 128; answer : 32; demux { 34 }; }\n"
        "module m {\n  table routes { key { lpm u128 dst; } value { u32 hop; }"
        " size 50000; }\n  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }\n"
        "  wiring { rx -> f.in_cc; f.out_cc -> tx; }\n}\n"
        "m.f.ppf(p_pkt * ph) {\n  ph->answer = routes.find(ph->k)->hop;\n"
        "  channel_put(out_cc, ph);\n}\n"
    )
    said = run("bakerc", source, "--explain=tables", "-o", image).stderr
    assert "a real IPv6 table, too large for SRAM" in said
    lengths = (32, 48, 64, 128, 29)
    routes = [
        ((0x2001_0000_0000_0000 + (i * 0x0101_0101_0101_0101)) << 64 | i)
        >> (128 - lengths[i % 5])
        << (128 - lengths[i % 5])
        for i in range(40)
    ]
    calls = [
        "routes.add("
        + ":".join(f"{r >> s & 0xFFFF:x}" for s in range(112, -1, -16))
        + f"/{lengths[i % 5]}, {i + 1})"
        for i, r in enumerate(routes)
    ]
    control, out = tmp_path / "c.txt", tmp_path / "o.pcapng"
    control.write_text("\n".join(calls) + "\n")
    head = bytes(12) + b"\x12\x34"
    frames = [head + r.to_bytes(16) + bytes(30) for r in routes]
    write_pcap(tmp_path / "t.pcap", frames)
    run("ixpsim", image, f"--trace={tmp_path / 't.pcap'}", f"--control={control}",
        f"--out={out}", "--quiet")  # fmt: skip
    found = {
        frame[14:30]: int.from_bytes(frame[30:34]) for _, frame in read_pcapng(out)
    }
    for address in routes:
        best = max(
            (lengths[i % 5], i + 1)
            for i, r in enumerate(routes)
            if (r ^ address) >> (128 - lengths[i % 5]) == 0
        )
        assert found[address.to_bytes(16)] == best[1]
