"""Claims about the cost of a packet: accesses, instructions, code."""

from __future__ import annotations

from bench.evaluation import paper
from bench.evaluation.claim import ROUTERS, Finding, claim, each, signed, verdict
from bench.evaluation.paper import NAMES, TARGET_GBPS
from bench.evaluation.results import Results
from bench.harness.workloads import APPS
from testkit.applications import LEVELS


@claim(
    "6.2",
    "its largest effect is on reducing DRAM and SRAM accesses",
    "PAC takes away at least half of the packets' DRAM and of their SRAM accesses",
)
def pac_reduces_accesses(results: Results) -> Finding:
    held, numbers, reasons = [], {}, {}
    for app in APPS:
        parts = []
        for memory in ("dram", "sram"):
            before = results.accesses(app, "o2", "packet", memory)
            after = results.accesses(app, "pac", "packet", memory)
            held.append(after <= before / 2)
            parts.append(f"{memory.upper()} {before:.1f} → {after:.1f}")
            if after > before / 2:
                at_o1 = results.accesses(app, "o1", "packet", memory)
                reasons[app] = (
                    f"inlining (−O2) has already brought {memory.upper()} from "
                    f"{at_o1:.1f} to {before:.1f}"
                )
        numbers[app] = ", ".join(parts)
    return Finding(verdict(held), each(numbers), each(reasons))


@claim(
    "6.2",
    "In the case of Firewall, PAC even aids the scalar optimizer by exposing "
    "additional opportunities to eliminate application SRAM accesses",
    "Firewall's application SRAM accesses fall by a tenth or more from −O2 to PAC",
)
def pac_helps_firewall(results: Results) -> Finding:
    counts = {
        level: results.accesses("firewall", level, "application", "sram")
        for level in ("base", "o2", "pac")
    }
    held = counts["pac"] <= 0.9 * counts["o2"]
    numbers = f"{counts['o2']:.1f} → {counts['pac']:.1f} (paper: 30.8 → 14)"
    reason = (
        f"there is little left to expose: already BASE makes {counts['base']:.1f}, "
        "fewer than the paper's Firewall after all optimizations (14)"
        if counts["base"] < 14
        else f"BASE makes {counts['base']:.1f}"
    )
    return Finding(verdict([held]), numbers, "" if held else reason)


@claim(
    "6.2",
    "-O2 and SOAR only affect dynamic instruction counts and have no effect on "
    "memory access counts",
    "all accesses together move by less than 3 % from −O1 to −O2 and from PAC to SOAR",
)
def o2_and_soar_keep_accesses(results: Results) -> Finding:
    held, numbers, moved = [], {}, []
    for app in APPS:
        parts = []
        for before, after in (("o1", "o2"), ("pac", "soar")):
            old, new = results.total(app, before), results.total(app, after)
            held.append(abs(new / old - 1) < 0.03)
            parts.append(f"{paper.LEVEL_NAMES[after]} {old:.1f} → {new:.1f}")
            if not held[-1]:
                at = f"{NAMES[app]} {paper.LEVEL_NAMES[after]}"
                moved.append(f"{at}: {columns_moved(results, app, before, after)}")
        numbers[app] = ", ".join(parts)
    reason = "the columns that moved: " + "; ".join(moved) if moved else ""
    return Finding(verdict(held), each(numbers), reason)


def columns_moved(results: Results, app: str, before: str, after: str) -> str:
    """Columns of Table 1 that differ by a quarter of an access or more."""
    found = []
    for group, memory in paper.COLUMNS:
        old, new = (results.accesses(app, at, group, memory) for at in (before, after))
        if abs(new - old) >= 0.25:
            found.append(f"{group} {memory} {old:.1f} → {new:.1f}")
    return ", ".join(found)


@claim(
    "6.2",
    "-O1 and SOAR are important to reducing per-packet instruction counts",
    "each takes away at least a tenth of the instructions per packet, in each program",
)
def o1_and_soar_cut_instructions(results: Results) -> Finding:
    held, numbers = [], {}
    for app in APPS:
        parts = []
        for before, after in (("base", "o1"), ("pac", "soar")):
            change = (
                results.instructions(app, after) / results.instructions(app, before) - 1
            )
            held.append(change <= -0.1)
            parts.append(f"{paper.LEVEL_NAMES[after]} {signed(change)}")
        numbers[app] = ", ".join(parts)
    return Finding(verdict(held), each(numbers))


