"""The labs of the course: their task, their starter, their points."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from baker_explorer.runs import Run
from baker_explorer.session import Session
from baker_explorer.tools import run_tool
from npftrace.errors import InputError

#: The folder of the course below the workspace.
FOLDER = "labs"
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([\w./-]+\.svg)\)")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)[^)]+\)")


def labs(session: Session) -> list[str]:
    """The names of the labs, in order."""
    folder = session.workspace.root / FOLDER
    return sorted(path.parent.name for path in folder.glob("*/README.md"))


class LabsView:
    """`on_open` shows and runs the program in files."""

    def __init__(
        self,
        session: Session,
        on_open: Callable[[tuple[str, ...]], Awaitable[Run | None]],
    ) -> None:
        self._session = session
        self._on_open = on_open
        with ui.element("div").classes("text"):
            names = labs(session)
            self._choice = ui.select(
                names, value=names[0], label="Lab", on_change=lambda: self._show()
            ).props("dense outlined options-dense")
            self._place = ui.element("div").classes("lab")
            self._points = ui.element("div").props('aria-live="polite"')
        self._show()

    def show(self, run: Run) -> None:
        """A run changes nothing here."""

    def _show(self) -> None:
        lab = f"{FOLDER}/{self._choice.value}"
        self._place.clear()
        self._points.clear()
        with self._place:
            try:
                text = self._session.workspace.read(f"{lab}/README.md")
            except InputError as error:
                ui.label(str(error)).classes("error")
                return
            starters = [
                name
                for name in self._session.workspace.find(".baker")
                if name.startswith(f"{lab}/starter/")
            ]
            with ui.element("div").classes("tools"):
                for name in starters:
                    ui.button(
                        f"Open {name.rpartition('/')[2]}",
                        on_click=lambda _, name=name: self._on_open((name,)),
                    ).props("no-caps outline color=accent")
                ui.button("Grade the starter's folder", on_click=self._grade).props(
                    "no-caps unelevated"
                )
            ui.markdown(_for_page(text, lab))

    async def _grade(self, _: Any = None) -> None:
        lab = f"{FOLDER}/{self._choice.value}"
        self._points.clear()
        with self._points:
            ui.label("grading …").classes("note")
        try:
            done = await run_tool(
                "npftrace",
                ["grade", lab, f"{lab}/starter"],
                self._session.workspace.root,
            )
            words = done.output or done.errors
        except InputError as error:
            words = str(error)
        self._points.clear()
        with self._points, ui.element("pre").props("tabindex=0"):
            ui.label(words)


def _for_page(text: str, lab: str) -> str:
    """The text with its pictures where the server has them. Links to other files of
    the checkout become plain words: the page serves no files but pictures."""
    text = _PICTURE.sub(rf"![\1](/pictures/{lab}/\2)", text)
    return _LINK.sub(r"\1", text)
