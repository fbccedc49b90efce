"""A look-up whose entry is then read makes as many accesses as the compiler says."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol p {{ head : 112; k : 32; demux {{ 18 }}; }}
module m {{
  drop_reason unknown;
  table t {{ key {{ {key} k; }} value {{ u16 port; }} limit {limit}; }}
  ppf f {{ in p_pkt * in_cc; out p_pkt * out_cc; }}
  wiring {{ rx -> f.in_cc; f.out_cc -> tx; }}
}}
m.f.ppf(p_pkt * ph) {{
  t * entry = t.find(({key})ph->k);
  if (!entry) {{
    packet_drop(ph, unknown);
    return;
  }}
  ph->k = entry->port;
  channel_put(out_cc, ph);
}}
"""
SAYS = re.compile(r"\[tables\] m\.t: (\w+), .*?([\d.]+) access")


@pytest.mark.parametrize(
    ("key", "limit", "structure"),
    [
        ("u8", 256, "direct"), ("u12", 4096, "direct"), ("u16", 65536, "direct"),
        ("u32", 1000, "buckets"), ("u48", 1000, "buckets"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("level", ["pac", "phr"])
def test_an_entry_that_is_found_costs_no_access_more(
    key: str, limit: int, structure: str, level: str, tmp_path: Path
) -> None:
    source, image = tmp_path / "t.baker", tmp_path / "t.ixp"
    source.write_text(PROGRAM.format(key=key, limit=limit))
    said = output_of(
        "bakerc", source, f"--level={level}", "--explain=tables", "-o", image
    )
    found = SAYS.search(said)
    assert found
    assert found[1] == structure
    draw = random.Random(5)
    bits = min(int(key[1:]), 32)
    keys = draw.sample(range(1 << bits), min(limit, 200))
    calls = tmp_path / "t.control"
    calls.write_text("".join(f"t.add({k}, {k % 999})\n" for k in keys))
    frames = [bytes(14) + draw.choice(keys).to_bytes(4) + bytes(42) for _ in range(500)]
    write_pcap(tmp_path / "t.pcap", frames)
    run(
        "ixpsim", image, "--trace", tmp_path / "t.pcap", "--control", calls, "--quiet",
        "--stats", tmp_path / "stats.json",
    )  # fmt: skip
    stats = read_json(tmp_path / "stats.json")
    assert stats["packets"]["forwarded"] == len(frames)
    accesses = stats["per_packet"]["application"]
    # The compiler speaks of a full table.
    assert 0.99 < sum(accesses.values()) < float(found[2]) + 0.01
