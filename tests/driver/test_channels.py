"""Channels between engines: packets arrive as on x86, on every kind of ring. The
loader chooses next-neighbour rings; a PPF that does not fit an engine becomes a
pipeline; engines stop while traffic is low."""

from __future__ import annotations

import random
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

CHAIN = """
import net.ether;
module m {
  metadata { u32 sum; }
  u32 seen[16];
  ppf a { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  ppf b { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  ppf c { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring {
    rx -> a.in_cc;
    a.out_cc -> b.in_cc;
    b.out_cc -> c.in_cc;
    c.out_cc -> tx;
  }
}
m.a.ppf(ether_pkt * ph) {
  ph->metadata.sum = (u32)ph->src * 3 + ph->type;
  ph->metadata.tx.port = (u8)(ph->dst & 3);
  channel_put(out_cc, ph);
}
m.b.ppf(ether_pkt * ph) {
  ph->metadata.sum = ph->metadata.sum ^ (u32)ph->dst;
  channel_put(out_cc, ph);
}
m.c.ppf(ether_pkt * ph) {
  ph->src = ph->metadata.sum;
  channel_put(out_cc, ph);
}
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = random.Random(11)
    path = tmp_path_factory.mktemp("channels") / "in.pcap"
    sizes = (60, 60, 61, 200)
    write_pcap(path, [rng.randbytes(rng.choice(sizes)) for _ in range(400)])
    return path


def on_x86(source: Path, trace: Path, folder: Path) -> Counter[tuple[int, bytes]]:
    out = folder / "x86.pcapng"
    run("bakerc", source, "--run", f"--trace={trace}", f"--out={out}")
    return read_pcapng(out)


def on_chip(
    image: Path, trace: Path, folder: Path, *more: str
) -> tuple[Counter[tuple[int, bytes]], dict[str, Any]]:
    out, stats = folder / "chip.pcapng", folder / "stats.json"
    run(
        "ixpsim", image, f"--trace={trace}", f"--out={out}", f"--stats={stats}",
        "--quiet", *more,
    )  # fmt: skip
    found: dict[str, Any] = read_json(stats)
    return read_pcapng(out), found


def microcode(stats: dict[str, Any]) -> list[str]:
    return [e["microcode"] for e in stats["microengines"] if e["role"] == "app"]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def mapping_of(*wishes: str) -> str:
    lines = [
        f"aggregate {name} {wish}\n  m.{name}\n"
        for name, wish in zip("abc", wishes, strict=True)
    ]
    return "".join(lines)


@pytest.mark.parametrize("level", ["base", "swc"])
def test_the_loader_chooses_next_neighbour_rings(
    level: str, trace: Path, tmp_path: Path
) -> None:
    source = write(tmp_path, "chain.baker", CHAIN)
    mapping = write(tmp_path, "mapping.txt", mapping_of("2", "1", "1"))
    image = tmp_path / "a.ixp"
    run("bakerc", source, f"--level={level}", f"--mapping={mapping}", "-o", image)
    expected = on_x86(source, trace, tmp_path)
    sent, stats = on_chip(image, trace, tmp_path)
    assert sent == expected
    # Two engines put on the ring of b.
    assert microcode(stats) == ["a", "a", "b.puts", "c.takes"]
    sent, stats = on_chip(image, trace, tmp_path, "--mes=3")
    assert sent == expected
    assert microcode(stats) == ["a.puts", "b.takes.puts", "c.takes"]


def test_sram_rings_and_contexts(trace: Path, tmp_path: Path) -> None:
    source = write(tmp_path, "chain.baker", CHAIN)
    wishes = ("2", "2 contexts=3 ring=sram", "contexts=5 ring=sram")
    mapping = write(tmp_path, "mapping.txt", mapping_of(*wishes))
    image, report = tmp_path / "a.ixp", tmp_path / "report.json"
    run("bakerc", source, f"--mapping={mapping}", f"--report={report}", "-o", image)
    sent, stats = on_chip(image, trace, tmp_path)
    assert sent == on_x86(source, trace, tmp_path)
    assert stats["packets"]["forwarded"] == 400
    rings = [
        d["decision"] for d in read_json(report)["decisions"] if d["kind"] == "channel"
    ]
    assert "ring 32" in rings and "ring 33" in rings


@pytest.mark.parametrize("wish", ["contexts=9", "ring=dram", "2 3"])
def test_wrong_mapping_options_are_errors(wish: str, tmp_path: Path) -> None:
    source = write(tmp_path, "chain.baker", CHAIN)
    mapping = write(tmp_path, "mapping.txt", mapping_of("", wish, ""))
    said = output_of(
        "bakerc", source, f"--mapping={mapping}", "-o", tmp_path / "a.ixp", status=1
    )
    assert "mapping.txt:3" in said and "E-aggregation-001" in said


def large_ppf(steps: int) -> str:
    """A PPF of long straight code, with branches that meet again."""
    rng = random.Random(4)
    lines = []
    for step in range(steps):
        one, two = rng.sample(["x", "y", "z"], 2)
        constant = rng.randrange(1 << 32)
        lines.append(
            f"  {one} = ({one} ^ {two}) + {constant} + ({two} << {step % 7 + 1});"
        )
        if step % 8 == 0:
            lines.append(
                f"  if (({one} & 3) == 0) {{ {two} -= {one}; seen[{one} & 15]++; }}"
            )
            lines.append(f"  else {{ {two} ^= {constant >> 3}; }}")
        if step % 200 == 199:
            lines.append("  if (x == 0x12345678) { packet_drop(ph, odd); return; }")
    return "\n".join(
        [
            "import net.ether;",
            "module m {",
            "  drop_reason odd;",
            "  u32 seen[16];",
            "  ppf work { in ether_pkt * in_cc; out ether_pkt * out_cc; }",
            "  wiring { rx -> work.in_cc; work.out_cc -> tx; }",
            "}",
            "m.work.ppf(ether_pkt * ph) {",
            "  u32 x = (u32)ph->src;",
            "  u32 y = (u32)ph->dst;",
            "  u32 z = ph->type;",
            *lines,
            "  ph->src = (u48)x << 16 ^ y;",
            "  ph->dst = z;",
            "  channel_put(out_cc, ph);",
            "}",
        ]
    )


@pytest.mark.parametrize("level", ["base", "swc"])
def test_a_ppf_too_large_for_an_engine_becomes_a_pipeline(
    level: str, trace: Path, tmp_path: Path
) -> None:
    source = write(tmp_path, "large.baker", large_ppf(1300))
    image, report = tmp_path / "a.ixp", tmp_path / "report.json"
    said = output_of(
        "bakerc", source, f"--level={level}", f"--report={report}",
        "--explain=aggregation", "-o", image,
    )  # fmt: skip
    assert "split m.work: " in said
    aggregates = read_json(report)["aggregates"]
    assert len(aggregates) >= 2
    assert sum(a["words"] for a in aggregates) > 4096
    sent, _ = on_chip(image, trace, tmp_path)
    assert sent == on_x86(source, trace, tmp_path)


def small_ppfs(count: int) -> str:
    """A chain of PPFs whose sizes are estimated several times too high."""
    names = [f"p{i}" for i in range(count)]
    ends = [*(f"{name}.in_cc" for name in names), "tx"]
    declared = "".join(
        f"  ppf {n} {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}\n"
        for n in names
    )
    wires = "".join(
        f"    {n}.out_cc -> {end};\n" for n, end in zip(names, ends[1:], strict=True)
    )
    bodies = "".join(
        f"m.{n}.ppf(ether_pkt * ph) {{\n"
        f"  ph->src = ph->src + {i};\n  ph->type = ph->type ^ (u16)(ph->src >> 3);\n"
        "  channel_put(out_cc, ph);\n}\n"
        for i, n in enumerate(names)
    )
    wiring = f"  wiring {{\n    rx -> p0.in_cc;\n{wires}  }}\n"
    return f"import net.ether;\nmodule m {{\n{declared}{wiring}}}\n{bodies}"


def test_aggregates_are_formed_again_by_true_sizes(trace: Path, tmp_path: Path) -> None:
    """By the estimate these PPFs need more engines than the chip has. The first
    compilation shows that their code fits one."""
    source = write(tmp_path, "small.baker", small_ppfs(120))
    image, report = tmp_path / "a.ixp", tmp_path / "report.json"
    run("bakerc", source, f"--report={report}", "-o", image)
    (only,) = read_json(report)["aggregates"]
    assert len(only["ppfs"]) == 120 and len(only["engines"]) == 6
    assert only["words"] < 4096
    sent, _ = on_chip(image, trace, tmp_path)
    assert sent == on_x86(source, trace, tmp_path)


def test_idle_contexts_seldom_use_the_scratchpad(trace: Path, tmp_path: Path) -> None:
    """Each of 48 contexts that found no message polls again after 512 cycles, with a
    command that takes 3 cycles of the scratchpad."""
    source = write(tmp_path, "chain.baker", CHAIN)
    image = tmp_path / "a.ixp"
    run("bakerc", source, "-o", image)
    sent, stats = on_chip(image, trace, tmp_path, "--rate=0.01")
    assert sent == on_x86(source, trace, tmp_path)
    looks = 48 * 3 / 512
    assert stats["units"]["scratch"]["utilization"] < looks * 1.2


def test_engines_stop_while_traffic_is_low(trace: Path, tmp_path: Path) -> None:
    source = write(tmp_path, "chain.baker", CHAIN)
    image = tmp_path / "a.ixp"
    run("bakerc", source, "-o", image)
    said = output_of(
        "ixpsim", image, f"--trace={trace}", "--policy=power", "--quiet", status=1
    )
    assert "E-sim-ixp-017" in said
    run("bakerc", source, "--policy=power", "-o", image)
    expected = on_x86(source, trace, tmp_path)
    sent, stats = on_chip(image, trace, tmp_path, "--policy=power", "--rate=0.1")
    assert sent == expected
    power = stats["power"]
    assert power["stops"] == 5
    engines = sum(e["role"] == "app" for e in stats["microengines"])
    assert power["engine_off_cycles"] > 0.5 * engines * stats["cycles"]


def test_stopped_engines_start_when_traffic_comes(tmp_path: Path) -> None:
    """Few large frames per second, then small ones at the same bit rate: all
    engines run again before a ring is full."""
    frames = []
    for number in range(3300):
        frame = struct.pack(">HIHI", 2, number, 2, number) + b"\x08\x00"
        frames.append(frame.ljust(1500 if number < 300 else 60, b"\0"))
    trace = tmp_path / "burst.pcap"
    write_pcap(trace, frames)
    source = write(tmp_path, "chain.baker", CHAIN)
    image = tmp_path / "a.ixp"
    run("bakerc", source, "--level=base", "--policy=power", "-o", image)
    _, stats = on_chip(image, trace, tmp_path, "--policy=power", "--rate=1")
    assert stats["power"]["stops"] > 2 and stats["power"]["starts"] > 2
    assert stats["packets"]["rx_overflow"] == 0
    assert stats["packets"]["forwarded"] == 3300
