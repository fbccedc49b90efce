"""The source beside what it became.

The editor shows diagnostics while one types, and in its margin what each line cost
in the last run. The line of the cursor is lit in the other forms, and a click on a
line of a form leads back to the source.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from nicegui import background_tasks, ui

from baker_explorer import forms
from baker_explorer.language import Diagnostic, Language
from baker_explorer.listings import Listing
from baker_explorer.runs import Run
from baker_explorer.session import Session
from npftrace.errors import InputError

#: Forms on the right: title by the name of bakerc.
_TITLES = {
    "ast": "Tree",
    "passes": "Dialect",
    "llvm": "LLVM IR",
    "asm": "Microcode",
}
#: Shows decorations and tips, when the page has the editor.
_MARK = """
  const element = getElement({id});
  element.editorPromise.then(() => {{
    element.setLineTooltips({tips});
    element.setDecorations({specs});
    element.$el.classList.toggle("costs", {has_costs});
  }});
"""
#: Tells the line of the cursor after a click or a key.
_LINE_OF_CURSOR = """(event) => {{
  const view = getElement({id}).editor;
  if (view) emit(view.state.doc.lineAt(view.state.selection.main.head).number);
}}"""
#: Seconds that the browser may take to answer.
_ANSWER = 30.0
#: Seconds without a key after which the text is checked.
_QUIET = 0.3


def _column(number: float) -> str:
    """A number of the margin; what rounds to nothing is left out."""
    return f"{number:6.2f}" if number >= 0.005 else " " * 6


class SourceView:
    """`on_run` saves nothing itself: it compiles what the files hold."""

    def __init__(self, session: Session, on_run: Any) -> None:
        self._session = session
        self._on_run = on_run
        self._file = session.settings.files[0]
        self._saved = session.workspace.read(self._file)
        self._lit: tuple[str, int] = ("", 0)
        self._run: Run | None = None
        self._listings: dict[tuple[int, str], Listing] = {}
        self._shown: Listing | None = None
        self._new: list[int] = []
        self._steps: list[forms.Step] = []
        self._diagnostics: list[Diagnostic] = []
        self._check: asyncio.Task[None] | None = None
        self._language = Language(session.workspace.root, self._found)
        self._build()

    def _build(self) -> None:
        with ui.element("div").classes("two"):
            with ui.element("section").classes("pane").props('aria-label="Source"'):
                self._build_source()
            with ui.element("section").classes("pane").props('aria-label="Result"'):
                self._build_result()

    def _build_source(self) -> None:
        with ui.element("div").classes("tools"):
            self._select = (
                ui.select(
                    self._session.program_files(),
                    value=self._file,
                    label="File",
                    on_change=lambda event: self._open(event.value),
                )
                .props("dense outlined options-dense")
                .classes("grow")
            )
            self._save = ui.button("Save and run", on_click=self._save_and_run)
            self._save.props("no-caps unelevated dense").tooltip("Ctrl-S")
        self.editor = ui.codemirror(
            self._saved,
            language="C++",
            theme="githubLight",
            indent="  ",
            on_change=self._changed,
            keymap={"Mod-s": self._save_and_run},
        ).classes("code source")
        self.editor.disable()
        for event in ("click", "keyup"):
            self.editor.on(
                event,
                lambda e: self._cursor(e.args),
                js_handler=_LINE_OF_CURSOR.format(id=self.editor.id),
            )
        ui.label(
            "In the margin, a packet: cycles, memory commands, stalled cycles"
        ).classes("note margin-note")
        with ui.element("div").props('role="status" aria-label="Errors and warnings"'):
            self._messages = ui.element("ul").classes("messages")

    def _build_result(self) -> None:
        with ui.element("div").classes("tools"):
            self._form = ui.toggle(
                _TITLES, value="asm", on_change=lambda: self._show_form()
            ).props('no-caps unelevated dense aria-label="Form"')
            self._note = ui.label("").classes("note")
        with ui.element("div").classes("tools passes") as self._slider_row:
            self._pass = ui.slider(min=0, max=0, step=1, value=0)
            self._pass.props('aria-label="Pass"')
            self._pass.on_value_change(self._show_pass)
            self._pass_name = ui.label("").classes("note")
        self._slider_row.set_visibility(False)
        self.listing = ui.codemirror("", theme="githubLight").classes("code")
        self.listing.props("disable")
        self.listing.on(
            "click",
            lambda e: self._listing_line(e.args),
            js_handler=_LINE_OF_CURSOR.format(id=self.listing.id),
        )

    def set_dark(self, dark: bool) -> None:
        """Takes the colours of a dark or a light page."""
        for editor in (self.editor, self.listing):
            editor.set_theme("githubDark" if dark else "githubLight")

    def name_editors(self) -> None:
        """Names the editors for screen readers, when the page has them."""
        for editor, name in ((self.editor, "Source"), (self.listing, "Result")):
            ui.run_javascript(
                f"getElement({editor.id}).editorPromise.then((view) => "
                f"view.contentDOM.setAttribute('aria-label', '{name}'))"
            )

    def let_edit(self) -> None:
        """Lets the user type. Not before the page is complete: what the server tells
        the editor brings its text, and would take back what was typed meanwhile."""
        self.editor.enable()

    def close(self) -> None:
        """Ends what belongs to this page."""
        self._language.stop()

    def go_to(self, place: tuple[str, int]) -> None:
        """Shows a line of a file of the program."""
        for name in self._session.program_files():
            if Path(name).name == place[0]:
                if name != self._file:
                    self._select.value = name
                self._go_to(place[1])
                return
        ui.notify(f"{place[0]} is not beside the program", type="warning")

    def open_program(self) -> None:
        """Shows the files of another program."""
        self._file = self._session.runs.settings.files[0]
        self._select.set_options(self._session.program_files(), value=self._file)
        self._open(self._file)

    # ---- files ---------------------------------------------------------------
    def _open(self, name: str) -> None:
        try:
            text = self._session.workspace.read(name)
        except InputError as error:
            ui.notify(str(error), type="negative")
            return
        if self.editor.value != self._saved:
            ui.notify(f"Your changes of {self._file} were not saved", type="warning")
        self._file, self._saved, self._diagnostics = name, text, []
        self.editor.set_value(text)
        self._decorate()

    async def _text(self) -> str:
        """What the editor shows. The server's copy is made of changes, so a change that
        is lost would also spoil those after it."""
        text: str = await self.editor.client.run_javascript(
            f"return getElement({self.editor.id}).editor.state.doc.toString()",
            timeout=_ANSWER,
        )
        if text != self.editor.value:
            self.editor.set_value(text)
        return text

    async def _save_and_run(self, _: Any = None) -> None:
        text = await self._text()
        if text != self._saved:
            try:
                self._session.workspace.write(self._file, text)
            except InputError as error:
                ui.notify(str(error), type="negative")
                return
            self._saved = text
        await self._on_run()

    def _changed(self) -> None:
        if self._check:
            self._check.cancel()
        self._check = background_tasks.create(self._check_soon())

    async def _check_soon(self) -> None:
        await asyncio.sleep(_QUIET)
        path = self._session.workspace.path(self._file)
        await self._language.check(path, self.editor.value)

    def _found(self, path: Path, diagnostics: list[Diagnostic]) -> None:
        if path != self._session.workspace.path(self._file):
            return
        self._diagnostics = diagnostics
        with self.editor:
            self._decorate()
            self._list_messages()

    def _list_messages(self, problem: str = "") -> None:
        self._messages.clear()
        with self._messages:
            for found in self._diagnostics:
                with ui.element("li"):
                    ui.button(
                        f"line {found.line}: {found.message}",
                        on_click=lambda _, line=found.line: self._go_to(line),
                    ).props("flat no-caps dense align=left color=accent").classes(
                        found.severity
                    )
            if problem and not self._diagnostics:
                with ui.element("li"):
                    ui.label(problem).classes("error plain")

    # ---- lines ---------------------------------------------------------------
    def _go_to(self, line: int) -> None:
        self._cursor(line)
        self.editor.reveal_line(line)

    def _cursor(self, line: int) -> None:
        lit = (Path(self._file).name, line)
        if lit != self._lit:
            self._lit = lit
            self._decorate()
            self._light_listing()
        self._reveal_lit()

    def _listing_line(self, line: int) -> None:
        if not self._shown or line > len(self._shown.sources):
            return
        source = self._shown.sources[line - 1]
        if not source:
            return
        for name in self._session.program_files():
            if Path(name).name == source[0] and name != self._file:
                self._select.value = name
        self._lit = source
        self._decorate()
        if Path(self._file).name == source[0]:
            self.editor.reveal_line(source[1])
        self._light_listing()

    def _lit_lines(self) -> list[int]:
        """The listing's lines that the line of the cursor became."""
        return self._shown.lines_of(self._lit) if self._shown else []

    def _reveal_lit(self) -> None:
        if lines := self._lit_lines():
            self.listing.reveal_line(lines[0])

    def _light_listing(self) -> None:
        lit, new = set(self._lit_lines()), set(self._new)
        self.listing.decorations = [
            {
                "kind": "line",
                "line": line,
                "class": " ".join(
                    name for name, of in (("lit", lit), ("new", new)) if line in of
                ),
            }
            for line in sorted(lit | new)
        ]

    def _decorate(self) -> None:
        """Marks the lit line, the diagnostics, and what each line cost."""
        text = self.editor.value
        lines = text.split("\n")
        name = Path(self._file).name
        specs: list[dict[str, Any]] = []
        tips: dict[int, str] = {}
        packets = self._packets()
        costs = self._run.costs if self._run and packets else {}
        most = max(
            (
                cost.cycles
                for (file, _), cost in costs.items()
                if file.endswith(".baker")
            ),
            default=1,
        )
        for number in range(1, len(lines) + 1):
            spec: dict[str, Any] = {"kind": "line", "line": number}
            if cost := costs.get((name, number)):
                share = round(100 * cost.cycles / most)
                spec["attributes"] = {
                    "data-cost": f"{cost.cycles / packets:.1f}",
                    "data-more": _column(cost.commands / packets)
                    + _column(cost.stalled / packets),
                    "style": f"--share: {share}%",
                }
                tips[number] = (
                    f"{cost.cycles / packets:.1f} cycles a packet, "
                    f"{cost.commands / packets:.2f} memory commands, "
                    f"{cost.waited / packets:.0f} cycles waited, "
                    f"{cost.stalled / packets:.2f} stalled"
                )
            if self._lit == (name, number):
                spec["class"] = "lit"
            if len(spec) > 2:
                specs.append(spec)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        for found in self._diagnostics:
            if found.line > len(lines):
                continue
            begin = starts[found.line - 1] + found.column - 1
            end = starts[min(found.end_line, len(lines)) - 1] + found.end_column - 1
            begin, end = min(begin, len(text)), min(max(end, begin + 1), len(text))
            if begin < end:
                specs.append(
                    {"kind": "mark", "from": begin, "to": end, "class": found.severity}
                )
            tips[found.line] = found.message
        self._mark(specs, tips, bool(costs))

    def _mark(
        self, specs: list[dict[str, Any]], tips: dict[int, str], has_costs: bool
    ) -> None:
        """Shows the marks. Calls the page's editor, because an update of the element
        would also set its text to what the server knows, and lose keys on their way."""
        self.editor.client.run_javascript(
            _MARK.format(
                id=self.editor.id,
                specs=json.dumps(specs),
                tips=json.dumps(tips),
                has_costs=json.dumps(has_costs),
            )
        )

    def _packets(self) -> float:
        stats = self._run.stats if self._run else None
        return float(stats["per_packet"]["packets"]) if stats else 0.0

    # ---- forms ---------------------------------------------------------------
    def show(self, run: Run) -> None:
        """Shows a new run."""
        if not run.problem:
            self._run = run
        self._listings.clear()
        self._decorate()
        self._list_messages(run.problem)
        self._show_form()

    def _show_form(self) -> None:
        if self._run:
            background_tasks.create(self._load(self._run, self._form.value))

    async def _load(self, run: Run, form: str) -> None:
        self._slider_row.set_visibility(form == "passes")
        if form == "passes":
            await self._load_passes(run)
            return
        key = (run.number, form)
        if key not in self._listings:
            self._note.text = "…"
            self._listings[key] = await run.form(form)
        if run is not self._run or form != self._form.value:
            return
        listing = self._listings[key]
        self._show_listing(listing, f"{len(listing.lines):,} lines", [])

    async def _load_passes(self, run: Run) -> None:
        self._note.text = "…"
        self._steps = await run.passes()
        if run is not self._run or self._form.value != "passes":
            return
        self._pass.props(f"max={max(0, len(self._steps) - 1)}")
        self._pass.value = min(int(self._pass.value), len(self._steps) - 1)
        self._show_pass()

    def _show_pass(self) -> None:
        if not self._steps or self._form.value != "passes":
            return
        number = int(self._pass.value)
        step = self._steps[number]
        before = self._steps[number - 1] if number else None
        if before and before.program != step.program:
            before = None
        after = forms.read(step)
        new, removed = forms.changed_lines(
            forms.read(before) if before else None, after
        )
        self._pass_name.text = step.title
        words = f"{len(after.lines):,} lines, {len(new):,} new, {removed:,} gone"
        self._show_listing(after, words, new)

    def _show_listing(self, listing: Listing, note: str, new: list[int]) -> None:
        self._shown, self._new = listing, new
        self._note.text = note
        self.listing.decorations = []
        self.listing.set_value(listing.text)
        self._light_listing()
        self._reveal_lit()
