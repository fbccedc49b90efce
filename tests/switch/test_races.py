"""Under `./dev test --sanitize=threads`: the sanitizer sees the accesses of generated
code."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, write_capture
from testkit.paths import BUILD
from testkit.tools import requires

pytestmark = [
    requires("bakersw"),
    pytest.mark.skipif(
        "TSAN_OPTIONS" not in os.environ,
        reason="for ./dev test --sanitize=threads",
    ),
]
COUNT = """
import net.ether;
module m {
  u32 count;
  lock guard;
  ppf next { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> next.in_cc; next.out_cc -> tx; }
}
m.next.ppf(ether_pkt * ph) {
  COUNT
  channel_put(out_cc, ph);
}
"""
RACE = "u32 before = count; count = before + 1;"


def exit_status_of_a_finding() -> int:
    found = re.search(r"exitcode=(\d+)", os.environ["TSAN_OPTIONS"])
    assert found, "./dev says with which status a finding ends a process"
    return int(found[1])


@pytest.mark.parametrize("form", ["race", "lock", "atomic"])
@pytest.mark.parametrize("stages", ["1", "8"])
def test_a_race_of_the_program_is_seen(form: str, stages: str, tmp_path: Path) -> None:
    count = {
        "race": RACE,
        "lock": f"critical (guard) {{ {RACE} }}",
        "atomic": "atomic_add(count, 1);",
    }[form]
    program, trace = tmp_path / "m.baker", tmp_path / "in.pcap"
    program.write_text(COUNT.replace("COUNT", count))
    frames = [Frame(n, 0, bytes(11) + bytes([n % 64]) + bytes(48)) for n in range(640)]
    write_capture(trace, frames, 1)
    options = os.environ["TSAN_OPTIONS"] + f":log_path={tmp_path}/found"
    done = subprocess.run(
        [
            BUILD / "bin/bakersw", program, "--cores=2", "--socket=none", "--quiet",
            f"--sub-batch={stages}", f"--port=pcap,rx={trace},repeat=200",
        ],
        env=os.environ | {"TSAN_OPTIONS": options},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    found = "".join(file.read_text() for file in tmp_path.glob("found*"))
    if form == "race":
        assert done.returncode == exit_status_of_a_finding()
        assert "data race" in found
    else:
        assert done.returncode == 0, done.stderr + found
        assert not found
