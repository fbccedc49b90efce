"""Compiled microcode against microcode written by hand.

Each kernel of `kernels/` has two versions: NAME.baker, which bakerc compiles at
its highest level, and NAME.uc, written by hand. Both run in the same image, with
the same tables and the same traces, speak the same protocol with Rx and Tx, and
must send what an independent description of the kernel says (`kernel_packets`):
for the traffic of the L3-Switch, whose instructions are counted, and for frames
that reach the rare paths.

Instructions are counted on one context of one engine. Ports and the bus to them
are so fast that it never waits for a ring. The engine's cycles are those of its
instructions, and the slots that branches and swaps leave empty: what a packet
costs however many contexts hide its waits. Cycles from packet to packet are given
for one context and for eight. With eight, a short kernel waits for Rx.

A second table compares the bound of `bakerc --wcet` for a message with the
measured maximum, over frames that take each kernel's longest path.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

from bench.compiler.kernel_packets import ORACLES, unusual_frames
from bench.harness.bench import Bench, Failed, progress
from bench.harness.images import read_manifest
from bench.harness.text_table import table
from bench.harness.workloads import workload
from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.paths import ROOT
from testkit.tools import read_json
from testkit.workloads import Workload

FOLDER = ROOT / "tests" / "bench" / "kernels"
#: Ports faster than any kernel, and a bus to them that is never the limit.
FAST_PORTS = ("--set=ports.rate_bps=10000000000", "--set=msf.clock_hz=1000000000")
PORTS = 4
PACKETS, WARMUP = 600, 100
#: For the worst case: one checksum in 256 overflows.
BOUND_PACKETS = 2000
MEMORIES = ("scratch", "sram", "dram")


def kernel_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.baker"))


def table_address(image: Path) -> int:
    """The address of the first global variable, as microcode writes it."""
    for found in read_manifest(image).get("globals", []):
        channel = 1 if found["memory"] == "sram1" else 0
        return channel << 30 | int(found["address"])
    return 0


def images(bench: Bench, name: str) -> dict[str, Path]:
    compiled = bench.folder / f"kernel-{name}.ixp"
    hand = bench.folder / f"kernel-{name}-hand.ixp"
    bench.run("bakerc", FOLDER / f"{name}.baker", "--mes=1", "-o", compiled)
    bench.run(
        "ixp-as", FOLDER / f"{name}.uc", "--strict", "--format=ixp",
        f"--replace={compiled}", f"-DTABLE={table_address(compiled)}", "-o", hand,
    )  # fmt: skip
    return {"compiled": compiled, "hand": hand}


def simulate(
    bench: Bench, image: Path, trace: Path, threads: int
) -> tuple[dict[str, Any], bytes]:
    stats = image.with_suffix(".json")
    out = image.with_suffix(".pcap")
    bench.run(
        "ixpsim", image, f"--trace={trace}", f"--packets={PACKETS}",
        f"--warmup={WARMUP}", f"--threads={threads}", "--mes=1", *FAST_PORTS,
        f"--stats={stats}", f"--out={out}", "--quiet",
    )  # fmt: skip
    result: dict[str, Any] = read_json(stats)
    return result, out.read_bytes()


def cycles_a_packet(stats: dict[str, Any]) -> float:
    packets_per_s: float = stats["rate"]["forwarded_mpps"] * 1e6
    clock_hz: float = stats["clock_hz"]
    return clock_hz / packets_per_s


def engine_cycles(stats: dict[str, Any]) -> float:
    """The cycles of the program's engine that no other context could have used."""
    engine = next(e for e in stats["microengines"] if e["role"] == "app")
    taken = engine["issue_cycles"] + engine["aborted_cycles"] + engine["stall_cycles"]
    packets: int = stats["packets"]["forwarded"]
    return float(taken / packets)


def frames(capture: bytes) -> list[bytes]:
    """The frames of a pcap file without their times, in any order."""
    order = "little" if capture[:1] in (b"\xd4", b"\x4d") else "big"
    found, at = [], 24
    while at < len(capture):
        length = int.from_bytes(capture[at + 8 : at + 12], order)  # type: ignore[arg-type]
        found.append(capture[at + 16 : at + 16 + length])
        at += 16 + length
    return sorted(found)


def longest_way(bench: Bench) -> Path:
    """IPv4 frames to the station with mac_hash's longest search."""
    header = bytes.fromhex("45000028000100004006b1e6c0a800010a000001")
    start = bytes.fromhex("0200000010ff") + bytes(6) + b"\x08\x00"
    path = bench.folder / "longest-way.pcap"
    frame = (start + header).ljust(60, b"\0")
    write_capture(path, [Frame(n, n % 4, frame) for n in range(64)], 4)
    return path


