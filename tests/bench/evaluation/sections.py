"""The report's sections: text made from the results, panels, a table, and the data
of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bench.evaluation import figures, paper
from bench.evaluation.claim import Claim, Finding, signed
from bench.evaluation.claims import evaluate
from bench.evaluation.draw import Panel
from bench.evaluation.paper import LEVEL_NAMES, NAMES
from bench.evaluation.results import ENGINES, KNOBS, MOST, Results
from bench.harness.workloads import APPS
from testkit.applications import LEVELS

Cell = str | float | int
MEMORY_NAMES = {"scratch": "Scratch", "sram": "SRAM", "dram": "DRAM"}


@dataclass(frozen=True)
class Data:
    """Rows under headings, as a table of the page and as a CSV file."""

    headings: list[str]
    rows: list[list[Cell]]


@dataclass
class Section:
    """One section of the report; `--only=NAME` makes only this one."""

    name: str
    title: str
    #: Paragraphs above the panels.
    text: list[str]
    data: Data
    panels: list[Panel] = field(default_factory=list)
    #: The legend that several panels share.
    key: list[tuple[str, str]] = field(default_factory=list)
    #: "details" hides the table, "open" shows it; others are macros of the
    #: template.
    form: str = "details"
    #: Another table, hidden under this name.
    more: tuple[str, Data] | None = None
    findings: list[tuple[Claim, Finding]] = field(default_factory=list)
    caption: str = ""


def _run_rows(results: Results, apps: tuple[str, ...]) -> Data:
    """Rates by level and engines, with the limit that the simulator names."""
    headings = ["program", "level", *(f"{n} ME, Gbps" for n in ENGINES)]
    headings += [f"{MOST} ME, bracket", f"{MOST} ME, Mpps", f"limit on {MOST}"]
    rows: list[list[Cell]] = []
    for app in apps:
        for level in LEVELS:
            stats = results.run(app, level).stats
            curve = [round(rate, 3) for rate in results.curve(app, level)]
            mpps = round(stats["rate"]["forwarded_mpps"], 3)
            limit = stats["bottleneck"]["unit"]
            bracket = str(results.bracket(app)) if level == LEVELS[-1] else ""
            rows.append([NAMES[app], LEVEL_NAMES[level], *curve, bracket, mpps, limit])
    return Data(headings, rows)


def table1(results: Results) -> Section:
    headings = ["program", "level"]
    for group, memory in paper.COLUMNS:
        name = f"{group} {MEMORY_NAMES[memory]}"
        headings += [name, f"{name} (paper)"]
    headings += ["total", "total (paper)", "hash, CAP, MSF"]
    rows: list[list[Cell]] = []
    for app in APPS:
        for level in reversed(LEVELS):
            theirs = paper.TABLE1[app].get(level)
            row: list[Cell] = [NAMES[app], LEVEL_NAMES[level]]
            for i, column in enumerate(paper.COLUMNS):
                row.append(round(results.accesses(app, level, *column), 1))
                row.append(theirs[i] if theirs else "")
            row.append(round(results.total(app, level), 1))
            row.append(round(sum(theirs), 1) if theirs else "")
            row.append(round(results.other(app, level), 1))
            rows.append(row)
    final = "; ".join(
        f"{NAMES[app]} {results.total(app, 'swc'):.1f} "
        f"(paper {sum(paper.TABLE1[app]['swc']):.1f})"
        for app in APPS
    )
    return Section(
        "table1",
        "Table 1: memory accesses per packet",
        [
            "Commands that the program's engines send to memory, divided by the "
            f"packets they take in. All optimizations on: {final}. The paper prints "
            "no rows for −O2 and SOAR, which change instructions alone there.",
            *_total_says(results),
        ],
        Data(headings, rows),
        figures.every_app(figures.accesses, results),
        figures.KEYS["table1"],
        form="table1",
        caption="Each pair of bars: ours above, the paper's below (dashed).",
    )


def _total_says(results: Results) -> list[str]:
    """What our total leaves out, beside the paper's."""
    without = [
        NAMES[app]
        for app in APPS
        if results.accesses(app, "swc", "packet", "sram") < 0.05
    ]
    said = []
    if without:
        said.append(
            f"Packet SRAM of 0 at SWC ({', '.join(without)}) comes of the message: its "
            "two words on the rings of Rx and Tx hold head and length, which the "
            "paper's programs read from a descriptor in SRAM. So the totals do not "
            "compare descriptor for descriptor."
        )
    hashed = ", ".join(f"{NAMES[a]} {results.other(a, 'swc'):.1f}" for a in APPS)
    said.append(
        "Commands to the hash unit, the CAP and the MSF are in no total; the paper "
        "does not count them either. They have a column of their own; at SWC: "
        f"{hashed}."
    )
    return said


