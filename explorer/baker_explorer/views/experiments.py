"""Runs with other settings, side by side."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from baker_explorer.runs import LEVELS, Run
from baker_explorer.session import Session
from baker_explorer.views.decisions import table

_COLUMNS = [
    "run", "level", "engines", "load", "chip", "Gbit/s", "M frames/s",
    "latency p50", "p99", "instr./packet", "SRAM", "DRAM", "limit",
]  # fmt: skip


class ExperimentsView:
    """`on_run` compiles and simulates with changed settings."""

    def __init__(
        self, session: Session, on_run: Callable[..., Awaitable[Run | None]]
    ) -> None:
        self._session = session
        self._on_run = on_run
        settings = session.runs.settings
        with ui.element("div").classes("text"):
            with ui.element("h2"):
                ui.label("Change something and run")
            with ui.element("div").classes("sliders"):
                self._level = self._slider(
                    "Level",
                    0,
                    len(LEVELS) - 1,
                    LEVELS.index(settings.level),
                    1,
                    lambda value: LEVELS[int(value)],
                )
                self._engines = self._slider(
                    "Engines",
                    0,
                    6,
                    settings.engines,
                    1,
                    lambda value: f"{int(value)}" if value else "all",
                )
                self._load = self._slider(
                    "Offered load",
                    0,
                    6,
                    settings.rate,
                    0.1,
                    lambda value: (
                        f"{value:.1f} Gbit/s" if value else "as much as the chip takes"
                    ),
                )
                self._sram = self._slider(
                    "SRAM latency",
                    0,
                    400,
                    0,
                    10,
                    lambda value: f"{int(value)} cycles" if value else "the chip's",
                )
            self._chip = (
                ui.input(
                    "Other chip parameters, as name=value; ixpsim --describe lists them"
                )
                .props("dense outlined")
                .classes("grow")
            )
            with ui.element("div").classes("tools"):
                ui.button("Run", on_click=self._run).props("no-caps unelevated")
            self._place = ui.element("div")

    def _slider(
        self, name: str, low: float, high: float, value: float, step: float,
        words: Callable[[float], str],
    ) -> Any:  # fmt: skip
        with ui.element("div").classes("slider"):
            ui.label(name)
            slider = ui.slider(min=low, max=high, step=step, value=value)
            slider.props(f'aria-label="{name}"')
            ui.label().bind_text_from(slider, "value", words).classes("note")
        return slider

    async def _run(self) -> None:
        chip = tuple((self._chip.value or "").split())
        if self._sram.value:
            chip = (f"sram.latency={int(self._sram.value)}", *chip)
        await self._on_run(
            level=LEVELS[int(self._level.value)],
            engines=int(self._engines.value),
            rate=round(float(self._load.value), 1),
            chip=chip,
        )

    def show(self, run: Run) -> None:
        """Shows a new run beside those before it."""
        self._place.clear()
        with self._place:
            with ui.element("h2"):
                ui.label("Results, the newest last")
            done = [found for found in self._session.runs.runs if found.stats]
            table(_COLUMNS, [_row(found) for found in done])
            if run.problem:
                ui.label(run.problem).classes("error plain")
            with ui.element("h2"):
                ui.label("The last run as commands")
            with ui.element("pre").props("tabindex=0").classes("commands"):
                ui.label(run.settings.commands())
            if run.page.exists():
                ui.button(
                    "Save its page as one file",
                    on_click=lambda: ui.download(run.page, "run.html"),
                ).props("no-caps outline color=accent")


def _row(run: Run) -> list[str]:
    stats, settings = run.stats, run.settings
    latency, units = stats["latency_cycles"], stats["units"]
    sram = max((unit["utilization"] for unit in units["sram"]), default=0.0)
    return [
        str(run.number + 1),
        settings.level,
        str(settings.engines or "all"),
        f"{settings.rate:.1f}" if settings.rate else "full",
        " ".join(settings.chip) or "-",
        f"{stats['rate']['forwarded_gbps']:.3f}",
        f"{stats['rate']['forwarded_mpps']:.3f}",
        f"{latency['p50']:,}",
        f"{latency['p99']:,}",
        f"{stats['per_packet']['instructions']:.1f}",
        f"{100 * sram:.0f} %",
        f"{100 * units['dram']['utilization']:.0f} %",
        stats["bottleneck"]["unit"],
    ]
