"""A packet's journey: every instruction and access, with its waits, and its bytes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from nicegui import ui

from baker_explorer.record import CHOICES
from baker_explorer.runs import Journey, Run
from baker_explorer.views.decisions import table
from npftrace.errors import InputError

_PAGE = 12
#: Most events that are listed.
_EVENTS = 1500
#: A gap of so many cycles between two events is a wait.
_WAIT = 8


class JourneyView:
    """Packets to choose from, and the journey of one."""

    def __init__(self) -> None:
        self._run: Run | None = None
        self._first = 0
        with ui.element("div").classes("text"):
            with ui.element("h2"):
                ui.label("Choose a packet")
            with ui.element("div").classes("tools"):
                self._choice = ui.select(
                    list(CHOICES),
                    value="slowest",
                    label="Packets",
                    on_change=lambda: self._turn(0),
                ).props("dense outlined options-dense")
                self._number = ui.number("Number", value=0, min=0, precision=0)
                self._number.props("dense outlined")
                ui.button("Show", on_click=self._show_number).props(
                    "no-caps unelevated"
                )
            self._packets = ui.element("div")
            with ui.element("div").classes("tools"):
                self._before = ui.button(
                    "Before", on_click=lambda: self._turn(self._first - _PAGE)
                ).props("flat no-caps dense color=accent")
                self._range = ui.label("").classes("note")
                self._after = ui.button(
                    "After", on_click=lambda: self._turn(self._first + _PAGE)
                ).props("flat no-caps dense color=accent")
            self._journey = ui.element("div").props('aria-live="polite"')

    def show(self, run: Run) -> None:
        """Shows a new run."""
        if run.record:
            self._run = run
            self._journey.clear()
            self._turn(0)

    def _turn(self, first: int) -> None:
        if not self._run or not self._run.record:
            return
        record, choice = self._run.record, self._choice.value
        count = record.count(choice)
        self._first = max(0, min(first, max(0, count - 1)))
        rows = record.packets(choice, self._first, _PAGE)
        self._packets.clear()
        with self._packets, ui.element("ul").classes("packets"):
            for row in rows:
                with ui.element("li"):
                    ui.button(
                        f"{row['number']:,}",
                        on_click=lambda _, n=row["number"]: self._show(n),
                    ).props(
                        "flat no-caps dense color=accent "
                        f'aria-label="Packet {row["number"]}"'
                    )
                    ui.label(_line(row))
        last = self._first + len(rows)
        self._range.text = (
            f"{self._first + 1:,} to {last:,} of {count:,}"
            if count
            else "there is none"
        )
        self._before.set_enabled(self._first > 0)
        self._after.set_enabled(last < count)

    async def _show_number(self) -> None:
        await self._show(int(self._number.value or 0))

    async def _show(self, number: int) -> None:
        if not self._run:
            return
        self._number.value = number
        self._journey.clear()
        with self._journey:
            ui.label("running again to follow the packet …").classes("note")
        try:
            journey = await self._run.journey(number)
        except InputError as error:
            journey = Journey(number, [], str(error))
        self._journey.clear()
        with self._journey:
            self._build(journey)

    def _build(self, journey: Journey) -> None:
        with ui.element("h2"):
            ui.label(f"Packet {journey.number:,}")
        events = journey.events
        if not events:
            ui.label(journey.problem or "It was not received.").classes("note")
            return
        begin = events[0]["cycle"]
        instructions = sum("text" in event for event in events)
        waits = sum(gap for gap in _gaps(events) if gap >= _WAIT)
        ui.label(
            f"{events[-1]['cycle'] - begin:,} cycles on the chip, {instructions:,} "
            f"instructions of application engines, {waits:,} cycles of waiting"
        )
        self._build_bytes(events)
        rows = []
        for event, gap in zip(events[:_EVENTS], _gaps(events), strict=False):
            where = ""
            if "context" in event:
                where = f"{event['engine']}.{event['context']}"
            place = event.get("location", "").strip(" ()")
            rows.append(
                [
                    f"{event['cycle'] - begin:,}",
                    f"+{gap:,}" if gap >= _WAIT else "",
                    where,
                    str(event.get("pc", "")),
                    event.get("text") or event["what"],
                    Path(place).name if place else "",
                ]
            )
        if len(events) > _EVENTS:
            ui.label(f"The first {_EVENTS:,} of {len(events):,} events").classes("note")
        table(["cycle", "waited", "engine.context", "PC", "what", "source"], rows)

    def _build_bytes(self, events: list[dict[str, Any]]) -> None:
        assert self._run
        sent = [event["bytes"] for event in events if "bytes" in event]
        before = frame(self._run, int(self._number.value or 0))
        with ui.element("div").classes("bytes"):
            with ui.element("div"):
                ui.label("Received").classes("note")
                _hex(before, before)
            for after in sent:
                with ui.element("div"):
                    ui.label("Sent; what changed is marked").classes("note")
                    _hex(bytes(after), before)
        if not sent:
            ui.label("It was not sent.").classes("note")


def frame(run: Run, number: int) -> bytes:
    """The frame of the trace with this number; a run repeats the trace."""
    from scapy.utils import RawPcapReader

    path = str(run.workspace.root / run.settings.trace)

    def find(wanted: int) -> tuple[bytes, int]:
        """The frame, or none and the number of frames. One is held at a time."""
        count = 0
        with RawPcapReader(path) as reader:
            for data, _ in reader:
                if count == wanted:
                    return data, 0
                count += 1
        return b"", count

    found, count = find(number)
    return find(number % count)[0] if count else found


def _line(row: dict[str, Any]) -> str:
    if row["latency"] is not None:
        return f"{row['fate']} by port {row['port']} after {row['latency']:,} cycles"
    return f"{row['fate']}, received at cycle {row['received']:,}"


def _gaps(events: list[dict[str, Any]]) -> list[int]:
    """Cycles before each event in which nothing happened."""
    times = [event["cycle"] for event in events]
    return [0, *(max(0, b - a - 1) for a, b in pairwise(times))]


def _hex(data: bytes, before: bytes) -> None:
    """The bytes in rows of 16; those that differ from `before` are marked."""
    parts = []
    for i, byte in enumerate(data):
        same = i < len(before) and before[i] == byte
        end = "\n" if i % 16 == 15 else " "
        parts.append((f"{byte:02x}" if same else f"<mark>{byte:02x}</mark>") + end)
    box = ui.html(f"<pre tabindex=0>{''.join(parts)}</pre>", sanitize=False)
    box.classes("hex")
