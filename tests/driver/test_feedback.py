"""Aggregation works with estimates. If the generated code takes a different time,
engines are distributed again by the cost of the code."""

from __future__ import annotations

import random
from pathlib import Path

from testkit.captures import write_pcap
from testkit.tools import output_of, read_json, requires

pytestmark = requires("bakerc", "ixpsim")

#: Two of these do not fit one control store.
STEPS = 560


def straight_code(seed: int) -> str:
    """Steps that do not fold and have no branch."""
    rng = random.Random(seed)
    lines = []
    for step in range(STEPS):
        one, two = rng.sample(["x", "y", "z"], 2)
        shift, constant = step % 7 + 1, rng.randrange(1 << 32)
        lines.append(f"  {one} = ({one} ^ {two}) + {constant} + ({two} << {shift});")
    return "\n".join(lines)


def program(loop: str) -> str:
    """Two PPFs with the same code; the first one also has `loop`."""
    body = (
        "  u32 x = (u32)ph->src;\n  u32 y = (u32)ph->dst;\n  u32 z = ph->type;\n"
        "{loop}{code}\n  ph->src = (u48)x << 16 ^ y;\n  ph->dst = z;\n"
        "  channel_put(out_cc, ph);\n"
    )
    first = body.format(loop=loop, code=straight_code(1))
    second = body.format(loop="", code=straight_code(2))
    return (
        "import net.ether;\nmodule m {\n"
        "  ppf a { in ether_pkt * in_cc; out ether_pkt * out_cc; }\n"
        "  ppf b { in ether_pkt * in_cc; out ether_pkt * out_cc; }\n"
        "  wiring { rx -> a.in_cc; a.out_cc -> b.in_cc; b.out_cc -> tx; }\n}\n"
        f"m.a.ppf(ether_pkt * ph) {{\n{first}}}\n"
        f"m.b.ppf(ether_pkt * ph) {{\n{second}}}\n"
    )


def engines_of(folder: Path, loop: str) -> tuple[list[int], str]:
    """The engines of each aggregate, and aggregation's explanation."""
    source, report = folder / "two.baker", folder / "two.json"
    source.write_text(program(loop))
    trace = folder / "in.pcap"
    write_pcap(trace, [bytes(range(60))] * 20)
    said = output_of(
        "bakerc", source, f"--profile-trace={trace}", "--explain=aggregation",
        f"--report={report}", "-o", folder / "two.ixp",
    )  # fmt: skip
    aggregates = read_json(report)["aggregates"]
    return [len(a["engines"]) for a in aggregates], said


def test_a_loop_that_folds_needs_no_engines(tmp_path: Path) -> None:
    loop = "  for (u32 i = 0; i < 3000; i++)\n    x += 5;\n"
    engines, said = engines_of(tmp_path, loop)
    assert "cycles of generated code per packet received" in said
    assert engines == [3, 3]


def test_right_estimates_are_not_corrected(tmp_path: Path) -> None:
    engines, said = engines_of(tmp_path, "")
    assert engines == [3, 3]
    assert "of the code itself" not in said
