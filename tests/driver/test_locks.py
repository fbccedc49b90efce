"""Wherever a lock is, one context at a time is in its critical section: the section
numbers the packets, and each number occurs once."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.tools import output_of, requires, run

pytestmark = requires("bakerc", "ixpsim")

COUNT = 400
#: Reads of a table in scratch that keep the unit busy all the time.
READS = 150
PROGRAM = """
import net.ether;
module m {{
  lock guard;
  u32 next;
  @place(scratch) u32 table[256];
  {control}
  ppf work {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}
  wiring {{ rx -> work.in_cc; work.out_cc -> tx; }}
}}
m.work.ppf(ether_pkt * ph) {{
  u32 sum = 0;
{reads}
  u32 mine = 0;
  critical (guard) {{
    mine = next;
    next = mine + 1;
  }}
  ph->src = mine;
  ph->type = sum;
  channel_put(out_cc, ph);
}}
"""
READ = "  sum += table[{}];\n"
RESET = "control u32 reset() { critical (guard) { next = 0; } return 0; }"


def program(folder: Path, reads: int = 0, control: bool = False) -> Path:
    source = folder / "locks.baker"
    text = PROGRAM.format(
        reads="".join(READ.format(i) for i in range(reads)),
        control=RESET if control else "",
    )
    source.write_text(text)
    return source


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("locks") / "in.pcap"
    heads = [struct.pack(">HIHI", 2, number, 2, number) for number in range(COUNT)]
    write_pcap(path, [head.ljust(60, b"\0") for head in heads])
    return path


def numbers(image: Path, trace: Path, folder: Path) -> list[int]:
    out = folder / "out.pcapng"
    run("ixpsim", image, f"--trace={trace}", f"--out={out}", "--strict", "--quiet")
    return sorted(
        int.from_bytes(data[6:12], "big") for _, data in read_pcapng(out).elements()
    )


def test_contexts_that_wait_do_not_slow_the_holder(trace: Path, tmp_path: Path) -> None:
    """Eight contexts that want one lock do no worse than two."""
    source, image = program(tmp_path), tmp_path / "locks.ixp"
    text = source.read_text()
    source.write_text(
        text.replace("ph->src", "ph->metadata.tx.port = ph->metadata.rx.port; ph->src")
    )
    mapping = tmp_path / "mapping.txt"
    mapping.write_text("aggregate all 1\n  m.work\n")
    run("bakerc", source, f"--mapping={mapping}", "-o", image)
    rates = {}
    for contexts in (2, 8):
        stats = tmp_path / "stats.json"
        run(
            "ixpsim", image, f"--trace={trace}", "--packets=1000", "--quiet",
            f"--threads={contexts}", f"--stats={stats}",
        )  # fmt: skip
        rates[contexts] = json.loads(stats.read_text())["rate"]["forwarded_mpps"]
    assert rates[8] >= rates[2]


@pytest.mark.parametrize("level", ["base", "swc"])
@pytest.mark.parametrize(
    ("engines", "reads", "control", "memory"),
    [
        (1, 0, False, "local memory: only the engine of aggregate"),
        (3, 0, False, "scratch: test and set takes"),
        (6, READS, False, "sram1: test and set takes"),
        (1, 0, True, "scratch: the XScale core also takes it"),
    ],
)
def test_a_critical_section_gives_each_number_once(
    engines: int,
    reads: int,
    control: bool,
    memory: str,
    level: str,
    trace: Path,
    tmp_path: Path,
) -> None:
    source, image = program(tmp_path, reads, control), tmp_path / "locks.ixp"
    mapping = tmp_path / "mapping.txt"
    mapping.write_text(f"aggregate all {engines}\n  m.work\n")
    said = output_of(
        "bakerc", source, f"--level={level}", f"--profile-trace={trace}",
        f"--mapping={mapping}", "--explain=aggregation", "-o", image,
    )  # fmt: skip
    assert f"lock m.guard lies in {memory}" in said
    assert numbers(image, trace, tmp_path) == list(range(COUNT))
