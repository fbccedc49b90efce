"""Figure 6 of the paper: forwarding rate against memory accesses per packet.

Six engines of eight contexts run a loop with only memory accesses; one
iteration of the loop stands for one 64-byte packet. All accesses go to one address,
so they share one DRAM bank and one SRAM channel, or (for comparison) each
context has an address of its own, spread over banks and channels.
"""

from __future__ import annotations

import json
from typing import Any

from bench.harness.bench import Bench, Failed, progress
from bench.harness.svg_plot import Line, linear, powers_of_two, write_svg
from bench.harness.text_table import table

ACCESSES = (1, 2, 4, 8, 16, 32, 64, 128)
WIDTHS = {"dram": (8, 16, 32, 64), "sram": (4, 8, 16, 32, 64)}
WIDTHS["scratch"] = WIDTHS["sram"]
#: Engines between Rx (0) and Tx (7).
ENGINES = range(1, 7)
PACKET_BITS = 64 * 8
LINE_GBPS = 2.5
#: The loop is measured between these cycles.
BEGIN, END = 20_000, 80_000

HEAD = """\
.reg address override
.sig done
.reg read {registers}
.xfer_order {registers}
start#:
    immed[address, 0]
{spread}
    immed[override, {override_low}]
    immed_w1[override, {override_high}]
loop#:
"""
#: Context n of an engine accesses byte n * 256 (another bank); odd contexts access
#: SRAM channel 1.
SPREAD = """\
    local_csr_rd[ACTIVE_CTX_STS]
    immed[address, 0]
    alu[address, address, AND, 7]
    alu_shf[address, --, B, address, <<8]
"""
SPREAD_SRAM = """\
    br_bclr[address, 8, even#]
    alu_shf[override, --, B, 1, <<30]
    alu[address, address, OR, override]
even#:
"""


def access(memory: str, width: int) -> str:
    """One access of `width` bytes that waits for its data."""
    unit = 8 if memory == "dram" else 4
    count = width // unit
    xfer = "$$in0" if memory == "dram" else "$in0"
    tokens = "sig_done[done]\n    ctx_arb[done]" if memory == "dram" else (
        "ctx_swap[done]"
    )  # fmt: skip
    command = f"{memory}[read, {xfer}, address, 0, "
    if count <= 8:
        return f"    {command}{count}], {tokens}\n"
    return (
        f"    alu[--, --, B, override]\n    {command}max_8], indirect_ref, {tokens}\n"
    )


def source(memory: str, width: int, accesses: int, is_spread: bool) -> str:
    dollar = "$$" if memory == "dram" else "$"
    override = 1 << 25 | (width // 4 - 1) << 21
    spread = SPREAD if is_spread else ""
    if is_spread and memory == "sram":
        spread += SPREAD_SRAM
    head = HEAD.format(
        registers=" ".join(f"{dollar}in{i}" for i in range(width // 4)),
        spread=spread,
        override_low=override & 0xFFFF,
        override_high=override >> 16,
    )
    return head + access(memory, width) * accesses + "    br[loop#]\n"


def assemble(bench: Bench, memory: str, width: int, accesses: int, spread: bool) -> Any:
    kind = "spread" if spread else "fixed"
    stem = bench.folder / f"fig6-{memory}-{width}-{accesses}-{kind}"
    text = stem.with_suffix(".uc")
    text.write_text(source(memory, width, accesses, spread))
    out = stem.with_suffix(".ucode")
    bench.run("ixp-as", text, "--format=bytes", "-o", out)
    return out


def commands(bench: Bench, ucode: Any, cycles: int, settings: tuple[str, ...]) -> int:
    """The commands sent in the first `cycles`."""
    stats = bench.folder / "fig6-stats.json"
    arguments = [f"--ucode={engine}:{ucode}" for engine in ENGINES]
    arguments += [f"--set={setting}" for setting in settings]
    bench.run(
        "ixpsim", *arguments, f"--max-cycles={cycles}", f"--stats={stats}", "--quiet"
    )
    found = json.loads(stats.read_text())
    if found["ended"] != "cycles":
        raise Failed(f"{ucode}: the loop has ended")
    bench.clock_hz = found["clock_hz"]
    return sum(engine["commands"] for engine in found["microengines"])


def rate(
    bench: Bench,
    memory: str,
    width: int,
    accesses: int,
    spread: bool = False,
    settings: tuple[str, ...] = (),
) -> float:
    """Gbit/s of 64-byte packets, one per iteration of the loop."""
    progress(f"fig6: {memory}, {width} bytes, {accesses} a packet")
    ucode = assemble(bench, memory, width, accesses, spread)
    sent = commands(bench, ucode, END, settings) - commands(
        bench, ucode, BEGIN, settings
    )
    seconds = (END - BEGIN) / bench.clock_hz
    return round(sent / accesses * PACKET_BITS / seconds / 1e9, 4)


def fig6(bench: Bench) -> list[dict[str, Any]]:
    """Forwarding rate by memory, width and number of accesses per packet."""
    result = []
    rows: list[list[object]] = []
    lines = []
    for group, (memory, widths) in enumerate(WIDTHS.items()):
        for width in widths:
            found = {n: rate(bench, memory, width, n) for n in ACCESSES}
            result += [
                {"memory": memory, "width_bytes": width, "accesses": n, "gbps": gbps}
                for n, gbps in found.items()
            ]
            rows.append([f"{memory}, {width} B", *found.values()])
            lines.append(Line(f"{memory}, {width} B", group, list(found.items())))
    headings = ["accesses per packet", *map(str, ACCESSES)]
    table("Gbps of 64-byte packets, accesses to one address", headings, rows)
    rows = []
    for memory, widths in WIDTHS.items():
        spread = [rate(bench, memory, widths[0], n, True) for n in ACCESSES]
        rows.append([f"{memory}, {widths[0]} B", *spread])
    table("The same, addresses spread over banks and channels", headings, rows)
    picture = bench.folder / "fig6.svg"
    write_svg(
        picture,
        "Figure 6: accesses per packet and forwarding rate",
        powers_of_two("memory accesses per packet", ACCESSES[0], ACCESSES[-1]),
        linear("Gbit/s of 64-byte packets (dashed: 2.5)", 6, 1),
        lines,
        LINE_GBPS,
    )
    print(f"plot: {picture}")
    return result