def _figure(app: str) -> Callable[[Results], Section]:
    said = paper.BEST[app]

    def make(results: Results) -> Section:
        best = results.best(app)
        engines = results.saturation(app, "swc")
        text = (
            f"Best at SWC: {best:.2f} Gbps, 95 % of it with {engines} engines; "
            f"{results.bracket(app)} on {MOST} engines when the numbers of the chip "
            "that have no source move by a fifth, one at a time. The "
            f"paper says {said.words}; it prints no points of the curves, so its side "
            "is what its text states."
        )
        name = f"figure{said.figure}"
        title = f"Figure {said.figure}: forwarding rates of {NAMES[app]}"
        panels = [figures.rates(results, app)]
        return Section(name, title, [text], _run_rows(results, (app,)), panels)

    return make


def figure6(results: Results) -> Section:
    left = {m: results.widest_over_narrowest(m) for m in paper.FIGURE6_LIMITS}
    wide = ", ".join(
        f"{100 * share:.0f} % of the rate of {MEMORY_NAMES[memory]}"
        for memory, share in left.items()
    )
    rows: list[list[Cell]] = [
        [row["memory"], row["width_bytes"], row["accesses"], row["gbps"]]
        for row in results.fig6
    ]
    return Section(
        "figure6",
        "Figure 6: what memory leaves room for",
        [
            "Six engines of eight contexts do nothing but access one address; a turn "
            "of the loop stands for a packet. The paper's statement, circled: 2.5 Gbps "
            "needs at most two DRAM, eight SRAM or 64 scratch accesses. The memories' "
            "occupancy is fitted to it, so that it holds is no finding. Of wider "
            "accesses the paper says that they give “fractionally lower” rates. Here "
            f"64 bytes at a time leave {wide}: a memory cannot move more bytes than "
            "its clock and width allow (see the claims)."
        ],
        Data(["memory", "width, bytes", "accesses per packet", "Gbps"], rows),
        [figures.figure6(results, memory) for memory in paper.FIGURE6_LIMITS],
    )


def sensitivity(results: Results) -> Section:
    """The rates at SWC for every other value of a number without a source."""
    brackets = {(a, n): results.bracket(a, n) for a in APPS for n in (1, MOST)}
    said = "; ".join(
        f"{NAMES[app]} on {n}: {b.gbps:.2f} Gbps, {b}"
        + (f" (lowest by {b.low_at})" if b.low_at else "")
        for (app, n), b in brackets.items()
    )
    rows: list[list[Cell]] = []
    for setting in results.settings(APPS[0]):
        found = [results.settings(app, n)[setting] for app, n in brackets]
        rows.append([setting, *(round(gbps, 3) for gbps in found)])
    headings = ["setting", *(f"{NAMES[app]}, {n} ME, Gbps" for app, n in brackets)]
    return Section(
        "sensitivity",
        "Numbers without a source",
        [
            "Every number of the chip that is assumed or fitted, a fifth smaller and "
            "larger (sizes half and twice, switches the other way), one at a time, "
            f"with the same image at SWC. {said}."
        ],
        Data(headings, rows),
    )


def instructions(results: Results) -> Section:
    changes = {
        app: results.instructions(app, "swc") / results.instructions(app, "base")
        for app in APPS
    }
    less = ", ".join(
        f"{NAMES[app]} {100 * change:.0f} %" for app, change in changes.items()
    )
    rows: list[list[Cell]] = [
        [NAMES[app], LEVEL_NAMES[level], round(results.instructions(app, level), 1)]
        for app in APPS
        for level in LEVELS
    ]
    return Section(
        "instructions",
        "Instructions per packet",
        [f"What SWC leaves of BASE's instructions: {less}."],
        Data(["program", "level", "instructions per packet"], rows),
        figures.every_app(figures.bars, results, "instructions"),
    )


