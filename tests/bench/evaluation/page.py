"""Writes the report: figures, CSV, JSON and one self-contained page."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from bench.evaluation import paper
from bench.evaluation.claim import FAILS, HOLDS, PARTLY, signed
from bench.evaluation.draw import on_page
from bench.evaluation.results import Results
from bench.evaluation.sections import SECTIONS, Data, Section
from bench.harness.workloads import APPS
from npftrace.sweep.results import write_json, write_parquet
from testkit.applications import LEVELS

FOLDER = Path(__file__).parent
#: Sections that are side by side on wide screens.
BESIDE = ("figure13", "figure14", "figure15")


def write(results: Results, names: Sequence[str], out: Path, called: str) -> Path:
    """Makes the sections of these names; `called` is the command line."""
    (out / "figures").mkdir(parents=True, exist_ok=True)
    (out / "data").mkdir(exist_ok=True)
    sections = [SECTIONS[name](results) for name in names]
    drawn = {}
    for section in sections:
        drawn[section.name] = [p.save(out / "figures") for p in section.panels]
        _write_data(section.data, out / "data" / section.name)
    if _is_whole(sections):
        runs = [run for app in APPS for run in results.grid(app).values()]
        write_json(out / "data" / "runs.json", runs)
        write_parquet(out / "data" / "runs.parquet", runs)
    page = out / "index.html"
    page.write_text(_rendered(results, sections, drawn, called))
    return page


def _is_whole(sections: list[Section]) -> bool:
    return len(sections) == len(SECTIONS)


def _write_data(data: Data, stem: Path) -> None:
    with stem.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([data.headings, *data.rows])
    rows = [dict(zip(data.headings, row, strict=True)) for row in data.rows]
    stem.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")


def _rendered(
    results: Results, sections: list[Section], drawn: dict[str, list[str]], called: str
) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["number"] = number
    environment.filters["signed"] = signed
    environment.filters["on_page"] = on_page
    text = environment.get_template("report.html.j2").render(
        css=(FOLDER / "report.css").read_text(),
        groups=_groups(sections),
        drawn=drawn,
        called=called,
        packets=results.bench.packets,
        summary=_summary(results, sections),
        columns=paper.COLUMNS,
        is_whole=_is_whole(sections),
    )
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _groups(sections: list[Section]) -> list[list[Section]]:
    """Sections in rows: the rates are side by side."""
    groups: list[list[Section]] = []
    for section in sections:
        if section.name in BESIDE and groups and groups[-1][-1].name in BESIDE:
            groups[-1].append(section)
        else:
            groups.append([section])
    return groups


def _summary(results: Results, sections: list[Section]) -> dict[str, Any]:
    """The summary at the top of the report."""
    if not _is_whole(sections):
        return {}
    claims = next(section.findings for section in sections if section.findings)
    count = Counter(finding.verdict for _, finding in claims)
    return {
        "verdicts": [(word, count[word]) for word in (HOLDS, PARTLY, FAILS)],
        "claims": len(claims),
        "apps": [
            {
                "name": paper.NAMES[app],
                "gbps": results.best(app),
                "bracket": str(results.bracket(app)),
                "paper_gbps": paper.BEST[app].gbps,
                "accesses": results.total(app, LEVELS[-1]),
                "paper_accesses": sum(paper.TABLE1[app][LEVELS[-1]]),
                "instructions": results.instructions(app, LEVELS[-1]),
            }
            for app in APPS
        ],
    }


def number(value: object) -> str:
    """The text of a cell."""
    if isinstance(value, float):
        text = f"{value:,.2f}" if abs(value) < 10 else f"{value:,.1f}"
        return text.replace("-", "−")
    return f"{value:,}" if isinstance(value, int) else str(value)
