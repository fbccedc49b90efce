"""Numbers of more than 64 bits at every level: in packets, metadata, global data
and calls of control functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from npftrace.runs.packet_file import read_test
from npftrace.runs.packet_tests import run_test
from testkit.captures import write_pcap
from testkit.paths import BUILD, ROOT
from testkit.tools import requires, run

pytestmark = requires("bakerc", "ixpsim")
PROGRAM = ROOT / "tests/packets/language/wide_data.baker"


@pytest.mark.parametrize(
    "level", ["x86", "base", "o1", "o2", "pac", "soar", "phr", "swc"]
)
def test_both_engines_agree(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=":")
    test = read_test(PROGRAM.with_suffix(".packets"))
    assert run_test(test, level, tmp_path) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "odd_is(1, 20:2:10:db80:10:20:30:40)",
            "argument 2 does not fit expected: u100 of "
            "wide_data.odd_is(i: u8, expected: u100) [E-traces-025]",
        ),
        (
            "peer_set(1, -1, 2)",
            "argument 2 does not fit address: u128 of "
            "wide_data.peer_set(i: u8, address: u128, port: u8) [E-traces-025]",
        ),
        (
            "peer_set(::1, 5, 2)",
            "argument 1 does not fit i: u8 of "
            "wide_data.peer_set(i: u8, address: u128, port: u8) [E-traces-025]",
        ),
        ("peer_set(1, ff02::1, 2)", "a peer has an address of its own"),
    ],
)
def test_what_an_argument_cannot_be(call: str, message: str, tmp_path: Path) -> None:
    control = tmp_path / "c.txt"
    control.write_text("peer_set(0, ::1, 1)\n" + call + "\n")
    trace = tmp_path / "t.pcap"
    write_pcap(trace, [bytes(60)])
    arguments = ["--run", f"--trace={trace}", f"--control={control}"]
    told = run("bakerc", PROGRAM, *arguments, status=1).stderr
    assert "c.txt:2:" in told and message in told


def test_a_breakpoint_shows_elements_that_share_words(tmp_path: Path) -> None:
    program = PROGRAM.with_name("packed.baker")
    image, trace, control = (tmp_path / name for name in ("p.ixp", "t.pcap", "c.txt"))
    control.write_text("port_set(1, 7)\nport_set(2, 9)\noffset_set(0, -2)\n")
    write_pcap(trace, [bytes(60)])
    told = run("bakerc", program, "-o", image, "--explain=pack-arrays").stderr
    assert "packed.port_of: 256 elements in 64 words" in told
    assert "packed.is_open: 64 elements in 2 words" in told
    assert "packed.seen: a word for each element: packets store to it" in told
    inputs = [f"--trace={trace}", f"--control={control}"]
    shown = run("ixpsim", image, *inputs, "--quiet", "--break=5").stdout
    lines = (line.split(None, 1) for line in shown.splitlines())
    rows = {words[0]: words[1] for words in lines if len(words) == 2}
    assert rows["packed.port_of"].startswith("u8[256] ")
    assert " 0x0 0x7 0x9 0x0 " in rows["packed.port_of"]
    assert rows["packed.port_of"].endswith("more elements")
    assert " 0xfffe 0x0 " in rows["packed.offset_of"]


def test_a_breakpoint_shows_the_types_and_words(tmp_path: Path) -> None:
    image, trace, control = (tmp_path / name for name in ("p.ixp", "t.pcap", "c.txt"))
    control.write_text("peer_set(1, 2001:db8::7, 2)\n")
    write_pcap(trace, [bytes(60)])
    run("bakerc", PROGRAM, "-o", image)
    inputs = [f"--trace={trace}", f"--control={control}"]
    shown = run("ixpsim", image, *inputs, "--quiet", "--break=5").stdout
    lines = (line.split(None, 1) for line in shown.splitlines())
    rows = {words[0]: words[1] for words in lines if len(words) == 2}
    assert rows["wide_data.seen"].startswith("u128 ")
    assert rows["wide_data.base"].endswith("0x20010db8 0x0 0x0 0xffff")
    assert rows["wide_data.peers"].startswith(
        "struct { u8 port; u128 address; u100 odd; }[4]"
    )
