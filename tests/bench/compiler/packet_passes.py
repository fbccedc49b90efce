"""The effect of the packet passes: DRAM commands against the least possible,
instructions per access, seconds of the passes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Failed, progress
from bench.harness.text_table import table
from bench.harness.workloads import APPS, image_of, simulate, source_of, workload
from npftrace.sweep.sweep import TRACE, traffic_step
from testkit.applications import LEVELS
from testkit.paths import ROOT
from testkit.tools import read_json

#: The document that derives the least number of DRAM commands. It has one row for
#: each kind of packet: application, reads, writes, least, reached.
ARGUED = ROOT / "docs/packet-access.md"
ROW = re.compile(r"^\| (L3-Switch|Firewall|MPLS)[^|]*\|[^|]*\|[^|]*\| ([^|]+) \|", re.M)
#: Passes within another pass; they are also part of its time.
TIME = re.compile(r"time-passes: (\S+): ([\d.]+) s")
INNER = ("cse", "canonicalize", "baker-simplify")

#: Instructions of an access in its basic form (section 5.3 of the paper).
PAPER_FIXED, PAPER_WORD = 38, 5
#: Accesses of the larger of two programs; the smaller has one. Their distance in
#: bits keeps them within the shortest frame.
ACCESSES, STRIDE = 3, 160
#: Forms of an access, by flags of bakerc: by a routine, in line at any offset and
#: alignment, and at a known offset.
FORMS: dict[str, tuple[str, ...]] = {
    "base": ("--level=base",),
    "generic": ("--level=soar", "--disable-pass=pac,soar,channel-heads"),
    "static": ("--level=soar", "--disable-pass=pac"),
}
#: The bits of a field by its number of words.
WIDTHS = {1: 32, 2: 64}


def least_commands() -> dict[str, float]:
    """DRAM commands per packet by application, as the mean of its kinds of packets."""
    kinds: dict[str, list[int]] = {}
    for name, sum_ in ROW.findall(ARGUED.read_text()):
        least = sum(int(part) for part in sum_.split("+"))
        kinds.setdefault(name.lower(), []).append(least)
    if set(kinds) != set(APPS):
        raise Failed(f"{ARGUED} has no row for each of {', '.join(APPS)}")
    return {app: sum(found) / len(found) for app, found in kinds.items()}


def optimality(bench: Bench) -> dict[str, Any]:
    """DRAM commands per packet against the least possible."""
    return optimality_of(bench, least_commands(), ("pac", "soar", "phr"))


def optimality_of(
    bench: Bench, apps: dict[str, float], levels: tuple[str, ...]
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    rows: list[list[object]] = []
    for app, least in apps.items():
        load = workload(bench, app)
        found = {}
        for level in levels:
            image = image_of(bench, app, level, load)
            engines = max(bench.engines)
            stats = simulate(bench, image, load, engines, bench.packets)
            found[level] = stats["per_packet"]["packet"]["dram"]
        result[app] = {"least": least, "reached": found}
        rows.append([app, float(least), *map(float, found.values())])
    headings = ["application", "least possible", *levels]
    table("DRAM commands per packet, 6 engines, full load", headings, rows)
    return result


def program(width: int, accesses: int, writes: bool) -> str:
    """Accesses of fields that are not adjacent, none of which can be removed."""
    rest = STRIDE - 16 - width
    fields = [
        f"  a{i} : 16; f{i} : {width}; b{i} : 16[{rest // 16}];"
        for i in range(ACCESSES)
    ]
    value = f"(u{width})ph->metadata.rx.port"
    if writes:
        body = [f"  ph->f{i} = {value} + {i};" for i in range(accesses)]
    else:
        body = [f"  u{width} sum = {value};"]
        body += [f"  sum ^= ph->f{i};" for i in range(accesses)]
        body += ["  if (sum == 12345) { packet_drop(ph); return; }"]
    return "\n".join(
        ["protocol frame {", *fields, f"  demux {{ {ACCESSES * STRIDE // 8} }};", "}",
         "module m {", "  ppf p { in frame_pkt * in_cc; out frame_pkt * out_cc; }",
         "  wiring { rx -> p.in_cc; p.out_cc -> tx; }", "}",
         "m.p.ppf(frame_pkt * ph) {", *body, "  channel_put(out_cc, ph);", "}"]
    )  # fmt: skip


def instructions(bench: Bench, flags: tuple[str, ...], text: str, load: Path) -> float:
    source, image = bench.folder / "access.baker", bench.folder / "access.ixp"
    file = bench.folder / "stats.json"
    source.write_text(text + "\n")
    bench.run("bakerc", source, *flags, "-o", image)
    # One context, which always finds a packet.
    bench.run(
        "ixpsim", image, f"--trace={load}", "--packets=200", "--warmup=50",
        "--mes=1", "--threads=1", f"--stats={file}", "--quiet",
    )  # fmt: skip
    return float(read_json(file)["per_packet"]["instructions"])


def access(bench: Bench) -> dict[str, Any]:
    """Instructions of one access, as the difference of two programs."""
    progress("instructions of an access")
    traffic = {"kind": "ipv4", "seed": 1, "packets": 1000, "size": 64}
    trace = bench.result(traffic_step(traffic), TRACE)
    result: dict[str, Any] = {}
    rows: list[list[object]] = []
    for kind in ("read", "write"):
        for words, width in WIDTHS.items():
            found: dict[str, float] = {}
            for form, flags in FORMS.items():
                many, one = (
                    instructions(
                        bench, flags, program(width, count, kind == "write"), trace
                    )
                    for count in (ACCESSES, 1)
                )
                found[form] = (many - one) / (ACCESSES - 1)
            paper = PAPER_FIXED + PAPER_WORD * words
            removed = 1 - found["static"] / found["generic"]
            result.setdefault(kind, {})[f"{width}_bits"] = {
                **found,
                "paper_base": paper,
                "removed_by_soar": removed,
            }
            percent = f"{100 * removed:.0f} %"
            rows.append([kind, width, paper, *map(float, found.values()), percent])
    headings = ["access", "bits", "paper, base", *FORMS, "removed by soar"]
    table("Instructions of one packet access", headings, rows)
    return result


def pass_time(bench: Bench) -> dict[str, float]:
    """Seconds of all passes over the baker dialect."""
    result: dict[str, float] = {}
    for app in APPS:
        load = workload(bench, app)
        progress(f"timing the passes of {app}")
        _, said = bench.run(
            "bakerc", source_of(bench, app), f"--level={LEVELS[-1]}", "--time-passes",
            *load.profile(),
            "-o", bench.folder / "timed.ixp",
        )  # fmt: skip
        totals = [float(s) for name, s in TIME.findall(said) if name not in INNER]
        if not totals:
            raise Failed(f"bakerc --time-passes said nothing of {app}")
        result[app] = sum(totals)
    rows: list[list[object]] = [[app, seconds] for app, seconds in result.items()]
    table(
        "Seconds of all passes, profile and every core included",
        ["application", "s"],
        rows,
    )
    return result


PACKET_BENCHMARKS = {
    "optimality": optimality,
    "access": access,
    "passes": pass_time,
}
