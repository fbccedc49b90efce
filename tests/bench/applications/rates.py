"""Table 1 and Figures 13 to 15 of the paper: the cost of a packet at each level,
and the forwarding rate by level and number of engines."""

from __future__ import annotations

from typing import Any

from bench.harness.bench import Bench
from bench.harness.grid import grid
from bench.harness.text_table import table


def table1(bench: Bench) -> dict[str, Any]:
    """Memory accesses and instructions per packet, as the paper's Table 1."""
    result: dict[str, Any] = {}
    rows: list[list[object]] = []
    for (app, level, _), found in grid(bench, (max(bench.engines),)).items():
        per = found.stats["per_packet"]
        packet, own = per["packet"], per["application"]
        result.setdefault(app, {})[level] = {
            "packet": packet,
            "application": own,
            "other": per["other"],
            "instructions": per["instructions"],
            "code_words": found.code_words,
        }
        counts = [packet["scratch"], packet["sram"], packet["dram"]]
        counts += [own["scratch"], own["sram"], sum(per["other"].values())]
        counts.append(per["instructions"])
        rows.append([app, level, *map(float, counts), found.code_words])
    headings = [
        "application", "level", "scratch (packet)", "SRAM (packet)", "DRAM (packet)",
        "scratch (app.)", "SRAM (app.)", "hash, CAP, MSF", "instructions",
        "code (words)",
    ]  # fmt: skip
    table("Memory commands and instructions per packet", headings, rows)
    return result


def rates(bench: Bench) -> dict[str, Any]:
    """Forwarding rate by level and number of engines."""
    result: dict[str, Any] = {}
    for (app, level, engines), found in grid(bench, bench.engines).items():
        rate = found.stats["rate"]
        result.setdefault(app, {}).setdefault(level, {})[str(engines)] = {
            "gbps": rate["forwarded_gbps"],
            "mpps": rate["forwarded_mpps"],
        }
    rows: list[list[object]] = [
        [app, level, *(float(rate["gbps"]) for rate in by_engines.values())]
        for app, by_level in result.items()
        for level, by_engines in by_level.items()
    ]
    headings = ["application", "level", *(f"{n} ME (Gbps)" for n in bench.engines)]
    table("Forwarding rate, 64-byte frames with CRC, full load", headings, rows)
    return result
