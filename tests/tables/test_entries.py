"""Tables read from outside: `read` and `dump`."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.table_cases import random_case
from testkit.captures import write_pcap
from testkit.switch import running_switch
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

ENTRIES = [
    "m.routes.add(0.0.0.0/0, hop: 1, level: 0)",
    "m.routes.add(10.0.0.0/8, hop: 3, level: -7)",
    "m.routes.add(10.0.0.0/24, hop: 4, level: 127)",
    "m.routes.add(203.0.113.7/32, hop: 65535, level: -128)",
    "m.routes6.add(0, 2001:db8::/32, hop: 18446744073709551615)",
    "m.routes6.add(7, ::/0, hop: 4294967296)",
    "m.routes6.add(7, 2001:db8::1/128, hop: 5)",
    "m.rules.add(any, 80..90, 10.0.0.0/8, 2001:db8:: & ffff:ffff::, "
    "priority: 9, pass: 0)",
    "m.rules.add(10.0.0.1, any, 0.0.0.0/0, any, priority: 4, pass: 1)",
    "m.rules.add(10.0.0.0 & 255.0.0.0, 53, 192.0.2.0/24, any, priority: 3, pass: 1)",
    "m.rules.add(any, 0..1, 1.2.3.4/32, ::1, priority: 3, pass: 1)",
    "m.stations.add(00:00:00:00:00:01, port: 2)",
    "m.stations.add(02:00:00:00:00:07, port: 255)",
    "m.flows.add(::1, ffff::, 127, x: 4294967295)",
    "m.flows.add(2001:db8::2, ::, 0, x: 0)",
    "m.ports.add(0, to: 9)",
    "m.ports.add(255, to: 4294967295)",
]
TABLES = tuple(dict.fromkeys(entry.split(".")[1] for entry in ENTRIES))
FROM_THE_START = ENTRIES[9]


def dumps(folder: Path, source: Path, calls: list[str]) -> list[list[str]]:
    """All entries of all tables, on x86 and on the simulator."""
    control, stats = folder / "c.txt", folder / "s.json"
    ends = [f"@end {name}.dump()" for name in TABLES]
    control.write_text("\n".join([*calls, *ends]) + "\n")
    inputs = (f"--trace={folder / 't.pcap'}", f"--control={control}")
    found = []
    for command in (
        ("bakerc", source, "--run"),
        ("bakerc", source, "--run", "--fast", "--specialize=at-once"),
        ("ixpsim", source.with_suffix(".ixp")),
    ):
        run(*command, *inputs, f"--stats={stats}")
        values = read_json(stats)["control"]["values"]
        assert [value["call"] for value in values] == [end[5:] for end in ends]
        found.append([line for value in values for line in value["entries"]])
    return found


def test_a_dump_is_what_was_added(every_kind: Path) -> None:
    added = [entry for entry in reversed(ENTRIES) if entry != FROM_THE_START]
    # Of equal priorities, the oldest comes first; the source's entry is older.
    for found in dumps(every_kind.parent, every_kind, added):
        assert found == ENTRIES
    # An empty table gives no lines.
    for found in dumps(every_kind.parent, every_kind, [f"{t}.clear()" for t in TABLES]):
        assert found == []


def test_a_dump_can_be_loaded(every_kind: Path) -> None:
    loaded = ["rules.clear()", *ENTRIES]
    for found in dumps(every_kind.parent, every_kind, loaded):
        assert found == ENTRIES


def test_read(every_kind: Path) -> None:
    control, stats = every_kind.parent / "read.txt", every_kind.parent / "s.json"
    control.write_text(
        "routes.add(10.0.0.0/8, 3, -7)\nstations.add(2:0:0:0:0:7, 5)\n"
        "@packet 1 routes.read(10.0.0.0/8)\n@packet 2 routes.dump()\n"
        "@end stations.read(2:0:0:0:0:7)\n@end stations.count()\n"
    )
    inputs = (f"--trace={every_kind.parent / 't.pcap'}", f"--control={control}")
    route = "m.routes.add(10.0.0.0/8, hop: 3, level: -7)"
    station = "m.stations.add(02:00:00:00:00:07, port: 5)"
    for command in (
        ("bakerc", every_kind, "--run"),
        ("ixpsim", every_kind.with_suffix(".ixp")),
    ):
        said = run(*command, *inputs, f"--stats={stats}").stdout
        values = read_json(stats)["control"]["values"]
        assert [v.get("entries", v.get("value")) for v in values] == [
            [route], [route], [station], 1,
        ]  # fmt: skip
        assert f"# routes.dump()\n{route}\n" in said


@requires("bakersw")
def test_a_switch_dumps_the_same(every_kind: Path, tmp_path: Path) -> None:
    loaded = tmp_path / "loaded.txt"
    loaded.write_text("rules.clear()\n" + "\n".join(ENTRIES) + "\n")
    with running_switch(every_kind, tmp_path, "--port=null", "--stay") as switch:

        def ctl(*words: object) -> str:
            return output_of("bakersw", "ctl", f"--socket={switch.path}", *words)

        assert ctl("load", loaded) == ""
        found = "".join(ctl("dump", name) for name in TABLES)
        assert found == "".join(entry + "\n" for entry in ENTRIES)
        assert ctl("ports.read", 255) == "m.ports.add(255, to: 4294967295)\n"
        assert "own.next_entry" not in ctl("functions")
        ctl("ports.clear")
        assert ctl("dump", "ports") == ""


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("routes.read(10.0.0.0/9)", "the table has no such entry"),
        ("routes.read(10.0.0.1/8)", "bits beyond the length of its prefix"),
        ("routes.read()", "needs 'dst'"),
        ("routes.dump(3)", "takes 0 arguments, not 1"),
        ("m.routes.own.next_entry()", "no control function"),
    ],
)
def test_what_cannot_be_read(call: str, why: str, every_kind: Path) -> None:
    control = every_kind.parent / "wrong.txt"
    control.write_text(f"routes.add(10.0.0.0/8, 3, -7)\n{call}\n")
    inputs = (f"--trace={every_kind.parent / 't.pcap'}", f"--control={control}")
    for command in (
        ("bakerc", every_kind, "--run"),
        ("ixpsim", every_kind.with_suffix(".ixp")),
    ):
        said = run(*command, *inputs, status=1).stderr
        assert "wrong.txt:2" in said and why in said, said
        assert "own.entry_word" not in said


@pytest.mark.parametrize("seed", range(300, 306))
def test_random_tables_are_read(seed: int, tmp_path: Path) -> None:
    """What is dumped after random changes loads into the same tables."""
    case = random_case(seed)
    source, trace = tmp_path / "t.baker", tmp_path / "t.pcap"
    source.write_text(case.source())
    write_pcap(trace, case.frames())
    names = [t.name for t in case.tables]
    ends = "".join(f"@end {name}.dump()\n" for name in names)
    control, stats, image = (tmp_path / n for n in ("c.txt", "s.json", "t.ixp"))
    quiet = "-Wno-unused-variable"
    run("bakerc", source, "-o", image, quiet)

    def dump(calls: str, *command: str | Path) -> list[list[str]]:
        control.write_text(calls + ends)
        inputs = (f"--trace={trace}", f"--control={control}", f"--stats={stats}")
        run(*command, *inputs)
        return [v["entries"] for v in read_json(stats)["control"]["values"]]

    on_x86 = ("bakerc", source, "--run", quiet)
    first = dump(case.control(), *on_x86)
    states = case.after_all().values()
    assert [len(lines) for lines in first] == [len(s.entries) for s in states]
    assert dump(case.control(), "ixpsim", image) == first
    # A table may have entries from the start.
    loaded = "".join(f"{name}.clear()\n" for name in names)
    loaded += "".join(line + "\n" for lines in first for line in lines)
    assert dump(loaded, *on_x86) == first