def code_size(results: Results) -> Section:
    largest = max(results.run(a, lv).code_words for a in APPS for lv in LEVELS)
    rows: list[list[Cell]] = [
        [
            NAMES[app],
            LEVEL_NAMES[level],
            results.run(app, level).code_words,
            len(results.run(app, level).report["aggregates"]),
            2 if (app, level) in paper.TWO_ENGINES else 1,
        ]
        for app in APPS
        for level in LEVELS
    ]
    headings = ["program", "level", "words", "aggregates", "aggregates (paper)"]
    return Section(
        "code-size",
        "Code size",
        [
            "Control store words of all of a program's aggregates. The largest image "
            f"has {largest:,} of the {paper.CONTROL_STORE_WORDS:,} words of one engine."
        ],
        Data(headings, rows),
        figures.every_app(figures.bars, results, "code"),
    )


def model(results: Results) -> Section:
    errors = sorted(abs(row["relative_error"]) for row in results.model)
    within = sum(error <= 0.1 for error in errors) / len(errors)
    by_level = {
        level: max(
            (row["relative_error"] for row in results.model if row["level"] == level),
            key=abs,
        )
        for level in LEVELS
    }
    worst = ", ".join(f"{LEVEL_NAMES[k]} {signed(e)}" for k, e in by_level.items())
    rows: list[list[Cell]] = [
        [
            NAMES[row["app"]],
            LEVEL_NAMES[row["level"]],
            row["mes"],
            round(row["predicted_gbps"], 3),
            round(row["simulated_gbps"], 3),
            round(row["relative_error"], 3),
        ]
        for row in results.model
    ]
    return Section(
        "model",
        "Predicted and simulated rate",
        [
            f"The compiler's throughput model against the simulator: "
            f"{100 * within:.0f} % of {len(errors)} configurations within 10 % (the "
            f"band), median error {100 * errors[len(errors) // 2]:.0f} %. Largest "
            f"error by level: {worst}. " + _model_reason(results)
        ],
        Data(
            ["program", "level", "engines", "predicted", "simulated", "error"], rows
        ),
        figures.every_app(figures.model, results),
    )  # fmt: skip


def _model_reason(results: Results) -> str:
    """The engine's work in the model and in simulation, where the prediction is
    least accurate."""
    row = max(results.model, key=lambda row: abs(row["relative_error"]))
    run = results.run(row["app"], row["level"], 1)
    parts = run.report["aggregates"]
    said = sum(part["model"]["issue_cycles"] for part in parts)
    busy = sum(
        engine["issue_cycles"] + engine["aborted_cycles"]
        for engine in run.stats["microengines"]
        if engine["role"] == "app"
    )
    spent = busy / run.stats["per_packet"]["packets"]
    return (
        f"It is furthest off for {NAMES[row['app']]} {LEVEL_NAMES[row['level']]}: "
        f"there it takes {said:,.0f} cycles of an engine a packet for granted, and one "
        f"engine spends {spent:,.0f}."
    )


def limits(results: Results) -> Data:
    """The limit that the simulator names for each run."""
    headings = ["program", "level", *(f"{n} ME" for n in ENGINES)]
    rows: list[list[Cell]] = []
    for app in APPS:
        for level in LEVELS:
            named = [results.run(app, level, n).stats["bottleneck"] for n in ENGINES]
            cells: list[Cell] = [
                f"{limit['unit']}, {100 * limit['utilization']:.0f} %"
                for limit in named
            ]
            rows.append([NAMES[app], LEVEL_NAMES[level], *cells])
    return Data(headings, rows)


def time(results: Results) -> Section:
    kinds = list(figures.CYCLE_NAMES)
    headings = ["program", "level", *(f"{kind}, %" for kind in kinds)]
    headings += [f"{knob} ×2, %" for knob in KNOBS]
    rows: list[list[Cell]] = []
    for app in APPS:
        for level in LEVELS:
            shares = results.cycles(app, level)
            row: list[Cell] = [NAMES[app], LEVEL_NAMES[level]]
            row += [round(100 * shares[kind], 1) for kind in kinds]
            row += [
                round(100 * (results.what_if[app, level, knob] - 1), 1)
                for knob in KNOBS
            ]
            rows.append(row)
    return Section(
        "time",
        "Where the time goes",
        [
            f"The cycles of the program's engines with all {MOST} enabled, and an "
            "experiment: how much the rate moves when one part of the chip is made "
            "twice as fast. What moves it is what limits it; where nothing does and "
            "the engines are busy, instructions are the limit."
        ],
        Data(headings, rows),
        figures.every_app(figures.cycles, results),
        figures.KEYS["time"],
        form="what-if",
        more=("What the simulator names as the limit of every run", limits(results)),
    )


