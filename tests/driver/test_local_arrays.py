"""Large local arrays lie in local memory, scratch or SRAM, and every context has
its own."""

from __future__ import annotations

import json
import random
import re
import struct
from collections import Counter
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.tools import output_of, requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = Path(__file__).parent / "Inputs/local_arrays.baker"
COUNT = 120
#: One array, read and written at an index of the packet.
ONE = """
import net.ether;
module m {{
  ppf work {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}
  wiring {{ rx -> work.in_cc; work.out_cc -> tx; }}
}}
m.work.ppf(ether_pkt * ph) {{
  u32 i = (u32)ph->src;
  {}
  ph->type = (u16)sum;
  channel_put(out_cc, ph);
}}
"""
PLAIN = "u32 a[64]; a[i & 63] = i; u32 sum = a[i >> 6 & 63];"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("arrays") / "in.pcap"
    rng = random.Random(25)
    heads = (
        struct.pack(
            ">IBBH", rng.randrange(1 << 32), rng.randrange(40), rng.randrange(80), n
        )
        for n in range(COUNT)
    )
    write_pcap(path, [head + bytes(52) for head in heads])
    return path


@pytest.fixture(scope="module")
def expected(trace: Path) -> Counter[tuple[int, bytes]]:
    out = trace.parent / "x86.pcapng"
    run("bakerc", PROGRAM, "--run", f"--trace={trace}", f"--out={out}")
    frames = read_pcapng(out)
    # Both PPFs leave results that differ from packet to packet.
    assert frames.total() == COUNT and len(frames) == COUNT
    assert sum(frame[8:12] != bytes(4) for _, frame in frames) == COUNT
    return frames


@pytest.mark.parametrize(
    ("level", "engines", "seed"),
    [("base", 1, 1), ("o1", 6, 2), ("pac", 2, 3), ("swc", 1, 4), ("swc", 6, 5)],
)
def test_the_chip_computes_what_x86_does(
    level: str,
    engines: int,
    seed: int,
    trace: Path,
    expected: Counter[tuple[int, bytes]],
    tmp_path: Path,
) -> None:
    image, out = tmp_path / "a.ixp", tmp_path / "o.pcapng"
    options = [f"--level={level}", f"--mes={engines}", f"--profile-trace={trace}"]
    said = output_of("bakerc", PROGRAM, *options, "--explain=place-locals", "-o", image)
    places = dict(re.findall(r"local array (\S+) lies in ([a-z ]+\d?):", said))
    assert places["local_arrays.mixed.a"] == "local memory", said
    assert places["local_arrays.more.in_cc.grid"] != "local memory", said
    run("ixpsim", image, f"--trace={trace}", f"--out={out}", "--quiet",
        f"--seed={seed}")  # fmt: skip
    assert read_pcapng(out) == expected


@pytest.mark.parametrize("stages", ["--burst=8", "--burst=1"])
def test_batches_on_x86_do_not_mix_packets(
    stages: str,
    trace: Path,
    expected: Counter[tuple[int, bytes]],
    tmp_path: Path,
) -> None:
    out = tmp_path / "o.pcapng"
    run("bakerc", PROGRAM, "--run", "--fast", stages, f"--trace={trace}",
        f"--out={out}")  # fmt: skip
    assert read_pcapng(out) == expected


def compiled(text: str, folder: Path, *options: str) -> tuple[dict[str, int], str]:
    """The statistics of the code and what `--explain` says."""
    source, report = folder / "one.baker", folder / "one.json"
    source.write_text(ONE.format(text))
    said = output_of(
        "bakerc", source, "-o", folder / "one.ixp", f"--report={report}",
        "--explain=place-locals", *options,
    )  # fmt: skip
    (aggregate,) = json.loads(report.read_text())["aggregates"]
    return aggregate, said


def test_an_index_costs_no_comparisons(tmp_path: Path) -> None:
    aggregate, said = compiled(PLAIN, tmp_path)
    assert "m.work.in_cc.a lies in local memory: 64 words" in said
    assert "stacks have 16 words instead of 48" in said
    without, _ = compiled("u32 sum = i;", tmp_path)
    assert aggregate["words"] - without["words"] < 150


def test_what_local_memory_does_not_hold_is_elsewhere(tmp_path: Path) -> None:
    _, said = compiled(PLAIN + " u32 b[64]; b[i] = sum; sum = b[63];", tmp_path)
    assert said.count("lies in local memory") == 1
    assert re.search(
        r"m\.work\.in_cc\.b lies in (scratch|sram\d): 64 words, .*"
        r"local memory leaves a context 64 words beside a stack of 16",
        said,
    ), said
