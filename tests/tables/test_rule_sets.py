"""Rule sets of firewalls in a declared table: hundreds of combinations of masks."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from npftrace.tables.classbench import read_classbench
from npftrace.tables.fw1_rules import make_rules
from npftrace.tables.rules import Rule
from testkit import classbench, five_tuples
from testkit.captures import read_pcapng
from testkit.runs import commands, compile_text
from testkit.tools import requires, run

pytestmark = requires("bakerc", "ixpsim")

DATA = os.environ.get("KARAKAL_TEST_DATA")
PROGRAM = """
protocol p { head : 112; k : %(bits)d; number : 32; found : 32; demux { 36 }; }
module m {
  table t { key { %(key)s } value { u32 v; } limit %(limit)d; }
  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(p_pkt * ph) {
  t * entry = t.find(%(find)s);
  ph->found = entry ? entry->v : 0xffffffff;
  channel_put(out_cc, ph);
}
"""
MISS = 0xFFFFFFFF
PACKETS = 300


def rules_of(name: str) -> list[Rule]:
    if name == "made":
        return make_rules(1500, np.random.default_rng(3))
    if not DATA:
        pytest.skip("ClassBench's rules need KARAKAL_TEST_DATA")
    if name.endswith("_seed"):
        return classbench.read_rules(Path(DATA) / f"rules/seeds/{name}", 10_000)
    return read_classbench(Path(DATA) / f"rules/{name}.gz")


def combinations(rules: list[Rule]) -> int:
    return len(
        {(r.src_length, r.dst_length, r.protocol > 255, r.flags[1]) for r in rules}
    )


@pytest.mark.parametrize(
    "name", ["made", "acl1_1k", "fw1_1k", "ipc1_1k", "acl1_10k", "fw1_seed", "fw5_seed"]
)
def test_all_rules_have_room_and_the_first_match_is_found(
    name: str, tmp_path: Path
) -> None:
    rules = five_tuples.distinct(rules_of(name))
    assert combinations(rules) > 64
    rng = np.random.default_rng(4)
    keys = [
        five_tuples.key_of(rules[rng.integers(len(rules))], rng) for _ in range(PACKETS)
    ]
    # Others match any rule or none.
    keys += [
        tuple(int(rng.integers(1 << w)) for w in five_tuples.WIDTHS) for _ in range(30)
    ]
    wanted = [five_tuples.first_match(rules, key) for key in keys]
    frames = [
        bytes(14) + five_tuples.packed(key).to_bytes(five_tuples.BITS // 8)
        + i.to_bytes(4) + bytes(28) for i, key in enumerate(keys)
    ]  # fmt: skip
    text = PROGRAM % {
        "bits": five_tuples.BITS, "key": five_tuples.KEY, "find": five_tuples.FIND,
        "limit": len(rules),
    }  # fmt: skip
    program = compile_text(text, tmp_path, frames)
    calls, out = tmp_path / "c.txt", tmp_path / "o.pcapng"
    calls.write_text("\n".join(five_tuples.adds(rules)) + "\n")
    inputs = (f"--trace={tmp_path}/t.pcap", f"--control={calls}", f"--out={out}")
    for tool, *options in commands(program, "--quiet"):
        run(str(tool), *options, *inputs)
        found = {
            int.from_bytes(f[28:32]): int.from_bytes(f[32:36])
            for _, f in read_pcapng(out)
        }
        got = [found[i] for i in range(len(keys))]
        assert got == [MISS if want is None else want for want in wanted]