def headroom(results: Results) -> Section:
    """What the ports hide."""
    headings = [
        "program", "engines", "Gbps", "Gbps an engine", "limit", "empty polls a packet",
        "scratch, %", "DRAM bank, %", "SRAM, %", "program's engines, %",
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for app, by_engines in results.headroom.items():
        for engines, run in by_engines.items():
            units = run["unit_utilization"]
            sram = max(share for unit, share in units.items() if "sram" in unit)
            shares = [units["scratch"], units["dram bank"], sram, units["app engines"]]
            rows.append(
                [
                    NAMES[app],
                    int(engines),
                    round(run["gbps"], 3),
                    round(run["gbps_per_engine"], 3),
                    f"{run['limit']}, {100 * run['limit_utilization']:.0f} %",
                    round(run["empty_polls_per_packet"], 2),
                    *(round(100 * share, 1) for share in shares),
                ]
            )
    best = "; ".join(
        f"{NAMES[app]} {max(run['gbps'] for run in by_engines.values()):.2f} Gbps"
        for app, by_engines in results.headroom.items()
    )
    return Section(
        "headroom",
        "What the ports hide",
        [
            "With all optimizations the ports limit every program before its engines "
            f"do. The same images with ports three times as fast: {best}."
        ],
        Data(headings, rows),
        form="open",
    )


def kernels(results: Results) -> Section:
    found = results.kernels["kernels"]
    headings = [
        "kernel", "compiled, instructions", "by hand", "ratio",
        "compiled, engine cycles", "by hand (cycles)",
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            name,
            round(kernel["compiled_instructions"], 1),
            round(kernel["hand_instructions"], 1),
            round(kernel["ratio"], 2),
            round(kernel["compiled_engine_cycles"], 1),
            round(kernel["hand_engine_cycles"], 1),
        ]
        for name, kernel in found.items()
    ]
    worst = max(found, key=lambda name: found[name]["ratio"])
    return Section(
        "kernels",
        "Compiled and hand-written kernels",
        [
            "Both run in the same image over the same trace and send the same packets. "
            f"Geometric mean of the ratios: {results.kernels['geomean_ratio']:.2f}; "
            f"largest: {worst}, {found[worst]['ratio']:.2f}."
        ],
        Data(headings, rows),
        [figures.kernels(results)],
        form="open",
    )


def speed(results: Results) -> Section:
    found = results.speed
    slower = found["clock_hz"] / found["chip_cycles_per_s"]
    rows: list[list[Cell]] = [
        ["chip cycles per second", round(found["chip_cycles_per_s"])],
        ["instructions per second", round(found["instructions_per_s"])],
        ["packets per second", round(found["packets_per_s"])],
        ["times slower than the chip", round(slower, 1)],
    ]
    return Section(
        "speed",
        "Simulator speed",
        [
            "L3-Switch at −O1 on all engines at full load, on one core of the machine "
            "that made this page, start and table set-up included. The one part of "
            "the report that is not the same twice."
        ],
        Data(["", "this machine"], rows),
        form="open",
    )


def claims(results: Results) -> Section:
    findings = evaluate(results)
    headings = ["claim", "section", "paper", "test", "verdict", "numbers", "reason"]
    rows: list[list[Cell]] = [
        [c.name, c.section, c.words, c.test, f.verdict, f.numbers, f.reason]
        for c, f in findings
    ]
    return Section(
        "claims",
        "The paper's claims, one by one",
        ["Each is a test over the runs of this page; none of the verdicts is written."],
        Data(headings, rows),
        form="claims",
        findings=findings,
    )


#: Sections by name, in the order of the page.
SECTIONS: dict[str, Callable[[Results], Section]] = {
    "table1": table1,
    **{f"figure{paper.BEST[app].figure}": _figure(app) for app in APPS},
    "claims": claims,
    "figure6": figure6,
    "sensitivity": sensitivity,
    "instructions": instructions,
    "code-size": code_size,
    "model": model,
    "time": time,
    "headroom": headroom,
    "kernels": kernels,
    "speed": speed,
}
