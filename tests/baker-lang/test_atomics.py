"""Atomic operations with results: engines and the XScale core work on one word at
once, in scratch and in SRAM, and no step is lost or seen twice."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.tools import output_of, requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol ether {
  dst : 48; src : 48; type : 16; ticket : 32; before : 32; wrong : 32; demux { 26 };
}
module m {
  @place(MEMORY) u32 next;       // the next ticket
  @place(MEMORY) u32 last;       // the ticket of the last swap, plus 1
  @place(MEMORY) u32 held[32];   // bit t % 32 of word t / 32 while t is served
  @place(MEMORY) u32 done;
  ppf engine { in ether_pkt * in_cc; out ether_pkt * out_cc; out ether_pkt * cold_cc; }
  @cold ppf core { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> engine.in_cc; engine.out_cc -> tx; engine.cold_cc -> core.in_cc;
    core.out_cc -> tx; }
  void serve(ether_pkt * ph) {
    u32 ticket = atomic_add(next, 1);
    u32 bit = 1 << (ticket & 31), word = ticket >> 5 & 31;
    u32 wrong = (atomic_or(held[word], bit) & bit) != 0 ? 1 : 0;
    ph->ticket = ticket;
    ph->before = atomic_swap(last, ticket + 1);
    if ((atomic_and(held[word], ~bit) & bit) == 0)
      wrong += 2;
    ph->wrong = wrong;
    atomic_add(done, 1);
  }
  engine.ppf(ether_pkt * ph) {
    if (ph->type == 1) { channel_put(cold_cc, ph); return; }
    serve(ph);
    channel_put(out_cc, ph);
  }
  core.ppf(ether_pkt * ph) { serve(ph); channel_put(out_cc, ph); }
  control int unfinished(u32 expected) { return expected - done; }
  control int left_over(u32 i) { return held[i & 31]; }
  control int last_swapped() { return last; }
}
"""
PACKETS, COLD = 600, 60


def frame_of(ether_type: int) -> bytes:
    return struct.pack(">6s6sH", b"\2", b"\2", ether_type) + bytes(46)


def results(path: Path) -> list[tuple[int, int, int]]:
    """Ticket, word before the swap and faults of each packet that left."""
    frames = (frame for _, frame in read_pcapng(path).elements())
    return [struct.unpack(">III", frame[14:26]) for frame in frames]


def write_inputs(folder: Path, memory: str) -> tuple[Path, Path]:
    source, trace = folder / "p.baker", folder / "t.pcap"
    source.write_text(PROGRAM.replace("MEMORY", memory))
    every = PACKETS // COLD
    write_pcap(trace, [frame_of(int(i % every == 0)) for i in range(PACKETS)])
    return source, trace


@pytest.mark.parametrize("memory", ["scratch", "sram"])
@pytest.mark.parametrize("level", ["base", "o1", "o2", "pac", "soar", "phr", "swc"])
def test_no_step_is_lost_or_seen_twice(level: str, memory: str, tmp_path: Path) -> None:
    source, trace = write_inputs(tmp_path, memory)
    image, out = tmp_path / "p.ixp", tmp_path / "o.pcapng"
    control = tmp_path / "c.txt"
    control.write_text(
        f"@cycle 20000000 unfinished({PACKETS})\n"
        + "".join(f"@cycle 20000000 left_over({i})\n" for i in range(32))
    )
    run(
        "bakerc", source, f"--level={level}", "--mes=3",
        f"--profile-trace={trace}", "-o", image,
    )  # fmt: skip
    run(
        "ixpsim", image, f"--trace={trace}", f"--control={control}",
        f"--out={out}", "--quiet",
    )  # fmt: skip
    seen = results(out)
    assert sorted(ticket for ticket, _, _ in seen) == list(range(PACKETS))
    assert {wrong for _, _, wrong in seen} == {0}
    # Every swapped word is returned once, but the last one.
    swapped = sorted(before for _, before, _ in seen)
    everything = set(range(PACKETS + 1))
    assert len(set(swapped)) == PACKETS and set(swapped) < everything
    assert 0 in swapped


def test_the_host_does_the_same(tmp_path: Path) -> None:
    source, trace = write_inputs(tmp_path, "scratch")
    out = tmp_path / "o.pcapng"
    run("bakerc", source, "--run", f"--trace={trace}", f"--out={out}")
    assert results(out) == [(i, i, 0) for i in range(PACKETS)]


def test_an_operation_whose_value_is_not_used_does_not_wait(tmp_path: Path) -> None:
    source, _ = write_inputs(tmp_path, "sram")
    said = output_of("bakerc", source, "--emit=asm", "--mes=1", "-o", "-")
    for command in ("test_and_add", "test_and_set", "test_and_clr", "swap"):
        assert f"sram[{command}," in said, command
    assert "sram[incr," in said or "sram[add," in said, "done is only counted"


def test_dram_is_refused(tmp_path: Path) -> None:
    source, _ = write_inputs(tmp_path, "dram")
    said = output_of("bakerc", source, "-o", tmp_path / "p.ixp", status=1)
    assert "p.baker:" in said and "cannot go to dram" in said


def test_compare_and_swap_is_refused_with_its_remedy(tmp_path: Path) -> None:
    source = tmp_path / "p.baker"
    source.write_text(
        PROGRAM.replace("MEMORY", "sram").replace(
            "atomic_swap(last, ticket + 1)", "atomic_compare_swap(last, 0, ticket)"
        )
    )
    said = output_of("bakerc", source, "--emit=ast", status=1)
    assert said.count("error:") == 1
    assert "no compare-and-swap" in said and "critical (lock)" in said
