"""Meters of entries: their colors, their rates from outside, what lists them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.p4info import parse_p4info
from testkit.runs import commands, compile_text, refusal
from testkit.table_keys import key_of
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

#: A table of each structure. The colors of each packet are in its last bytes.
PROGRAM = """
import net.meters;
protocol p { head : 112; k : 32; size : 32; incoming : 32; colors : 32;
             demux { 30 }; }
module m {
  table trie {
    key { lpm u32 k; } value { u16 a; u32 b; u32 c; } meter single_rate; size 20;
  }
  table list { key { ternary u32 k; } value { u8 a; } meter two_rate; limit 12; }
  table buckets { key { u32 k; } value { u8 a; } meter two_rate; size 2000; }
  table wide {
    key { u32 k; } value { u64 a; u64 b; mutable u32 n; }
    counters { packets; } meter single_rate; idle; size 40;
  }
  table hash {
    key { u128 x; u128 y; u128 z; u128 v; u32 k; } value { u64 a; }
    meter single_rate; size 20;
  }
  table direct { key { u8 k; } value { u8 a; } meter two_rate; size 9; }
  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(p_pkt * ph) {
  u32 k = ph->k;
  trie * t = trie.find(k);
  list * l = list.find(k);
  buckets * b = buckets.find(k);
  wide * w = wide.find(k);
  hash * h = hash.find(0, 1, 2, 3, k);
  direct * d = direct.find((u8)k);
  u32 colors = trie.color(t, ph->size);
  colors = colors << 4 | list.color_of(l, ph->size, ph->incoming);
  colors = colors << 4 | buckets.color(b, ph->size);
  colors = colors << 4 | wide.color_of(w, ph->size, ph->incoming);
  colors = colors << 4 | hash.color(h, ph->size);
  colors = colors << 4 | direct.color(d, ph->size);
  ph->colors = colors << 4 | (d ? 1 : 0);
  channel_put(out_cc, ph);
}
"""
TABLES = {
    "trie": "trie", "list": "list", "buckets": "buckets", "wide": "buckets",
    "hash": "hash", "direct": "direct",
}  # fmt: skip
TWO_RATES = ("list", "buckets", "direct")
#: Those whose colors depend on the color that the packet came with.
AWARE = ("list", "wide")
GREEN, YELLOW, RED = range(3)
SLOW = "--rate=0.002"


def entry(table: str, key: int, value: int = 1) -> str:
    text = {"trie": f"a: {value}, b: 2, c: 3", "wide": f"a: {value}, b: 2"}
    return f"m.{table}.add({key_of(table, key)}, {text.get(table, f'a: {value}')})"


def rates(table: str, key: int) -> str:
    """Tokens for 100 bytes of green and 100 of yellow, and hardly any more."""
    text = (
        "rate: 1, burst: 100, peak_rate: 1, peak_burst: 200"
        if table in TWO_RATES
        else "rate: 1, burst: 100, excess_burst: 100"
    )
    return f"m.{table}.set_meter({key_of(table, key)}, {text})"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("entry-meters")
    return compile_text(PROGRAM, folder)


def run_packets(
    command: tuple[object, ...],
    folder: Path,
    lines: list[str],
    packets: list[tuple[int, int, int]],
) -> tuple[list[dict[str, int]], list[object]]:
    """Packets are a key, a size and a color; returns the colors that each gets."""
    trace, control, stats = (folder / name for name in ("t.pcap", "c.txt", "s.json"))
    out = folder / "o.pcapng"
    head = bytes(12) + b"\x12\x34"
    write_pcap(
        trace,
        [
            head + b"".join(n.to_bytes(4) for n in packet) + bytes(4) + i.to_bytes(30)
            for i, packet in enumerate(packets)
        ],
    )
    control.write_text("\n".join(lines) + "\n")
    run(
        *command, f"--trace={trace}", f"--control={control}", f"--stats={stats}",
        f"--out={out}",
    )  # fmt: skip
    frames = sorted((frame for _, frame in read_pcapng(out)), key=lambda f: f[30:60])
    colors = [
        dict(zip([*TABLES, "hit"], map(int, frame[26:30].hex()[1:]), strict=True))
        for frame in frames
    ]
    given = read_json(stats)["control"]["values"]
    return colors, [value.get("entries", value.get("value")) for value in given]


@pytest.mark.parametrize("machine", range(3))
def test_colors(machine: int, program: Path, tmp_path: Path) -> None:
    """Each entry has tokens of its own. Without rates, and if there is no entry, a
    packet keeps its color. A changed entry keeps its tokens; one that was added again
    has no rates."""
    lines = [entry(table, key) for table in TABLES for key in (1, 2, 3)]
    lines += [rates(table, key) for table in TABLES for key in (1, 2)]
    for table in TABLES:
        changed = entry(table, 2, value=4).replace(".add(", ".change(")
        lines.append(f"@packet 7 {changed}")
        lines.append(f"@packet 9 m.{table}.remove({key_of(table, 1)})")
        lines.append(f"@packet 9 {entry(table, 1)}")
    packets = [
        (1, 100, GREEN), (1, 60, GREEN), (1, 60, GREEN), (1, 40, YELLOW),
        (2, 60, YELLOW), (2, 60, YELLOW), (3, 1000, GREEN),
        (2, 90, GREEN), (9, 1000, RED),
        (1, 1000, RED), (1, 1000, GREEN),
    ]  # fmt: skip
    blind = [GREEN, YELLOW, RED, YELLOW, GREEN, YELLOW, GREEN, RED, *[GREEN] * 3]
    aware = [GREEN, YELLOW, RED, YELLOW, YELLOW, RED, GREEN, GREEN, RED, RED, GREEN]
    wanted = {table: aware if table in AWARE else blind for table in TABLES}
    # The peak bucket is not spared by what comes yellow, and pays for green, too.
    wanted["list"] = [*aware[:5], YELLOW, GREEN, RED, *aware[8:]]
    colors, _ = run_packets(commands(program, SLOW)[machine], tmp_path, lines, packets)
    for table in TABLES:
        assert [packet[table] for packet in colors] == wanted[table], table
    assert [packet["hit"] for packet in colors] == [1] * 8 + [0] + [1] * 2


@pytest.mark.parametrize("machine", range(3))
def test_rates_are_told(machine: int, program: Path, tmp_path: Path) -> None:
    """Behind the entry, as a line that a control file can have."""
    lines = [entry(table, key) for table in TABLES for key in (1, 2)]
    lines += [rates(table, 2) for table in TABLES]
    lines += [f"@end m.{table}.dump()" for table in TABLES]
    lines += [f"@end m.{table}.read({key_of(table, 2)})" for table in TABLES]
    command = commands(program, SLOW)[machine]
    _, told = run_packets(command, tmp_path, lines, [(9, 1, 0)])
    tails = {"wide": "  # packets: 0"}
    for table, dump, one in zip(TABLES, told[:6], told[6:], strict=True):
        tail = tails.get(table, "")
        second = [entry(table, 2) + tail, rates(table, 2)]
        assert dump == [entry(table, 1) + tail, *second]
        assert one == second
    again = [line for dump in told[:6] for line in dump]
    again += [f"@end m.{table}.dump()" for table in TABLES]
    assert run_packets(command, tmp_path, again, [(9, 1, 0)])[1] == told[:6]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("trie.set_meter(1.2.3.4/32, 1, 1, 1)", "the table has no such entry"),
        ("trie.set_meter(0.0.0.1/32, 1, 0, 0)", "one of the bursts must be larger"),
        ("buckets.set_meter(1, 1, 1, 1, 0)", "both bursts must be larger than 0"),
        ("buckets.set_meter(1, 2, 1, 1, 1)", "the peak rate must not be below"),
        ("buckets.set_meter(1, rate: 2)", "needs 'burst'"),
        ("list.set_meter(0.0.0.1, 1, 1, 1, 1)", "needs 'peak_burst'"),
    ],
)
def test_refusals(call: str, why: str, program: Path, tmp_path: Path) -> None:
    trace = tmp_path / "t.pcap"
    write_pcap(trace, [bytes(60)])
    lines = [entry(table, 1) for table in ("trie", "list", "buckets")]
    said = refusal(program, trace, "\n".join([*lines, call]), tmp_path)
    assert "control.txt:4" in said and why in said, said


def test_manifest_and_p4info(program: Path) -> None:
    image = program.with_suffix(".ixp")
    manifest = json.loads(output_of("ixpsim", "--describe=json", image))
    tables = {table["name"][2:]: table for table in manifest["tables"]}
    assert {name: table["structure"] for name, table in tables.items()} == TABLES
    for name, table in tables.items():
        assert table["meter"] == ("two_rate" if name in TWO_RATES else "single_rate")
    names = {control["name"] for control in manifest["xscale"]["control"]}
    own = [name for name in names if ".own." in name]
    assert all(name.endswith((".next_entry", ".entry_word")) for name in own), own
    info = parse_p4info(output_of("ixpsim", "--describe=p4info", image))
    meters = {m["preamble"][0]["id"][0]: m for m in info["direct_meters"]}
    assert len(meters) == len(TABLES)
    for table in info["tables"]:
        [meter] = [n for n in table["direct_resource_ids"] if n >> 24 == 0x15]
        alias = table["preamble"][0]["alias"][0]
        kind = "TWO_RATE" if alias in TWO_RATES else "SINGLE_RATE"
        assert meters[meter]["direct_table_id"] == table["preamble"][0]["id"]
        assert meters[meter]["spec"][0]["type"] == [f"{kind}_THREE_COLOR"]
        assert meters[meter]["spec"][0]["unit"] == ["BYTES"]
