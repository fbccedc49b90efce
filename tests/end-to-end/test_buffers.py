"""A program that makes more packets than the chip has buffers."""

import json
import subprocess
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.paths import BUILD
from testkit.tools import requires

BUFFERS = 4096
COPIES = BUFFERS + 900
PROGRAM = f"""\
import net.ether;
module many {{
  drop_reason copied;
  ppf go {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}
  wiring {{ rx -> go.in_cc; go.out_cc -> tx; }}
}}
many.go.ppf(ether_pkt * ph) {{
  for (u32 i = 0; i < {COPIES}; i++) {{
    ether_pkt * made = packet_create(60);
    if (i & 1) {{
      packet_drop(made, copied);
      made = packet_copy(ph);
    }}
    made->metadata.tx.port = (u8)(i & 3);
    channel_put(out_cc, made);
  }}
  packet_drop(ph, copied);
}}
"""


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("where", ["x86", "base", "swc"])
def test_buffers_come_back(where: str, tmp_path: Path) -> None:
    program, image = tmp_path / "many.baker", tmp_path / "many.ixp"
    trace, out = tmp_path / "in.pcapng", tmp_path / "out.pcapng"
    stats = tmp_path / "stats.json"
    program.write_text(PROGRAM)
    write_capture(trace, [Frame(0, 0, bytes(60))], 4)
    run = [f"--trace={trace}", f"--out={out}", f"--stats={stats}"]
    bakerc = BUILD / "bin/bakerc"
    if where == "x86":
        subprocess.run([bakerc, program, "--run", *run], check=True)
    else:
        subprocess.run([bakerc, program, f"--level={where}", "-o", image], check=True)
        subprocess.run([BUILD / "bin/ixpsim", image, *run, "--quiet"], check=True)
    assert len(read_capture(out, 4).frames) == COPIES
    counts = json.loads(stats.read_text())
    assert counts["packets"]["copied"] == COPIES + COPIES // 2
    assert sum(counts["drops"].values()) == COPIES // 2 + 1
