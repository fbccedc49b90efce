"""Compile time: each benchmark prints its results and returns them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Failed, Missing, progress, run
from bench.harness.images import code_words
from bench.harness.text_table import table
from bench.harness.workloads import APPS, source_of

#: Functions in the source for timing the parser.
PARSE_FUNCTIONS = 2000
REPEAT = 3


def compile_time(bench: Bench) -> dict[str, Any]:
    """How fast the compiler is."""
    result: dict[str, Any] = {"parse_lines_per_s": parse_speed(bench), "seconds": {}}
    rows: list[list[object]] = []
    for app in APPS:
        source = source_of(bench, app)
        progress(f"compiling {app}")
        image = bench.folder / f"{app}.ixp"
        whole = best(bench, source, "-o", image)
        result["seconds"][app] = whole
        rows.append([app, whole, code_words(image)])
    result["codegen"] = codegen(bench)
    result["aggregation"] = aggregation(bench)
    headings = ["application", "to image (s)", "code (words)"]
    table(f"Compile time, best of {REPEAT}", headings, rows)
    rows = [
        ["parser (lines/s)", result["parse_lines_per_s"]],
        ["code generator, seconds for one function", result["codegen"]["seconds"]],
        ["its instructions", result["codegen"]["instructions"]],
        ["aggregation, seconds", result["aggregation"]["seconds"]],
        ["its PPFs", result["aggregation"]["ppfs"]],
    ]
    table("Compile speed", ["", "value"], rows)
    return result


def timed(bench: Bench, name: str) -> list[dict[str, Any]]:
    """The runs of a benchmark program of the build."""
    tool = bench.build / "tests" / name
    if not tool.exists():
        raise Missing(f"{name} is not built")
    report = bench.folder / f"{name}.json"
    run(
        [
            str(tool),
            f"--benchmark_out={report}",
            "--benchmark_repetitions=3",
            "--benchmark_min_time=0.1",
        ]
    )
    runs: list[dict[str, Any]] = json.loads(report.read_text())["benchmarks"]
    return [item for item in runs if item["run_type"] == "iteration"]


#: The longest time of the front end.
FRONTEND_SECONDS_MAX = 0.5


def frontend(bench: Bench) -> dict[str, Any]:
    """Seconds for 5,000 lines on this computer; over half a second fails."""
    found = timed(bench, "frontend-bench")
    result: dict[str, Any] = {}
    for item in found:
        name = item["run_name"].split("/")[1] + "_seconds"
        seconds = item["cpu_time"] / 1000
        result[name] = min(seconds, result.get(name, seconds))
        result["lines"] = int(item["lines"])
    rows: list[list[object]] = [[name, value] for name, value in result.items()]
    table("Front end", ["", "value"], rows)
    if result["parse_check_and_lower_seconds"] > FRONTEND_SECONDS_MAX:
        raise Failed(f"the front end takes more than {FRONTEND_SECONDS_MAX} s")
    return result


def best(bench: Bench, *arguments: object) -> float:
    return min(bench.run("bakerc", *arguments)[0] for _ in range(REPEAT))


def parse_speed(bench: Bench) -> float:
    """Lines per second, without the time of a nearly empty program."""
    progress("timing the parser")
    small, large = bench.folder / "small.baker", bench.folder / "large.baker"
    small_lines = write_functions(small, 1)
    large_lines = write_functions(large, PARSE_FUNCTIONS)
    out = bench.folder / "out.ast"
    seconds = [best(bench, path, "--emit=ast", "-o", out) for path in (small, large)]
    return (large_lines - small_lines) / max(seconds[1] - seconds[0], 1e-6)


def codegen(bench: Bench) -> dict[str, float]:
    """Seconds from LLVM IR to microcode on this computer, for one function of about
    5,000 instructions."""
    progress("timing code generation")
    found = timed(bench, "codegen-bench")
    seconds = min(item["cpu_time"] / 1000 for item in found)
    return {"seconds": seconds, "instructions": found[0]["instructions"]}


def aggregation(bench: Bench) -> dict[str, float]:
    """Seconds to form aggregates of 200 PPFs on this computer."""
    progress("timing aggregation")
    found = timed(bench, "formation-bench")
    seconds = min(item["cpu_time"] / 1000 for item in found)
    return {"seconds": seconds, "ppfs": found[0]["ppfs"]}


def write_functions(path: Path, count: int) -> int:
    """Writes a program with this many functions, equal but for their numbers;
    returns its number of lines."""
    lines = [
        "protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }",
        "module m {",
        "  ppf p { in ether_pkt * in_cc; out ether_pkt * out_cc; }",
        "  wiring { rx -> p.in_cc; p.out_cc -> tx; }",
        "  u32 table[64];",
    ]
    for i in range(count):
        lines += [
            f"  u32 function{i}(u32 a, u48 b) {{",
            f"    u32 sum = a + {i};",
            "    for (u32 i = 0; i < 8; i++) {",
            "      if (((b >> i) & 1) != 0)",
            f"        sum = sum * 31 + table[(a ^ i) & {63 - i % 32}];",
            "    }",
            "    return (sum >> 3) | (a & 0xff);",
            "  }",
        ]
    lines += ["}", "m.p.ppf(ether_pkt * ph) {", "  u32 sum = 0;"]
    lines += ["  ph->src = sum;", "  channel_put(out_cc, ph);", "}"]
    path.write_text("\n".join(lines) + "\n")
    return len(lines)
