"""The page: its head, and its views as tabs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from nicegui import background_tasks, context, ui

from baker_explorer.runs import Run
from baker_explorer.session import Session
from baker_explorer.views.chip import ChipView
from baker_explorer.views.decisions import DecisionsView
from baker_explorer.views.experiments import ExperimentsView
from baker_explorer.views.journey import JourneyView
from baker_explorer.views.labs import LabsView, labs
from baker_explorer.views.source import SourceView
from npftrace.errors import InputError

_STYLE = files("baker_explorer").joinpath("static/explorer.css").read_text()
_IS_DARK = "matchMedia('(prefers-color-scheme: dark)')"
#: Seconds in which the page has drawn the view that the user looks at.
_DRAWN = 0.5


class View(Protocol):
    """What shows runs."""

    def show(self, run: Run) -> None: ...


class Page:
    """One open page."""

    def __init__(self, session: Session) -> None:
        self._session = session
        ui.add_css(_STYLE)
        ui.colors(primary="#0b6e8a", accent="#0b6e8a")
        self._build_head()
        with ui.element("main"):
            self._build_views()
        #: The views that show runs by their tab, and the runs that each has not shown:
        #: the last one, and before it the last that succeeded.
        self._views: dict[str, View] = {
            "Source": self._source,
            "Chip": self._chip,
            "Journey": self._journey,
            "Decisions": self._decisions,
            "Experiments": self._experiments,
        }
        self._missed: dict[str, list[Run]] = {name: [] for name in self._views}
        self._tabs.on_value_change(lambda event: self._show_missed(event.value))
        self._client = context.client
        self._client.on_disconnect(self._source.close)
        ui.on("scheme", lambda event: self._source.set_dark(bool(event.args)))
        ui.timer(0, self._begin, once=True)

    def _build_head(self) -> None:
        with ui.element("header").classes("head"):
            with ui.element("h1"):
                self._title = ui.label(Path(self._session.runs.settings.files[0]).stem)
            with ui.tabs().props("dense no-caps inline-label") as self._tabs:
                names = ["Source", "Chip", "Journey", "Decisions", "Experiments"]
                for name in names + ["Labs"] * bool(labs(self._session)):
                    ui.tab(name)
            self._state = ui.label("").classes("note").props('role="status"')

    def _build_views(self) -> None:
        panels = ui.tab_panels(self._tabs, value="Source", animated=False)
        with panels.classes("views").props("keep-alive"):
            with ui.tab_panel("Source"):
                self._source = SourceView(self._session, self.run)
            with ui.tab_panel("Chip"):
                self._chip = ChipView()
            with ui.tab_panel("Journey"):
                self._journey = JourneyView()
            with ui.tab_panel("Decisions"):
                self._decisions = DecisionsView(self._go_to)
            with ui.tab_panel("Experiments"):
                self._experiments = ExperimentsView(self._session, self.run)
            if labs(self._session):
                with ui.tab_panel("Labs"):
                    LabsView(self._session, self._open_program)

    async def _begin(self) -> None:
        """Takes the browser's colours, and shows the last run or makes the first."""
        await self._client.connected()
        self._source.set_dark(await ui.run_javascript(f"{_IS_DARK}.matches"))
        self._source.name_editors()
        self._source.let_edit()
        ui.run_javascript(
            f"{_IS_DARK}.addEventListener('change', "
            "(event) => emitEvent('scheme', event.matches))"
        )
        await self._make(self._session.runs.latest())

    async def run(self, **changes: Any) -> Run | None:
        """Compiles and simulates, and tells the views."""
        return await self._make(self._session.runs.add(**changes))

    async def _make(self, making: Awaitable[Run]) -> Run | None:
        self._state.text = "compiling and running …"
        try:
            run = await making
        except InputError as error:
            self._state.text = str(error)
            return None
        self._show(run)
        return run

    def _show(self, run: Run) -> None:
        """Shows a run in its line and in the open view, and then in the others: to
        draw them all takes longer than what the user looks at."""
        self._state.text = summary(run)
        for runs in self._missed.values():
            runs[:] = [*(old for old in runs[-1:] if not old.problem), run]
        self._show_missed(self._tabs.value)
        background_tasks.create(self._show_others())

    async def _show_others(self) -> None:
        await asyncio.sleep(_DRAWN)
        if not self._client.has_socket_connection:
            return
        with self._client:
            for name in self._views:
                self._show_missed(name)

    def _show_missed(self, name: str) -> None:
        for run in self._missed.get(name, []):
            self._views[name].show(run)
        self._missed.get(name, []).clear()

    def _go_to(self, place: tuple[str, int]) -> None:
        self._tabs.value = "Source"
        self._source.go_to(place)

    async def _open_program(self, files: tuple[str, ...]) -> Run | None:
        """Shows and runs another program, with the traffic that there is."""
        self._session.runs.settings = replace(self._session.runs.settings, files=files)
        self._title.text = Path(files[0]).stem
        self._tabs.value = "Source"
        self._source.open_program()
        return await self.run(control="")


def summary(run: Run) -> str:
    """A run in a line."""
    if run.problem:
        return "does not compile" if len(run.steps) == 1 else "the run failed"
    if not run.stats:
        return "compiled; choose a trace in Experiments to run it"
    packets, rate = run.stats["packets"], run.stats["rate"]
    return (
        f"{packets['received']:,} packets, {rate['forwarded_gbps']:.2f} Gbit/s, "
        f"limit: {run.stats['bottleneck']['unit']}"
    )


def builder(session: Session) -> Callable[[], None]:
    """The function that NiceGUI calls for each page that is opened."""

    def build() -> None:
        Page(session)

    return build