@claim(
    "6.2",
    "-O1 optimizations enable MPLS's and L3-Switch's critical path to fit on one ME "
    "instead of two",
    "both exceed one control store at BASE, and fit into one at −O1",
)
def o1_makes_code_fit(results: Results) -> Finding:
    numbers = {}
    held = []
    for app in ROUTERS:
        base, o1 = (results.run(app, level).code_words for level in ("base", "o1"))
        held.append(base > paper.CONTROL_STORE_WORDS >= o1)
        numbers[app] = f"{base:,} → {o1:,} words"
    reason = (
        f"already BASE fits into the {paper.CONTROL_STORE_WORDS:,} words of an engine: "
        "until −O2 packet primitives are calls, so an access is a few words"
    )
    return Finding(verdict(held), each(numbers), "" if all(held) else reason)


@claim(
    "6.2",
    "PHR's … ability to reduce dynamic SRAM … accesses [is] clearly evident in Table 1",
    "PHR takes away at least half of the packets' SRAM accesses, in each program",
)
def phr_reduces_sram(results: Results) -> Finding:
    counts = {
        app: [results.accesses(app, at, "packet", "sram") for at in ("soar", "phr")]
        for app in APPS
    }
    numbers = {app: f"{old:.1f} → {new:.1f}" for app, (old, new) in counts.items()}
    return Finding(
        verdict(new <= old / 2 for old, new in counts.values()), each(numbers)
    )


@claim(
    "6.2",
    "SWC's ability to reduce dynamic SRAM and Scratch Memory accesses [is] clearly "
    "evident in Table 1 [L3-Switch −4, Firewall 0, MPLS −6]",
    "application accesses fall by at least one a packet in L3-Switch and in MPLS",
)
def swc_reduces_accesses(results: Results) -> Finding:
    counts: dict[str, list[float]] = {
        app: [
            sum(
                results.accesses(app, at, "application", m) for m in ("scratch", "sram")
            )
            for at in ("phr", "swc")
        ]
        for app in APPS
    }
    numbers = {app: f"{old:.1f} → {new:.1f}" for app, (old, new) in counts.items()}
    held = [counts[app][1] <= counts[app][0] - 1 for app in ROUTERS]
    less = [app for app, is_held in zip(ROUTERS, held, strict=True) if not is_held]
    reason = "; ".join(
        f"of {NAMES[app]}'s {counts[app][0]:.1f} accesses at PHR "
        f"{cached_accesses(results, app):.2f} words per packet come from copies at SWC"
        for app in less
    )
    return Finding(verdict(held), each(numbers), reason)


def cached_accesses(results: Results, app: str) -> float:
    """Words per packet read from copies instead of their home."""
    stats = results.run(app, "swc").stats
    reads = sum(cached["reads"] for cached in stats["caches"]["globals"])
    return float(reads) / max(int(stats["packets"]["received"]), 1)


@claim(
    "6.2",
    "SWC successfully caches two small frequently-accessed data structures in "
    "L3-Switch and MPLS",
    "the image at SWC caches two globals in each of the two",
)
def swc_caches_two_structures(results: Results) -> Finding:
    cached = {
        app: [
            g["global"].partition(".")[2]
            for g in results.run(app, "swc").stats["caches"]["globals"]
        ]
        for app in APPS
    }
    numbers = {app: ", ".join(names) or "nothing" for app, names in cached.items()}
    return Finding(verdict(len(cached[app]) == 2 for app in ROUTERS), each(numbers))


@claim(
    "6.2",
    "the program's entire critical packet pipeline was mapped to one ME and then "
    "replicated … on the other MEs [but for MPLS −O1 and BASE and L3-Switch BASE]",
    "the same configurations have one aggregate, and the same three have two",
)
def one_aggregate_replicated(results: Results) -> Finding:
    held, other = [], []
    for app in APPS:
        for level in LEVELS:
            count = len(results.run(app, level).report["aggregates"])
            expected = 2 if (app, level) in paper.TWO_ENGINES else 1
            held.append(count == expected)
            if count != expected:
                at = f"{NAMES[app]} {paper.LEVEL_NAMES[level]}"
                other.append(f"{at} {count} instead of {expected}")
    numbers = f"{sum(held)} of {len(held)} configurations as in the paper"
    reason = "; ".join(other)
    if other:
        reason += ": the code fits into one control store here (see −O1 above)"
    return Finding(verdict(held), numbers, reason)


