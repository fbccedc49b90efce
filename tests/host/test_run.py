"""`bakerc --run`: outputs and messages of a program on x86."""

from __future__ import annotations

from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.tools import Done, read_json, requires, run

pytestmark = requires("bakerc")

PROGRAM = """
protocol ether {{ dst : 48; src : 48; type : 16; demux {{ 14 }}; }}
module m {{
  drop_reason odd;
  metadata {{ u8 turns; }}
  u32 limit = 3;
  ppf p {{ in ether_pkt * in_cc; out ether_pkt * out_cc; out ether_pkt * again_cc; }}
  wiring {{ rx -> p.in_cc; p.out_cc -> tx; p.again_cc -> p.in_cc; }}
  control int set_limit(u32 value) {{
    if (value > 100)
      return 7;
    limit = value;
    return 0;
  }}
  control u32 limit_now() {{ return limit; }}
  control s8 below(u8 value) {{ return (s8)(value - 200); }}
}}
m.p.ppf(ether_pkt * ph) {{
  {body}
}}
"""
FORWARD = """
  if (ph->metadata.sequence >= limit) { packet_drop(ph, odd); return; }
  if (ph->metadata.turns == 200) { channel_put(again_cc, ph); return; }
  ph->metadata.tx.port = 2;
  channel_put(out_cc, ph);
"""


class Program:
    """A program with a trace of eight frames in a folder."""

    def __init__(self, folder: Path, body: str) -> None:
        self.folder = folder
        (folder / "p.baker").write_text(PROGRAM.format(body=body))
        write_pcap(folder / "t.pcap", [bytes(60)] * 8)

    def run(self, *options: str, control: str = "", status: int = 0) -> Done:
        (self.folder / "c.txt").write_text(control)
        files = [f"--trace={self.folder / 't.pcap'}"]
        if control:
            files.append(f"--control={self.folder / 'c.txt'}")
        source = self.folder / "p.baker"
        return run("bakerc", source, "--run", *files, *options, status=status)


def test_packets_and_statistics(tmp_path: Path) -> None:
    program = Program(tmp_path, FORWARD)
    out, stats = tmp_path / "o.pcapng", tmp_path / "s.json"
    done = program.run(f"--out={out}", f"--stats={stats}")
    assert "8 received, 3 forwarded, 5 dropped, 0 consumed" in done.stdout
    found = read_json(stats)
    assert found["packets"]["forwarded"] == 3
    other = dict.fromkeys(("unspecified", "truncated", "no_port", "too_many_rounds"), 0)
    assert found["drops"] == {**other, "odd": 5}
    assert found["ppfs"] == {"m.p.in_cc": 8}
    assert found["counters"]["read m.limit"] == 8
    assert out.exists()


def test_the_same_run_gives_the_same_files(tmp_path: Path) -> None:
    program = Program(tmp_path, FORWARD)
    contents = []
    for name in ("a", "b"):
        out, stats = tmp_path / f"{name}.pcapng", tmp_path / f"{name}.json"
        program.run(f"--out={out}", f"--stats={stats}")
        contents.append((out.read_bytes(), stats.read_bytes()))
    assert contents[0] == contents[1]


def test_control_calls_run_at_their_packet(tmp_path: Path) -> None:
    program = Program(tmp_path, FORWARD)
    done = program.run(control="set_limit(1)\n@packet 4 m.set_limit(6)\n")
    assert "3 forwarded" in done.stdout


def test_values_that_control_functions_return(tmp_path: Path) -> None:
    calls = "limit_now()\nbelow(199)\n@end limit_now() # late\n@packet 4 set_limit(6)\n"
    stats = tmp_path / "s.json"
    done = Program(tmp_path, FORWARD).run(f"--stats={stats}", control=calls)
    assert "limit_now() = 3\nbelow(199) = -1\nlimit_now() = 6\n" in done.stdout
    values = read_json(stats)["control"]["values"]
    assert values[2] == {"line": 3, "call": "limit_now()", "value": 6}


@pytest.mark.parametrize(
    "control, message",
    [
        ("# a comment\nset_limit(101)\n", "refused the call: it returned 7"),
        ("set_limt(1)\n", "c.txt:1:"),
        ("set_limit(1, 2)\n", "c.txt:1:"),
        ("set_limit(0x100000000)\n", "c.txt:1:"),
        ("@cycle 5 set_limit(1)\n", "use @packet"),
    ],
)
def test_wrong_control_files_are_refused(
    tmp_path: Path, control: str, message: str
) -> None:
    done = Program(tmp_path, FORWARD).run(control=control, status=1)
    assert message in done.stderr


@pytest.mark.parametrize(
    "body, message",
    [
        (
            "while (limit > 0) { ph->dst = limit; } channel_put(out_cc, ph);",
            "loops without end",
        ),
        ("channel_put(again_cc, ph);", "loops without end"),
        (
            "channel_put(again_cc, packet_copy(ph)); channel_put(again_cc, ph);",
            "packet_copy finds no free buffer",
        ),
    ],
)
def test_a_fault_ends_the_run_with_a_message(
    tmp_path: Path, body: str, message: str
) -> None:
    done = Program(tmp_path, body).run("--max-rounds=0", status=1)
    assert message in done.stderr
    assert "packet 0" in done.stderr


def test_a_packet_without_space_is_dropped(tmp_path: Path) -> None:
    stats = tmp_path / "s.json"
    Program(
        tmp_path,
        "ether_pkt * o = packet_encap(ph); o->dst = 1; channel_put(again_cc, o);",
    ).run(f"--stats={stats}")
    assert read_json(stats)["drops"]["no_room"] == 8


def test_a_missing_trace(tmp_path: Path) -> None:
    program = Program(tmp_path, FORWARD)
    (tmp_path / "t.pcap").unlink()
    assert "t.pcap" in program.run(status=1).stderr


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    program = Program(tmp_path, FORWARD)
    missing = tmp_path / "missing"
    assert "missing" in program.run(f"--stats={missing / 's.json'}", status=1).stderr
    assert "missing" in program.run(f"--out={missing / 'o.pcap'}", status=1).stderr


LARGE = """
protocol ether {{ dst : 48; src : 48; type : 16; demux {{ 14 }}; }}
module m {{
  u32 table[{words}];
  ppf p {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}
  wiring {{ rx -> p.in_cc; p.out_cc -> tx; }}
}}
m.p.ppf(ether_pkt * ph) {{
  u32 slot = (u32)(ph->src >> 8) % {words};
  table[slot] = table[slot] + 1;
  ph->dst = (u48)table[slot];
  channel_put(out_cc, ph);
}}
"""


def test_x86_has_room_for_more_than_the_chip(tmp_path: Path) -> None:
    source, trace = tmp_path / "large.baker", tmp_path / "t.pcap"
    write_pcap(trace, [bytes(60)] * 3)
    source.write_text(LARGE.format(words=100_000_000))
    files = (f"--trace={trace}", f"--out={tmp_path / 'o.pcapng'}")
    run("bakerc", source, "--run", "--fast", *files)
    refused = run("bakerc", source, "-o", tmp_path / "x.ixp", status=1)
    assert "does not fit: 400000000 bytes needed" in refused.stderr
    source.write_text(LARGE.format(words=530_000_000))
    refused = run("bakerc", source, "--run", "--fast", *files, status=1)
    assert "E-driver-041" in refused.stderr
    assert "m.table (2120000000)" in refused.stderr
