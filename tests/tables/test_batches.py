"""Batches of control calls: packets see all of a batch or nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.runs import commands, compile_text
from testkit.switch import running_switch
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

#: The look-ups of a packet are in three PPFs.
PROGRAM = """
protocol p { head : 112; k : 32; a : 32; b : 32; c : 32; demux { 30 }; }
module m {
  table left { key { u32 k; } value { u32 v; } counters { packets; } size 20; }
  table right { key { lpm u32 k; } value { u32 v; u32 w; } limit 4; }
  table rules { key { ternary u32 k; } value { u32 v; } size 20; }
  control int other(u32 x) { return 0; }
  ppf f { in p_pkt * in_cc; out p_pkt * to_g; }
  ppf g { in p_pkt * in_cc; out p_pkt * to_h; }
  ppf h { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring {
    rx -> f.in_cc; f.to_g -> g.in_cc; g.to_h -> h.in_cc; h.out_cc -> tx;
  }
}
m.f.ppf(p_pkt * ph) {
  ph->a = left.find(ph->k)->v;
  channel_put(to_g, ph);
}
m.g.ppf(p_pkt * ph) {
  ph->b = right.find(ph->k)->w;
  channel_put(to_h, ph);
}
m.h.ppf(p_pkt * ph) {
  ph->c = rules.find(ph->k)->v;
  channel_put(out_cc, ph);
}
"""
TABLES = ("left", "right", "rules")
HEAD = bytes(12) + b"\x12\x34"
#: Packets wait in rings before each look-up, the last one for the core.
APART = "aggregate front 2\n m.f\naggregate back\n m.g\nxscale\n m.h\n"
PACKETS = 600
BATCHES = 12


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batches")
    return compile_text(PROGRAM, folder, [HEAD + (1).to_bytes(4) + bytes(42)] * PACKETS)


def batch(number: int) -> list[str]:
    """Replaces the only entry of each table."""
    return [
        f"@packet {number * PACKETS // (BATCHES + 1)} begin",
        *(f"{table}.clear()" for table in TABLES),
        f"rules.add(0.0.0.0 & 0.0.0.0, priority: {number}, v: {number})",
        f"left.add(1, v: {number})",
        f"right.add(0.0.0.0/{number % 32}, v: 7, w: {number})",
        "commit",
    ]


def never_mixed(
    command: tuple[object, ...], program: Path, folder: Path, *, changes: int
) -> None:
    """Packets see the tables of `changes` batches at least, and no mix."""
    control, out = folder / "c.txt", folder / "o.pcapng"
    lines = [line for number in range(1, BATCHES + 1) for line in batch(number)]
    control.write_text("\n".join(lines) + "\n")
    run(
        *command, f"--trace={program.with_suffix('.pcap')}",
        f"--control={control}", f"--out={out}",
    )  # fmt: skip
    seen: Counter[int] = Counter()
    for (_, frame), count in read_pcapng(out).items():
        a, b, c = (int.from_bytes(frame[i : i + 4]) for i in (18, 22, 26))
        assert a == b == c, (a, b, c)
        seen[a] += count
    assert sum(seen.values()) == PACKETS
    assert len(seen) > changes, seen


@pytest.mark.parametrize("machine", range(3))
def test_packets_see_all_or_nothing(
    machine: int, program: Path, tmp_path: Path
) -> None:
    never_mixed(commands(program, "--quiet")[machine], program, tmp_path, changes=8)


@pytest.mark.parametrize("level", ["base", "o1", "o2", "pac", "soar", "phr", "swc"])
def test_packets_in_rings_see_all_or_nothing(
    level: str, program: Path, tmp_path: Path
) -> None:
    mapping, image = tmp_path / "mapping.txt", tmp_path / "t.ixp"
    mapping.write_text(APART)
    run(
        "bakerc", program, f"--level={level}", f"--mapping={mapping}",
        "--punt-rate=none", "-o", image,
    )  # fmt: skip
    never_mixed(("ixpsim", image, "--quiet"), program, tmp_path, changes=8)


START = ["left.add(1, v: 1)", "right.add(10.0.0.0/8, v: 1, w: 1)",
         "right.add(11.0.0.0/8, v: 1, w: 2)"]  # fmt: skip
#: The calls of a batch, and which of them is refused, and why.
REFUSED = [
    (["left.add(2, 2)", "left.add(2, 3)"], 2, "has an entry with this key"),
    (["left.remove(1)", "right.change(10.0.0.0/9, 1, 1)"], 2, "no such entry"),
    (["left.clear()", "left.remove(1)"], 2, "no such entry"),
    (["left.remove(1)", "left.change(1, 2)"], 2, "no such entry"),
    (["rules.add(1, 2, 3)", "right.add(10.0.0.1/8, 1, 1)"], 2, "bits beyond"),
    (
        ["right.add(1.0.0.0/8, 1, 1)", "right.add(2.0.0.0/8, 1, 1)",
         "left.remove(1)", "right.add(3.0.0.0/8, 1, 1)"],
        4, "its limit is 4 entries",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("calls", "number", "why"), REFUSED, ids=lambda v: str(v)[:30])
def test_a_refused_call_refuses_the_batch(
    calls: list[str], number: int, why: str, program: Path, tmp_path: Path
) -> None:
    control, stats = tmp_path / "c.txt", tmp_path / "s.json"
    ends = [f"@end {table}.dump()" for table in TABLES]
    head = [*START, "@packet 4 begin"]
    control.write_text("\n".join([*head, *calls, "commit", *ends]) + "\n")
    for command in commands(program, "--quiet"):
        said = run(
            *command, "--keep-going", f"--trace={program.with_suffix('.pcap')}",
            f"--control={control}", f"--stats={stats}", status=1,
        ).stderr  # fmt: skip
        assert f"c.txt:{len(head) + number}" in said and why in said, said
        assert "refused the call, and so the batch" in said
        values = read_json(stats)["control"]["values"]
        found = [line for value in values for line in value["entries"]]
        assert [line.split("  #")[0] for line in found] == [f"m.{x}" for x in START]


def test_the_structure_refuses(tmp_path: Path) -> None:
    """A trie without nodes for a prefix is found out when the calls are made. The
    ones before it are undone."""
    source, image = tmp_path / "t.baker", tmp_path / "t.ixp"
    source.write_text(PROGRAM.replace("limit 4", "size 2000"))
    short = [f"right.add({i >> 8}.{i & 255}.0.0/16, 1, {i})" for i in range(500)]
    write_pcap(tmp_path / "t.pcap", [HEAD + bytes(46)] * 3)
    control, stats = tmp_path / "c.txt", tmp_path / "s.json"
    control.write_text("\n".join(short) + "\n")
    trace = f"--trace={tmp_path / 't.pcap'}"
    run(
        "bakerc", source, f"--profile-{trace[2:]}", f"--control={control}",
        "-o", image,
    )  # fmt: skip
    longer = [f"right.add({200 + (i >> 8)}.{i & 255}.1.128/25, 1, 1)"
              for i in range(500)]  # fmt: skip
    changes = ["right.remove(0.7.0.0/16)", "right.change(0.8.0.0/16, 5, 5)",
               "left.add(1, 1)"]  # fmt: skip
    dump = "@end right.dump()\n@end left.count()\n"
    control.write_text("\n".join(short) + "\n" + dump)
    run("ixpsim", image, "--quiet", trace, f"--control={control}", f"--stats={stats}")

    def given() -> list[object]:
        values = read_json(stats)["control"]["values"]
        return [value.get("entries", value.get("value")) for value in values]

    before = given()
    lines = [*short, "begin", *changes, *longer, "commit"]
    control.write_text("\n".join(lines) + "\n" + dump)
    said = run(
        "ixpsim", image, "--quiet", "--keep-going", trace, f"--control={control}",
        f"--stats={stats}", status=1,
    ).stderr  # fmt: skip
    assert "has no space for this entry" in said
    assert given() == before
    assert isinstance(before[0], list) and len(before[0]) == 500


WRONG = [
    ("begin\nleft.add(1, 1)\n", 1, "the batch has no 'commit'"),
    ("left.add(1, 1)\ncommit\n", 2, "there is no 'begin' before"),
    ("begin\nleft.add(1, 1)\nbegin\n", 3, "a batch is open since line 1"),
    ("begin\n@packet 3 left.add(1, 1)\ncommit\n", 2, "has the time of its 'begin'"),
    ("begin\ncommit\n", 2, "the batch has no calls"),
    ("begin\nleft.count()\ncommit\n", 2, "a batch calls 'add', 'change'"),
    ("begin\nm.other(3)\ncommit\n", 2, "not 'm.other'"),
    ("begin\nleft.add(1)\ncommit\n", 2, "needs 'v'"),
]


@pytest.mark.parametrize(("text", "line", "why"), WRONG, ids=lambda v: str(v)[:20])
def test_what_is_no_batch(
    text: str, line: int, why: str, program: Path, tmp_path: Path
) -> None:
    control = tmp_path / "c.txt"
    control.write_text(text)
    for command in commands(program, "--quiet")[::2]:
        said = run(
            *command, f"--trace={program.with_suffix('.pcap')}",
            f"--control={control}", status=1,
        ).stderr  # fmt: skip
        assert f"c.txt:{line}" in said and why in said, said


@requires("bakersw")
def test_a_switch_takes_batches(program: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("\n".join(["begin", *START, "commit"]) + "\n")
    bad.write_text("left.add(9, 9)\nbegin\nleft.remove(1)\nleft.remove(1)\ncommit\n")
    with running_switch(program, tmp_path, "--port=null", "--stay") as switch:

        def ctl(*words: object, status: int = 0) -> str:
            done = run(
                "bakersw", "ctl", f"--socket={switch.path}", *words, status=status
            )
            return done.stderr if status else done.stdout

        assert ctl("load", good) == ""
        assert ctl("dump", "right").splitlines() == [f"m.{x}" for x in START[1:]]
        said = ctl("load", bad, status=1)
        assert "bad.txt:4: " in said and "no such entry" in said
        assert ctl("left.count") == "2\n"
        assert output_of("bakersw", "ctl", f"--socket={switch.path}", "dump").count(
            "m.right.add"
        ) in (0, 2)
