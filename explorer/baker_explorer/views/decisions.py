"""What the compiler decided, and why."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from baker_explorer.runs import Run

#: Kinds of decisions in words, in the order of the page.
_KINDS = {
    "aggregation": "Aggregates and mapping",
    "core": "Core of each PPF",
    "channel": "Channels",
    "assign-memory": "Memory placement",
    "plan-caches": "Caches",
    "pac": "Packet access combining",
    "soar": "Static offsets",
    "phr": "Packet handling",
    "remove-copies": "Copies of packets",
    "inline": "Inlining",
    "make-caches": "Accesses of cached data",
}
_ALL = "All decisions"
#: Most decisions that are listed.
_LISTED_MAX = 200


def place_of(subject: str) -> tuple[str, int] | None:
    """The file (its last name) and line of a subject that is a place."""
    parts = subject.rsplit(":", 2)
    if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit():
        return Path(parts[0]).name, int(parts[1])
    return None


class DecisionsView:
    """`go_to` shows a place in the source."""

    def __init__(self, go_to: Callable[[tuple[str, int]], None]) -> None:
        self._go_to = go_to
        self._run: Run | None = None
        self._place = ui.element("div").classes("text")
        with self._place:
            ui.label("Decisions appear here after a run.").classes("note")

    def show(self, run: Run) -> None:
        """Shows a new run."""
        if run.report:
            self._run = run
            self._place.clear()
            with self._place:
                self._build(run.report)

    def _build(self, report: dict[str, Any]) -> None:
        self._heading("Which engines run what")
        table(
            ["aggregate", "engines", "PPFs", "words", "busy, predicted"],
            [
                [
                    found["name"],
                    ", ".join(map(str, found["engines"])),
                    ", ".join(found["ppfs"]),
                    f"{found['words']:,} of {found['words_available']:,}",
                    f"{100 * found['model']['utilization']:.0f} %",
                ]
                for found in report["aggregates"]
            ],
        )
        predicted = report["predicted"]
        self._heading("Predicted rate by engines")
        table(
            ["engines", "Gbit/s", "limit"],
            [
                [str(found["engines"]), f"{found['gbps']:.2f}", found["bottleneck"]]
                for found in predicted["by_engines"]
            ],
        )
        self._heading("Decisions and their reasons")
        kinds = _by_kind(report["decisions"])
        with ui.element("div").classes("tools"):
            choice = ui.select([_ALL, *kinds], value=_ALL, label="Kind")
            choice.props("dense outlined options-dense")
            words = ui.input("Containing").props("dense outlined debounce=200")
        rows = ui.element("div")

        def fill() -> None:
            rows.clear()
            with rows:
                chosen = kinds if choice.value == _ALL else [choice.value]
                text = (words.value or "").lower()
                self._list({kind: _containing(kinds[kind], text) for kind in chosen})

        choice.on_value_change(fill)
        words.on_value_change(fill)
        fill()

    def _heading(self, words: str) -> None:
        with ui.element("h2"):
            ui.label(words)

    def _list(self, kinds: dict[str, list[dict[str, Any]]]) -> None:
        count = sum(map(len, kinds.values()))
        ui.label(
            f"{count:,} decisions"
            + f", the first {_LISTED_MAX} are listed" * (count > _LISTED_MAX)
        ).classes("note").props("role=status")
        left = _LISTED_MAX
        for kind, found in kinds.items():
            shown = found[:left]
            left -= len(shown)
            if not shown:
                continue
            with ui.element("h3"):
                ui.label(kind)
            with ui.element("ul").classes("decisions"):
                for decision in shown:
                    self._row(decision)

    def _row(self, decision: dict[str, Any]) -> None:
        with ui.element("li"):
            ui.label(decision["decision"]).classes("what")
            if decision["reason"]:
                ui.label(decision["reason"])
            if place := place_of(decision["subject"]):
                ui.button(
                    f"{place[0]}:{place[1]}", on_click=lambda: self._go_to(place)
                ).props("flat no-caps dense color=accent")
            else:
                ui.label(decision["subject"]).classes("note")


def _by_kind(
    decisions: list[dict[str, Any]],
) -> dict[str, list[dict[str, Any]]]:
    """Decisions by the words for their kind, in the order of the page. A kind
    without words keeps its name."""
    names = dict.fromkeys([*_KINDS, *(d["kind"] for d in decisions)])
    found = {
        _KINDS.get(name, name): [d for d in decisions if d["kind"] == name]
        for name in names
    }
    return {words: of for words, of in found.items() if of}


def _containing(decisions: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    return [d for d in decisions if text in " ".join(d.values()).lower()]


def table(head: list[str], rows: list[list[str]]) -> None:
    """A plain table. It is one element: the journey of a packet has thousands of
    cells, and the server and the page keep something for each element."""
    region = ui.element("div").classes("wide")
    region.props(f'tabindex=0 role=region aria-label="Table of {head[0]}"')
    heads = "".join(f'<th scope="col">{escape(words)}</th>' for words in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(words)}</td>" for words in row) + "</tr>"
        for row in rows
    )
    with region:
        ui.html(
            f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>",
            sanitize=False,
        )
