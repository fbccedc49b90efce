"""Programs on x86 ask the system for huge pages for their large data."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.paths import BUILD
from testkit.tools import requires, run

pytestmark = [
    requires("bakerc"),
    pytest.mark.skipif(
        not Path("/sys/kernel/mm/transparent_hugepage").exists(),
        reason="the system has no transparent huge pages",
    ),
]
MIB = 1 << 20
#: The flag of memory for which huge pages are asked (proc(5)).
ASKED = "hg"

SOURCE = """
import net.ether;
module m {
  u32 seen[8388608];
  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(ether_pkt * ph) {
  u32 at = (u32)ph->dst & 8388607;
  ph->src = seen[at];
  seen[at] = 1;
  ph->metadata.tx.port = 1;
  channel_put(out_cc, ph);
}
"""


def advised_bytes(process: int) -> int:
    """The memory of a process for which it asked for huge pages."""
    try:
        text = Path(f"/proc/{process}/smaps").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    found, size = 0, 0
    for line in text.splitlines():
        if line.startswith("Size:"):
            size = int(line.split()[1]) * 1024
        elif line.startswith("VmFlags:") and ASKED in line.split():
            found += size
    return found


def most_advised(command: Sequence[str | Path]) -> int:
    """The same while the command runs; it is ended when there is enough."""
    found = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and found < 32 * MIB:
            found = max(found, advised_bytes(process.pid))
            time.sleep(0.01)
        process.kill()
    return found


@pytest.mark.parametrize("is_ahead", [False, True])
def test_large_data_are_advised(is_ahead: bool, tmp_path: Path) -> None:
    source, trace = tmp_path / "m.baker", tmp_path / "t.pcap"
    source.write_text(SOURCE)
    write_pcap(trace, [bytes(60)] * 64)
    inputs = (f"--trace={trace}", "--packets=100000000")
    command: tuple[str | Path, ...] = (
        BUILD / "bin/bakerc",
        source,
        "--run",
        "--fast",
        *inputs,
    )
    if is_ahead:
        program = tmp_path / "m"
        run("bakerc", source, "--target=x86", "--emit=exe", "-o", program)
        command = (program, trace, "--packets=100000000")
    assert most_advised(command) >= 32 * MIB
