"""Control calls that a program refuses: the same words on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.tools import Done, requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }
module m {
  u32 limit = 3;
  ppf p { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> p.in_cc; p.out_cc -> tx; }
  int check(u32 value) {
    return value > 100 ? refusal("the limit is at most 100") : 0;
  }
  control int set_limit(u32 value) {
    int wrong = check(value);
    if (wrong != 0)
      return wrong;
    if (value == 0)
      return 7;
    limit = value;
    return 0;
  }
}
m.p.ppf(ether_pkt * ph) {
  ph->type = (u16)m.limit;
  ph->metadata.tx.port = 1;
  channel_put(out_cc, ph);
}
"""
WORDS = "'m.set_limit' refused the call: the limit is at most 100"
NUMBER = "'m.set_limit' refused the call: it returned 7"


class Program:
    """The program in a folder, with a trace and an image."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "p.baker").write_text(PROGRAM)
        write_pcap(folder / "t.pcap", [bytes(60)] * 8)
        run("bakerc", folder / "p.baker", "-o", folder / "p.ixp")

    def run(self, engine: str, control: str, *options: str, status: int) -> Done:
        (self.folder / "c.txt").write_text(control)
        command = {
            "x86": ["bakerc", self.folder / "p.baker", "--run"],
            "fast": ["bakerc", self.folder / "p.baker", "--run", "--fast"],
            "chip": ["ixpsim", self.folder / "p.ixp", "--quiet"],
        }[engine]
        return run(
            *command,
            f"--trace={self.folder / 't.pcap'}",
            f"--control={self.folder / 'c.txt'}",
            f"--out={self.folder / 'o.pcap'}",
            *options,
            status=status,
        )


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(tmp_path_factory.mktemp("refusals"))


@pytest.mark.parametrize("engine", ["x86", "fast", "chip"])
def test_the_program_s_words_are_told(program: Program, engine: str) -> None:
    done = program.run(engine, "set_limit(5)\nset_limit(101)\n", status=1)
    assert f"c.txt:2: error: {WORDS}" in done.stderr
    done = program.run(engine, "set_limit(0)\n", status=1)
    assert f"c.txt:1: error: {NUMBER}" in done.stderr


@pytest.mark.parametrize("engine", ["x86", "fast", "chip"])
def test_keep_going_reports_all_refused_lines(program: Program, engine: str) -> None:
    calls = "set_limit(101)\nset_limit(9)\n@packet 4 set_limit(0)\n@end set_limit(102)"
    done = program.run(engine, calls, "--keep-going", status=1)
    assert f"c.txt:1: error: {WORDS}" in done.stderr
    assert f"c.txt:3: error: {NUMBER}" in done.stderr
    assert f"c.txt:4: error: {WORDS}" in done.stderr
    assert "c.txt:2" not in done.stderr
    assert (program.folder / "o.pcap").read_bytes().count(b"\x00\x09") >= 8
    assert program.run(engine, "set_limit(9)", "--keep-going", status=0)
