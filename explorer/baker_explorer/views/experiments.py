"""Runs with other traffic and other settings, side by side."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from nicegui import ui

from baker_explorer.runs import LEVELS, Run, Settings
from baker_explorer.session import Session
from baker_explorer.views.decisions import table

_COLUMNS = [
    "run", "program", "trace", "level", "engines", "load", "chip", "Gbit/s",
    "M frames/s", "latency p50", "p99", "instr./packet", "SRAM", "DRAM", "limit",
]  # fmt: skip
#: Chip parameters with a slider: name, parameter of `ixpsim --set`, largest value and
#: step of the slider, what a step counts in the parameter's unit, and the words.
_CHIP = (
    ("SRAM latency", "sram.latency", 400, 10, 1, "cycles"),
    ("DRAM latency", "dram.latency", 600, 10, 1, "cycles"),
    ("Scratch latency", "scratch.latency", 300, 10, 1, "cycles"),
    ("Rate of a port", "ports.rate_bps", 10, 1, 1_000_000_000, "Gbit/s"),
)
_NO_FILE = "none"


class ExperimentsView:
    """`on_run` compiles and simulates with changed settings."""

    def __init__(
        self, session: Session, on_run: Callable[..., Awaitable[Run | None]]
    ) -> None:
        self._session = session
        self._on_run = on_run
        self._files: tuple[str, ...] = ()
        settings = session.runs.settings
        with ui.element("div").classes("text"):
            with ui.element("h2"):
                ui.label("Change something and run")
            self._build_traffic()
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
                self._parameters = [
                    self._slider(name, 0, high, 0, step, _in_words(unit))
                    for name, _, high, step, _, unit in _CHIP
                ]
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

    def _build_traffic(self) -> None:
        with ui.element("div").classes("tools traffic"):
            self._trace = self._file("Trace")
            self._control = self._file("Control calls")
            self._packets = ui.number("Packets, 0: those of the trace", value=0, min=0)
            self._packets.props("dense outlined precision=0")
        self._offer_files(self._session.runs.settings)

    def _file(self, name: str) -> Any:
        found = ui.select([_NO_FILE], value=_NO_FILE, label=name)
        return found.props("dense outlined options-dense").classes("grow")

    def _offer_files(self, settings: Settings) -> None:
        """Lists the captures and control files of the workspace. The choice is kept,
        unless another program was opened."""
        is_new = settings.files != self._files
        self._files = settings.files
        workspace = self._session.workspace
        for choice, endings, now in (
            (self._trace, (".pcap", ".pcapng"), settings.trace),
            (self._control, (".control", ".txt"), settings.control),
        ):
            value = (now or _NO_FILE) if is_new else choice.value
            names = workspace.find(*endings)
            names += [value] * (value != _NO_FILE and value not in names)
            choice.set_options([_NO_FILE, *names], value=value)
        if is_new:
            self._packets.value = settings.packets

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
        chip = [
            f"{parameter}={int(slider.value * factor)}"
            for slider, (_, parameter, _, _, factor, _) in zip(
                self._parameters, _CHIP, strict=True
            )
            if slider.value
        ]
        chip += (self._chip.value or "").split()
        await self._on_run(
            trace=_chosen(self._trace),
            control=_chosen(self._control),
            packets=int(self._packets.value or 0),
            level=LEVELS[int(self._level.value)],
            engines=int(self._engines.value),
            rate=round(float(self._load.value), 1),
            chip=tuple(chip),
        )

    def show(self, run: Run) -> None:
        """Shows a new run beside those before it."""
        self._offer_files(run.settings)
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


def _chosen(choice: Any) -> str:
    """The file of a select, or an empty text."""
    return "" if choice.value == _NO_FILE else str(choice.value)


def _in_words(unit: str) -> Callable[[float], str]:
    return lambda value: f"{int(value)} {unit}" if value else "the chip's"


def _row(run: Run) -> list[str]:
    stats, settings = run.stats, run.settings
    latency, units = stats["latency_cycles"], stats["units"]
    sram = max((unit["utilization"] for unit in units["sram"]), default=0.0)
    return [
        str(run.number + 1),
        Path(settings.files[0]).stem,
        Path(settings.trace).name,
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
