"""What look-ups write in entries: counters, and which entries are idle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.p4info import parse_p4info
from testkit.runs import commands, compile_text
from testkit.table_keys import key_of
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

#: A table of each structure.
PROGRAM = """
protocol p { head : 112; k : 32; bytes : 32; demux { 22 }; }
module m {
  table trie {
    key { lpm u32 k; } value { u16 a; u8 b; } counters { packets; bytes; } idle;
    size 20;
  }
  table list { key { ternary u32 k; } value { u8 a; } counters { bytes; } limit 12; }
  table vectors {
    key { ternary u32 k; } value { u8 a; } counters { packets; bytes; } idle; size 20;
  }
  table buckets {
    key { u32 k; } value { u8 a; } counters { packets; } size 2000;
  }
  table wide {
    key { u32 k; } value { u64 a; u64 b; mutable u32 n; }
    counters { packets; bytes; } idle; size 40;
  }
  table hash {
    key { u128 x; u128 y; u128 z; u128 v; u32 k; } value { u64 a; }
    counters { bytes; packets; } idle;
    size 20;
  }
  table direct { key { u8 k; } value { u8 a; } counters { packets; } idle; size 9; }
  table marked { key { u32 k; } value { u8 a; } idle; size 20; }
  control u32 age_trie() { return trie.expire(); }
  control u32 age_vectors() { return vectors.expire(); }
  control u32 age_wide() { return wide.expire(); }
  control u32 age_hash() { return hash.expire(); }
  control u32 age_direct() { return direct.expire(); }
  control u32 age_marked() { return marked.expire(); }
  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(p_pkt * ph) {
  u32 k = ph->k;
  u32 sum = trie.find(k, ph->bytes)->a;
  sum += list.find(k, ph->bytes)->a;
  sum += vectors.find(k, ph->bytes)->a;
  sum += buckets.find(k)->a;
  wide * w = wide.find(k, ph->bytes);
  sum += (u32)w->b;
  sum += (u32)hash.find(0, 1, 2, 3, k, ph->bytes)->a;
  sum += direct.find((u8)k)->a;
  marked.find(k);
  ph->k = sum;
  channel_put(out_cc, ph);
}
"""
TABLES = {
    "trie": "trie", "list": "list", "vectors": "bit_vectors", "buckets": "buckets",
    "wide": "buckets", "hash": "hash", "direct": "direct", "marked": "buckets",
}  # fmt: skip
IDLE = [name for name in TABLES if name not in ("list", "buckets")]
#: Bytes of a look-up, which soon are more than 32 bits hold.
MANY = 0x6000_0007


def entry(table: str, key: int) -> str:
    text = {"trie": "a: 1, b: 2", "wide": "a: 1, b: 2"}.get(table, "a: 1")
    return f"m.{table}.add({key_of(table, key)}, {text})"


def told(table: str, key: int, packets: int, size: int, is_idle: bool = False) -> str:
    sizes = {"packets": packets, "bytes": packets * size}
    names = {
        "trie": ("packets", "bytes"), "vectors": ("packets", "bytes"),
        "wide": ("packets", "bytes"), "hash": ("packets", "bytes"),
        "list": ("bytes",), "marked": (),
    }.get(table, ("packets",))  # fmt: skip
    parts = [f"{name}: {sizes[name]}" for name in names]
    parts += ["idle"] * (is_idle and table in IDLE)
    return entry(table, key) + ("  # " + ", ".join(parts) if parts else "")


#: For the simulator: each packet leaves before the next comes.
SLOW = "--rate=0.002"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("counters")
    return compile_text(PROGRAM, folder)


def values(
    command: tuple[object, ...], folder: Path, lines: list[str], keys: list[int]
) -> list[object]:
    trace, control, stats = (folder / name for name in ("t.pcap", "c.txt", "s.json"))
    head = bytes(12) + b"\x12\x34"
    write_pcap(
        trace,
        [head + k.to_bytes(4) + MANY.to_bytes(4) + bytes(38) for k in keys],
    )
    control.write_text("\n".join(lines) + "\n")
    run(*command, f"--trace={trace}", f"--control={control}", f"--stats={stats}")
    given = read_json(stats)["control"]["values"]
    return [value.get("entries", value.get("value")) for value in given]


def test_structures(program: Path) -> None:
    manifest = json.loads(
        output_of("ixpsim", "--describe=json", program.with_suffix(".ixp"))
    )
    tables = {table["name"][2:]: table for table in manifest["tables"]}
    assert {name: table["structure"] for name, table in tables.items()} == TABLES
    assert tables["trie"]["counters"] == ["packets", "bytes"]
    assert tables["hash"]["counters"] == ["bytes", "packets"] and tables["hash"]["idle"]
    assert "counters" not in tables["marked"] and "idle" not in tables["list"]
    assert [field["name"] for field in tables["wide"]["value"]] == ["a", "b", "n"]


def test_p4info(program: Path) -> None:
    image = program.with_suffix(".ixp")
    info = parse_p4info(output_of("ixpsim", "--describe=p4info", image))
    tables = {t["preamble"][0]["alias"][0]: t for t in info["tables"]}
    counters = {c["preamble"][0]["id"][0]: c for c in info["direct_counters"]}
    assert len(counters) == len(TABLES) - 1
    units = {}
    for name, table in tables.items():
        idle = table.get("idle_timeout_behavior", [])
        assert idle == ["NOTIFY_CONTROL"] * (name in IDLE)
        for of in table.get("direct_resource_ids", []):
            assert of >> 24 == 0x13
            assert counters[of]["direct_table_id"] == table["preamble"][0]["id"]
            units[name] = counters[of]["spec"][0]["unit"][0]
    assert units == {
        "trie": "BOTH", "vectors": "BOTH", "wide": "BOTH", "hash": "BOTH",
        "list": "BYTES", "buckets": "PACKETS", "direct": "PACKETS",
    }  # fmt: skip


@pytest.mark.parametrize("machine", range(3))
def test_lookups_are_counted(machine: int, program: Path, tmp_path: Path) -> None:
    """A miss counts nowhere, a changed entry keeps its counters."""
    keys = [1] * 40 + [2] * 3 + [9] * 5
    lines = [entry(table, key) for table in TABLES for key in (1, 2, 3)]
    lines += ["@packet 44 wide.change(1, a: 1, b: 2)"]
    lines += ["@packet 44 trie.change(0.0.0.1, a: 1, b: 2)"]
    lines += [f"@end {table}.dump()" for table in TABLES]
    lines += [f"@end {table}.reset()" for table in TABLES if table != "marked"]
    lines += [f"@end {table}.read({key_of(table, 1)})" for table in TABLES]
    found = values(commands(program, SLOW)[machine], tmp_path, lines, keys)
    counts = {1: 40, 2: 3, 3: 0}
    dumped = [[told(t, k, counts[k], MANY) for k in (1, 2, 3)] for t in TABLES]
    assert found == dumped + [[told(table, 1, 0, MANY)] for table in TABLES]


@pytest.mark.parametrize("by", ["{}.expire()", "age_{}()"], ids=["file", "program"])
@pytest.mark.parametrize("machine", range(3))
def test_idle_entries_expire(
    machine: int, by: str, program: Path, tmp_path: Path
) -> None:
    """A call of `expire`, by a control file or by the program itself, leaves what was
    found since the call before, and what is new. The entries of a trie or list are in
    a table of the core's, whose gaps close when one is removed."""
    lines = [entry(table, key) for table in IDLE for key in range(1, 9)]
    lines += [f"@packet 30 {by.format(table)}" for table in IDLE]
    # All keys were new, and 1 to 4 were found since then.
    lines += [f"@packet 60 {entry(table, 9)}" for table in IDLE]
    lines += [f"@packet 90 {by.format(table)}" for table in IDLE]
    lines += [f"@end {table}.dump()" for table in IDLE]
    lines += [f"@end {by.format(table)}" for table in IDLE]
    lines += [f"@end {table}.count()" for table in IDLE]
    found = values(
        commands(program, SLOW)[machine], tmp_path, lines,
        [5] * 25 + [7] * 5 + [1, 2, 3, 4] * 15 + [1, 2] * 15,
    )  # fmt: skip
    size = len(IDLE)
    assert found[:size] == [0] * size
    assert found[size : 2 * size] == [4] * size
    counts = {1: 30, 2: 30, 3: 15, 4: 15, 9: 0}
    for table, dump in zip(IDLE, found[2 * size : 3 * size], strict=True):
        assert dump == [
            told(table, k, n, MANY, k not in (1, 2)) for k, n in counts.items()
        ]
    assert found[3 * size :] == [3] * size + [2] * size