@claim(
    "6.2",
    "all these applications have approximately the same number of DRAM and SRAM "
    "accesses in the most optimized configuration",
    "DRAM accesses at SWC are one or two a packet, and all accesses within 2 : 1",
)
def final_accesses_are_alike(results: Results) -> Finding:
    dram = {app: results.accesses(app, "swc", "packet", "dram") for app in APPS}
    totals = {app: results.total(app, "swc") for app in APPS}
    held = [0.5 <= count <= 2.5 for count in dram.values()]
    held.append(max(totals.values()) <= 2 * min(totals.values()))
    numbers = each(
        {app: f"{totals[app]:.1f}, of them DRAM {dram[app]:.1f}" for app in APPS}
    )
    return Finding(verdict(held), numbers)


@claim(
    "5",
    "less than 700 instructions can be dedicated to processing a given packet",
    "every program needs fewer than 700 instructions per packet at SWC",
)
def instructions_fit_the_budget(results: Results) -> Finding:
    counts = {app: results.instructions(app, "swc") for app in APPS}
    held = [count < paper.INSTRUCTION_BUDGET for count in counts.values()]
    return Finding(verdict(held), each({app: f"{n:.0f}" for app, n in counts.items()}))


@claim(
    "5",
    "no more than two DRAM accesses, eight SRAM accesses or 64 Scratch memory "
    "accesses for each packet [at 2.5 Gbps]",
    "so many narrow accesses leave 96 % of 2.5 Gbps, and twice as many do not",
)
def figure_6_limits(results: Results) -> Finding:
    held, numbers = [], []
    for memory, count in paper.FIGURE6_LIMITS.items():
        rows = [row for row in results.fig6 if row["memory"] == memory]
        narrow = min(row["width_bytes"] for row in rows)
        rate = {r["accesses"]: r["gbps"] for r in rows if r["width_bytes"] == narrow}
        bound = 0.96 * TARGET_GBPS
        held.append(rate[count] >= bound > rate[2 * count])
        met, missed = rate[count], rate[2 * count]
        numbers.append(f"{memory} {count}: {met:.2f}, {2 * count}: {missed:.2f} Gbps")
    reason = (
        "one loop turn is one 64-byte packet, without the rest of a packet's work"
        if not all(held)
        else ""
    )
    return Finding(verdict(held), "; ".join(numbers), reason)


#: Most bytes a second that a memory moves at its clock: a DRAM bus of 64 bits at
#: 150 MHz DDR, one SRAM channel of 32 bits at 200 MHz, two words of scratch for each
#: of 300 M chassis cycles.
PEAK_GBYTES = {"dram": 2.4, "sram": 0.8, "scratch": 2.4}


@claim(
    "5",
    "fractionally lower forwarding rates that result from issuing wider accesses "
    "to a given memory level",
    "at 64 accesses the widest leave half of the narrowest accesses' rate or more",
)
def wider_is_fractionally_slower(results: Results) -> Finding:
    held, numbers, reasons = [], {}, []
    for memory, count in paper.FIGURE6_LIMITS.items():
        rows = [
            r for r in results.fig6 if r["memory"] == memory and r["accesses"] == 64
        ]
        rates = {r["width_bytes"]: r["gbps"] for r in rows}
        held.append(results.widest_over_narrowest(memory) >= 0.5)
        widths = sorted(rates)
        numbers[memory] = ", ".join(f"{rates[w]:.2f} Gbps at {w} B" for w in widths)
        if held[-1]:
            continue
        needed = TARGET_GBPS / 8 / 64 * count * widths[-1]
        reasons.append(
            f"{count} accesses of {widths[-1]} B at {TARGET_GBPS} Gbps would move "
            f"{needed:.1f} GB/s, and {memory} moves at most {PEAK_GBYTES[memory]}"
        )
    reason = "; ".join(reasons)
    if reasons:
        reason += ": a word takes its clock, so the rate falls with the width"
    return Finding(verdict(held), each(numbers), reason)