def measure_bound(bench: Bench, name: str, trace: Path) -> dict[str, float]:
    """Engine cycles per message: the bound, and the maximum of two runs, one with
    fast ports and one with a ring that fills up."""
    image, report = bench.folder / f"bound-{name}.ixp", bench.folder / "bound.json"
    bench.run(
        "bakerc", FOLDER / f"{name}.baker", "--mes=1", "--wcet",
        f"--report={report}", "-o", image,
    )  # fmt: skip
    stats, seen = image.with_suffix(".json"), 0
    for ports in (FAST_PORTS, ()):
        bench.run(
            "ixpsim", image, f"--trace={trace}", f"--packets={BOUND_PACKETS}",
            *ports,
            "--mes=1", f"--stats={stats}", "--quiet",
        )  # fmt: skip
        engines = read_json(stats)["microengines"]
        seen = max(
            seen, *(e["iteration_cycles_max"] for e in engines if e["role"] == "app")
        )
    worst = read_json(report)["aggregates"][0]["worst_case"]
    bound = worst["issue_cycles"]
    return {"bound_cycles": bound, "seen_cycles": seen, "bound_over_seen": bound / seen}


def judged(name: str, kind: str, trace: Path, capture: bytes) -> None:
    """Fails if a version sends anything but what the oracle does."""
    given = [frame.data.ljust(60, b"\0") for frame in read_capture(trace, PORTS).frames]
    given = (given * (PACKETS // len(given) + 1))[:PACKETS]
    expected, sent = sorted(map(ORACLES[name], given)), frames(capture)
    if sent != expected:
        wrong = next((s for s, e in zip(sent, expected, strict=False) if s != e), b"")
        raise Failed(
            f"kernel {name}, {kind}, {trace.name}: {len(sent)} frames sent,"
            f" {len(expected)} expected; the first that differs: {wrong[:64].hex()}"
        )


def measure(bench: Bench, name: str, load: Workload, unusual: Path) -> dict[str, Any]:
    progress(f"kernel {name}")
    result: dict[str, Any] = {}
    for kind, image in images(bench, name).items():
        stats, capture = simulate(bench, image, load.trace, 1)
        judged(name, kind, load.trace, capture)
        counts = stats["per_packet"]
        result[f"{kind}_instructions"] = counts["instructions"]
        result[f"{kind}_commands"] = {
            memory: round(
                counts["packet"].get(memory, 0) + counts["application"].get(memory, 0),
                3,
            )
            for memory in MEMORIES
        }
        result[f"{kind}_engine_cycles"] = engine_cycles(stats)
        result[f"{kind}_cycles_1_context"] = cycles_a_packet(stats)
        stats, _ = simulate(bench, image, load.trace, 8)
        result[f"{kind}_cycles_8_contexts"] = cycles_a_packet(stats)
        stats, capture = simulate(bench, image, unusual, 1)
        judged(name, kind, unusual, capture)
        result[f"{kind}_unusual_instructions"] = stats["per_packet"]["instructions"]
    for traffic in ("", "unusual_"):
        compiled, hand = (
            result[f"{kind}_{traffic}instructions"] for kind in ("compiled", "hand")
        )
        result[f"{traffic}ratio"] = compiled / hand
    return result


def unusual_trace(bench: Bench) -> Path:
    path = bench.folder / "unusual.pcap"
    write_capture(path, unusual_frames(), PORTS)
    return path


def geomean(ratios: list[float]) -> float:
    return prod(ratios) ** (1 / len(ratios))


def kernels(bench: Bench) -> dict[str, Any]:
    """Instructions per packet, compiled over hand-written."""
    load = workload(bench, "l3-switch")
    unusual = unusual_trace(bench)
    found = {name: measure(bench, name, load, unusual) for name in kernel_names()}
    ratio = geomean([kernel["ratio"] for kernel in found.values()])
    rows: list[list[object]] = []
    for name, kernel in found.items():
        row: list[object] = [name]
        for key in (
            "instructions",
            "commands",
            "engine_cycles",
            "cycles_1_context",
            "cycles_8_contexts",
        ):
            for kind in ("compiled", "hand"):
                value = kernel[f"{kind}_{key}"]
                if key == "commands":
                    value = " ".join(f"{value[memory]:g}" for memory in MEMORIES)
                row.append(value)
        rows.append([*row, kernel["ratio"], kernel["unusual_ratio"]])
    headings = [
        "kernel", "instr.", "by hand", "scratch sram dram", "by hand",
        "engine cycles", "by hand", "cycles, 1 ctx", "by hand",
        "cycles, 8 ctx", "by hand", "ratio", "of unusual frames",
    ]  # fmt: skip
    table("Kernels: a packet, compiled and written by hand", headings, rows)
    print(f"geometric mean of instructions, compiled over hand-written: {ratio:.3f}")
    trace = longest_way(bench)
    for name, kernel in found.items():
        kernel.update(measure_bound(bench, name, trace))
    table(
        "Kernels: engine cycles of a message at most",
        ["kernel", "bound", "seen", "bound over seen"],
        [
            [name, k["bound_cycles"], k["seen_cycles"], k["bound_over_seen"]]
            for name, k in found.items()
        ],
    )
    worst = max(k["bound_over_seen"] for k in found.values())
    return {"kernels": found, "geomean_ratio": ratio, "worst_bound_over_seen": worst}
