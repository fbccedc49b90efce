"""Level swc against phr: a cache that does not pay is not made.

The three applications, the examples, and random programs that read tables of many
sizes are compiled for each number of engines and run on it. swc must be at least
as fast as phr, within ALLOWED.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, progress
from bench.harness.text_table import table
from bench.harness.workloads import APPS, source_of, workload
from testkit.paths import ROOT
from testkit.tools import read_json
from testkit.workloads import Workload

RANDOM_PROGRAMS = 20
ENGINE_COUNTS = (1, 2, 3, 4, 6)
PACKETS, WARMUP = 3000, 300
#: The share of phr's rate by which swc may be slower.
ALLOWED = 0.01

KINDS = {
    "u32": "t{i}[{at}]",
    "u64": "(u32)(t{i}[{at}] >> 8)",
    "entry": "(t{i}[{at}].a ^ t{i}[{at}].d)",
}


def random_program(seed: int) -> str:
    """A PPF that computes and reads tables. A control function or a rare packet
    writes some of them."""
    rng = random.Random(seed)
    declared, reads, writes = [], [], []
    for i in range(rng.randint(1, 4)):
        kind = rng.choice(list(KINDS))
        log_size = rng.choice((0, 2, 4, 5, 6, 7, 8, 10))
        declared.append(f"  {kind} t{i}[{1 << log_size}];\n")
        for _ in range(rng.randint(1, 3)):
            at = f"(x >> {rng.randint(0, 9)}) & {(1 << log_size) - 1}"
            read = KINDS[kind].format(i=i, at=at)
            reads.append(f"  x = (x << 3 ^ x >> 5) + {read};\n")
        value = "t{i}[at & {m}]{part} = value;\n"
        writes.append(
            "    "
            + value.format(
                i=i, m=(1 << log_size) - 1, part=".a" if kind == "entry" else ""
            )
        )
    rng.shuffle(reads)
    work = "".join(
        f"  x = (x ^ x << {rng.randint(1, 9)}) + {rng.randint(1, 99)};\n"
        for _ in range(rng.choice((0, 10, 40, 80)))
    )
    return (
        "import net.ether;\n"
        "struct entry { u32 a; u32 b; u32 c; u32 d; };\n"
        "module g {\n"
        + "".join(declared)
        + "  ppf p { in ether_pkt * in_cc; out ether_pkt * out_cc; }\n"
        "  wiring { rx -> p.in_cc; p.out_cc -> tx; }\n"
        "  control int set(u32 at, u32 value) {\n" + "".join(writes) + "    return 0;\n"
        "  }\n}\n\n"
        "g.p.ppf(ether_pkt * ph)\n{\n"
        "  u32 x = (u32)ph->dst ^ (u32)ph->src;\n"
        + work
        + "".join(reads)
        + "  ph->src = (u48)x;\n  ph->metadata.tx.port = (u8)(x & 3);\n"
        "  channel_put(out_cc, ph);\n}\n"
    )


def programs(bench: Bench) -> dict[str, tuple[Path, Workload]]:
    """Every program with its traffic, by name."""
    found = {app: (source_of(bench, app), workload(bench, app)) for app in APPS}
    traffic = found["l3-switch"][1]
    quiet = bench.folder / "quiet.control"
    quiet.write_text("")
    load = Workload(traffic.trace, quiet)
    for source in sorted((ROOT / "apps/examples").glob("*/*.baker")):
        found[source.parent.name] = (source, load)
    for seed in range(RANDOM_PROGRAMS):
        path = bench.folder / f"tables{seed}.baker"
        path.write_text(random_program(seed))
        found[path.stem] = (path, load)
    return found


def rates_of(
    bench: Bench, name: str, source: Path, load: Workload, level: str
) -> tuple[dict[int, float], list[str]]:
    """The rate in Gbps by number of engines, and the cached globals."""
    image = bench.folder / f"{name}-{level}.ixp"
    stats, profile = image.with_suffix(".json"), image.with_suffix(".profile")
    take = [
        *load.profile(),
        f"--emit-profile={profile}",
    ]  # fmt: skip
    gbps, cached = {}, []
    for engines in ENGINE_COUNTS:
        progress(f"{name}, level {level}, {engines} engines")
        bench.run(
            "bakerc", source, *take, f"--level={level}", f"--mes={engines}", "-o", image
        )
        take = [f"--profile={profile}"]
        bench.run(
            "ixpsim", image, *load.inputs(),
            f"--packets={PACKETS}", f"--warmup={WARMUP}", f"--mes={engines}",
            f"--stats={stats}", "--quiet",
        )  # fmt: skip
        run = read_json(stats)
        gbps[engines] = run["rate"]["forwarded_gbps"]
        cached = [each["global"] for each in run["caches"]["globals"]]
        cached += [each["lookup"] for each in run["caches"]["lookups"]]
    return gbps, cached


def never_slower(bench: Bench) -> dict[str, Any]:
    """The rate of swc over that of phr, for each program and number of engines."""
    result: dict[str, Any] = {}
    rows: list[list[object]] = []
    for name, (source, load) in programs(bench).items():
        plain, _ = rates_of(bench, name, source, load, "phr")
        kept, cached = rates_of(bench, name, source, load, "swc")
        ratios = {n: kept[n] / plain[n] if plain[n] else 1 for n in ENGINE_COUNTS}
        result[name] = {"cached": cached, "swc_over_phr": ratios}
        rows.append([name, *(f"{r:.3f}" for r in ratios.values()), " ".join(cached)])
    table(
        "Rate with caches over rate without, by microengines",
        ["program", *map(str, ENGINE_COUNTS), "cached"],
        rows,
    )
    worst = min(r for each in result.values() for r in each["swc_over_phr"].values())
    print(f"worst {worst:.3f}, allowed {1 - ALLOWED:.2f}", flush=True)
    return {"programs": result, "worst_swc_over_phr": worst, "allowed": 1 - ALLOWED}
