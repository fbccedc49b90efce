"""The chip at work: the page that `ixpsim --html` writes."""

from __future__ import annotations

from nicegui import ui

from baker_explorer.runs import Run


class ChipView:
    """The page of the last run."""

    def __init__(self) -> None:
        self._place = ui.element("div").classes("chip")
        with self._place:
            ui.label("The chip appears here after a run with a trace.").classes("note")

    def show(self, run: Run) -> None:
        """Shows a new run."""
        if not run.page.exists():
            return
        self._place.clear()
        with self._place:
            frame = ui.element("iframe").classes("page")
            frame.props(f'src="/runs/{run.number}/page" title="The run on the chip"')
