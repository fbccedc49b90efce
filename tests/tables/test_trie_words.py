"""Tries whose words have the values of their entries."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.runs import commands, compile_text
from testkit.tools import requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol p { head : 112; k : 32; a : 16; b : 16; found : 8; demux { 23 }; }
module m {
  table routes { key { lpm u32 dst; } value { u10 a; bool odd; u10 b; } limit 300; }
  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(p_pkt * ph) {
  routes * r = routes.find(ph->k);
  u8 found = 2;
  if (r)
    found = r->odd ? 1 : 0;
  ph->found = found;
  ph->a = r->a;
  ph->b = r->b;
  channel_put(out_cc, ph);
}
"""
MOST = 1023


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_text(PROGRAM, tmp_path_factory.mktemp("words"))


def frame(key: int) -> bytes:
    return bytes(14) + key.to_bytes(4) + bytes(42)


def sent(key: int, value: int | None) -> bytes:
    """What the program makes of `frame(key)`, whose entry has this value."""
    a, b, found = (0, 0, 2) if value is None else (value, MOST - value, value & 1)
    return bytes(14) + key.to_bytes(4) + a.to_bytes(2) + b.to_bytes(2) + bytes(
        [found]
    ) + bytes(37)  # fmt: skip


def arguments(prefix: tuple[int, int], value: int) -> str:
    values = f"a: {value}, odd: {value & 1}, b: {MOST - value}"
    return f"{prefix[0]}/{prefix[1]}, {values}"


def history(random_of: random.Random) -> tuple[list[str], dict[tuple[int, int], int]]:
    """Calls that change prefixes inside each other, and the entries that are left."""
    entries: dict[tuple[int, int], int] = {}
    lines = []
    while len(lines) < 900:
        length = random_of.choice((0, 4, 8, 9, 15, 16, 17, 20, 24, 29, 32))
        address = random_of.choice((0x0A000000, 0x0A0B0000)) | random_of.getrandbits(16)
        prefix = (address >> 32 - length << 32 - length, length)
        value = random_of.randrange(MOST + 1)
        if prefix not in entries and len(entries) < 300:
            lines.append(f"routes.add({arguments(prefix, value)})")
        elif prefix in entries and random_of.random() < 0.5:
            lines.append(f"routes.change({arguments(prefix, value)})")
        else:
            prefix = random_of.choice(list(entries))
            lines.append(f"routes.remove({prefix[0]}/{prefix[1]})")
            del entries[prefix]
            continue
        entries[prefix] = value
    return lines, entries


def longest(entries: dict[tuple[int, int], int], key: int) -> int | None:
    for length in range(32, -1, -1):
        value = entries.get((key >> 32 - length << 32 - length, length))
        if value is not None:
            return value
    return None


def test_every_packet_finds_the_longest_prefix(program: Path, tmp_path: Path) -> None:
    random_of = random.Random(5)
    lines, entries = history(random_of)
    keys = [prefix[0] ^ random_of.choice((0, 0, 1, 0x80, 0x8000)) for prefix in entries]
    keys += [random_of.getrandbits(32) for _ in range(100)]
    expected = {key: sent(key, longest(entries, key)) for key in keys}
    trace, control, out = (tmp_path / name for name in ("t.pcap", "c.txt", "o.pcapng"))
    write_pcap(trace, [frame(key) for key in expected])
    control.write_text("\n".join(lines) + "\n")
    for command in commands(program, "--quiet"):
        run(*command, f"--trace={trace}", f"--control={control}", f"--out={out}")
        found = {made for _, made in read_pcapng(out)}
        assert found == set(expected.values()), command


@pytest.mark.parametrize("type_of_b", ["u10", "u20"])
def test_levels_share_the_memory_of_nodes(type_of_b: str, tmp_path: Path) -> None:
    """Each round fills most of it with prefixes of other lengths. The second one has
    values in slots."""
    text = PROGRAM.replace("limit 300", "limit 2000")
    program = compile_text(text.replace("u10 b", f"{type_of_b} b"), tmp_path)
    random_of = random.Random(6)
    lines: list[str] = []
    entries: dict[tuple[int, int], int] = {}
    for count, lengths in ((800, (32,)), (1500, (24,)), (900, (28, 29)), (900, (32,))):
        lines += [f"routes.remove({at}/{length})" for at, length in entries]
        entries = {}
        while len(entries) < count:
            length = random_of.choice(lengths)
            prefix = (random_of.getrandbits(length) << 32 - length, length)
            if prefix not in entries:
                entries[prefix] = random_of.randrange(MOST + 1)
                lines.append(f"routes.add({arguments(prefix, entries[prefix])})")
    expected = {
        key: sent(key, longest(entries, key))
        for at, _ in list(entries)[::3]
        for key in (at, at ^ 0x100)
    }
    trace, control, out = (tmp_path / name for name in ("t.pcap", "c.txt", "o.pcapng"))
    write_pcap(trace, [frame(key) for key in expected])
    control.write_text("\n".join(lines) + "\n")
    for command in commands(program, "--quiet"):
        run(*command, f"--trace={trace}", f"--control={control}", f"--out={out}")
        assert {made for _, made in read_pcapng(out)} == set(expected.values()), command


@pytest.mark.parametrize("level", ["base", "swc"])
def test_a_packet_sees_the_values_of_one_change(level: str, tmp_path: Path) -> None:
    source, image = tmp_path / "t.baker", tmp_path / "t.ixp"
    source.write_text(PROGRAM)
    said = run(
        "bakerc", source, f"--level={level}", "--explain=tables", "-o", image
    ).stderr
    assert "values in its words" in said
    trace, control, out = (tmp_path / name for name in ("t.pcap", "c.txt", "o.pcapng"))
    write_pcap(trace, [frame(0x0A000000 + n % 4) for n in range(800)])
    lines = [f"routes.add({arguments((0x0A000000, 30), 0)})"]
    lines += [
        f"@packet {4 * n} routes.change({arguments((0x0A000000, 30), n)})"
        for n in range(1, 100)
    ]
    control.write_text("\n".join(lines) + "\n")
    run("ixpsim", image, f"--trace={trace}", f"--control={control}",
        f"--out={out}", "--quiet")  # fmt: skip
    values = set()
    for _, made in read_pcapng(out):
        value = int.from_bytes(made[18:20])
        assert made == sent(int.from_bytes(made[14:18]), value)
        values.add(value)
    assert len(values) > 8


@pytest.mark.parametrize(
    "change",
    [("u10 b", "u20 b"), ("bool odd;", "bool odd; mutable u8 m;"),
     ("limit 300;", "limit 300; default { a: 1 }"), ("limit 300;", "idle; limit 300;")],
    ids=["wide", "mutable", "default", "idle"],
)  # fmt: skip
def test_other_values_have_an_access_of_their_own(
    change: tuple[str, str], tmp_path: Path
) -> None:
    source = tmp_path / "t.baker"
    source.write_text(PROGRAM.replace(*change))
    said = run("bakerc", source, "--explain=tables", "-o", tmp_path / "t.ixp").stderr
    assert "and 1 for the values" in said
