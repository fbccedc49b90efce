"""A packet that goes round a cycle of channels too often is dropped, on every engine
after the same number of rounds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from testkit.applications import LEVELS
from testkit.captures import read_pcapng, write_pcap
from testkit.tools import read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

#: A packet goes round as often as the number in its type says; with the first bit of
#: its destination, each third round leads through the XScale core.
PROGRAM = """
import net.ether;
module m {
  metadata { u16 third; }
  ppf first {
    in ether_pkt * in_cc;
    out ether_pkt * out_cc;
    out ether_pkt * core_cc;
  }
  ppf second {
    in ether_pkt * in_cc;
    out ether_pkt * back_cc;
    out ether_pkt * out_cc;
  }
  @cold ppf slow { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring {
    rx -> first.in_cc;
    first.out_cc -> second.in_cc;
    first.core_cc -> slow.in_cc;
    slow.out_cc -> second.in_cc;
    second.back_cc -> first.in_cc;
    second.out_cc -> tx;
  }
}
m.first.ppf(ether_pkt * ph) {
  ph->metadata.third++;
  if (ph->metadata.third == 3 && ph->dst >> 47 == 1) {
    ph->metadata.third = 0;
    channel_put(core_cc, ph);
  } else {
    channel_put(out_cc, ph);
  }
}
m.second.ppf(ether_pkt * ph) {
  ph->metadata.tx.port = 2;
  if (ph->type == 0) {
    channel_put(out_cc, ph);
    return;
  }
  ph->type -= 1;
  channel_put(back_cc, ph);
}
m.slow.ppf(ether_pkt * ph) { channel_put(out_cc, ph); }
"""
LIMIT = 20
ROUNDS = [0, 1, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 2, 300, 0xFFFF]
FORMS = {"run": [], "fast": ["--fast"], "sub-batch": ["--fast", "--sub-batch=4"]}


def frame(first: int, rounds: int) -> bytes:
    return bytes([first]) + bytes(11) + rounds.to_bytes(2, "big") + bytes(46)


FRAMES = [frame(first, rounds) for rounds in ROUNDS for first in (0, 0x80)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rounds")
    (path / "p.baker").write_text(PROGRAM)
    write_pcap(path / "t.pcap", FRAMES)
    return path


def check(out: Path, stats: Path, limit: int) -> None:
    left = sum(rounds <= limit for rounds in ROUNDS)
    ends = read_json(stats)
    assert ends["drops"]["too_many_rounds"] == 2 * (len(ROUNDS) - left)
    assert ends["packets"]["forwarded"] == 2 * left
    assert read_pcapng(out) == Counter({(2, frame(f, 0)): left for f in (0, 0x80)})


@pytest.mark.parametrize("form", FORMS)
def test_x86(form: str, folder: Path, tmp_path: Path) -> None:
    out, stats = tmp_path / "o.pcapng", tmp_path / "s.json"
    run(
        "bakerc", folder / "p.baker", "--run", *FORMS[form], f"--max-rounds={LIMIT}",
        f"--trace={folder / 't.pcap'}", f"--out={out}", f"--stats={stats}",
    )  # fmt: skip
    check(out, stats, LIMIT)


@pytest.mark.parametrize("level", LEVELS)
def test_chip(level: str, folder: Path, tmp_path: Path) -> None:
    image = tmp_path / "p.ixp"
    out, stats = tmp_path / "o.pcapng", tmp_path / "s.json"
    run(
        "bakerc", folder / "p.baker", f"--level={level}", f"--max-rounds={LIMIT}",
        "--punt-rate=none", "-o", image,
    )  # fmt: skip
    run(
        "ixpsim", image, "--quiet", f"--trace={folder / 't.pcap'}", f"--out={out}",
        f"--stats={stats}",
    )  # fmt: skip
    check(out, stats, LIMIT)


def test_the_limit_is_1000_and_can_be_left_out(folder: Path, tmp_path: Path) -> None:
    out, stats = tmp_path / "o.pcapng", tmp_path / "s.json"
    command = [
        "bakerc", folder / "p.baker", "--run", "--fast",
        f"--trace={folder / 't.pcap'}", f"--out={out}", f"--stats={stats}",
    ]  # fmt: skip
    run(*command)
    check(out, stats, 1000)
    run(*command, "--max-rounds=0")
    assert "too_many_rounds" not in read_json(stats)["drops"]
    assert sum(read_pcapng(out).values()) == len(FRAMES)
    assert "--max-rounds" in run(*command, "--max-rounds=65536", status=2).stderr
