"""Compiles and simulates, and reads what the tools wrote."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from baker_explorer import listings
from baker_explorer.forms import Step, steps
from baker_explorer.listings import Listing
from baker_explorer.record import Record
from baker_explorer.tools import Done, run_tool, shell_line
from baker_explorer.workspace import Workspace

LEVELS = ("base", "o1", "o2", "pac", "soar", "phr", "swc")
#: The forms of a program besides its source, by the names of `bakerc --emit`, and
#: the file of the form that each run writes.
FORMS = {"ast": listings.tree, "llvm": listings.llvm, "asm": listings.microcode}
ASM = "run.uc"


@dataclass(frozen=True)
class Settings:
    """What is compiled and run, and how. Files are names in the workspace or, if
    absolute, files that the explorer made."""

    files: tuple[str, ...]
    trace: str = ""
    control: str = ""
    level: str = "swc"
    engines: int = 0
    packets: int = 0
    rate: float = 0.0
    chip: tuple[str, ...] = ()

    def compile_arguments(self) -> list[str]:
        """Arguments of bakerc without its results."""
        found = [*self.files, f"--level={self.level}"]
        if self.trace:
            found.append(f"--profile-trace={self.trace}")
        if self.trace and self.control:
            found.append(f"--control={self.control}")
        if self.engines:
            found.append(f"--mes={self.engines}")
        return found

    def run_arguments(self) -> list[str]:
        """Arguments of ixpsim without its image and results."""
        found = [f"--trace={self.trace}"]
        if self.control:
            found.append(f"--control={self.control}")
        if self.packets:
            found.append(f"--packets={self.packets}")
        if self.rate:
            found.append(f"--rate={self.rate:g}")
        return found + [f"--set={setting}" for setting in self.chip]

    def commands(self) -> str:
        """The lines that do the same in a shell."""
        lines = [shell_line("bakerc", [*self.compile_arguments(), "-o", "run.ixp"])]
        if self.trace:
            lines.append(
                shell_line(
                    "ixpsim", ["run.ixp", *self.run_arguments(), "--html=run.html"]
                )
            )
        return "\n".join(lines)


@dataclass(frozen=True)
class Cost:
    """What a source line cost over a run, summed over the engines."""

    cycles: int = 0
    stalled: int = 0
    waited: int = 0
    commands: int = 0


@dataclass(frozen=True)
class Journey:
    """The events of a packet in the order of time; docs/statistics.md lists their
    keys."""

    number: int
    events: list[dict[str, Any]]
    problem: str


@dataclass
class Run:
    """A program that was compiled and, if there is a trace, simulated."""

    number: int
    settings: Settings
    folder: Path
    workspace: Workspace
    steps: list[Done] = field(default_factory=list)
    record: Record | None = None

    @property
    def problem(self) -> str:
        """What the tool that failed said, or an empty text."""
        if self.steps and self.steps[-1].status != 0:
            return self.steps[-1].errors or self.steps[-1].output
        return ""

    @property
    def page(self) -> Path:
        return self.folder / "run.html"

    def _json(self, name: str) -> Any:
        path = self.folder / name
        return json.loads(path.read_text()) if path.exists() else None

    @cached_property
    def report(self) -> Any:
        return self._json("report.json")

    @cached_property
    def stats(self) -> Any:
        return self._json("stats.json")

    @cached_property
    def costs(self) -> dict[tuple[str, int], Cost]:
        """Costs by file (its last name) and line."""
        found: dict[tuple[str, int], Cost] = {}
        profile = self._json("profile.json") or {"microcode": {}}
        for code in profile["microcode"].values():
            for line in code["lines"]:
                file, _, number = line["location"].rpartition(":")
                if not file:
                    continue
                key = (PurePath(file).name, int(number))
                old = found.get(key, Cost())
                found[key] = Cost(
                    old.cycles + line["issued"] + line["aborted"],
                    old.stalled + line["stalled"],
                    old.waited + line["waited"],
                    old.commands + line["commands"],
                )
        return found

    async def build(self) -> None:
        """Compiles, and simulates if there is a trace."""
        self.folder.mkdir(parents=True, exist_ok=True)
        image = str(self.folder / "run.ixp")
        results = [
            f"--report={self.folder / 'report.json'}",
            f"--asm={self.folder / ASM}",
            # The next run takes what an edit has left as it was.
            f"--cache-dir={self.folder.parent / 'code'}",
            "-o",
            image,
        ]
        if not await self._step("bakerc", self.settings.compile_arguments() + results):
            return
        if not self.settings.trace:
            return
        files = {
            "stats": "stats.json",
            "profile": "profile.json",
            "html": "run.html",
            "record": "record",
        }
        results = [f"--{name}={self.folder / file}" for name, file in files.items()]
        arguments = [image, *self.settings.run_arguments(), *results, "--quiet"]
        if await self._step("ixpsim", arguments):
            self.record = await asyncio.to_thread(
                Record.make, self.folder / "record", self.folder / "record.sqlite"
            )

    async def _step(self, tool: str, arguments: list[str]) -> bool:
        done = await run_tool(tool, arguments, self.workspace.root)
        self.steps.append(done)
        return done.status == 0

    async def form(self, name: str) -> Listing:
        """A form of the program (FORMS)."""
        if name == "asm" and (self.folder / ASM).exists():
            return FORMS[name]((self.folder / ASM).read_text())
        done = await run_tool(
            "bakerc",
            [*self.settings.compile_arguments(), f"--emit={name}", "-o", "-"],
            self.workspace.root,
        )
        return FORMS[name](done.output if done.status == 0 else done.errors)

    async def passes(self) -> list[Step]:
        """The passes of the program, and the module after each."""
        folder = self.folder / "passes"
        if not folder.exists():
            await run_tool(
                "bakerc",
                [
                    *self.settings.compile_arguments(),
                    f"--dump-passes={folder}",
                    "--emit=llvm",
                    "-o",
                    str(self.folder / "after-passes.ll"),
                ],
                self.workspace.root,
            )
        return steps(folder)

    async def journey(self, number: int) -> Journey:
        """Everything that happens to a packet. The run is made again, which gives
        the same."""
        file = self.folder / f"journey-{number}.json"
        done = await run_tool(
            "ixpsim",
            [
                str(self.folder / "run.ixp"),
                *self.settings.run_arguments(),
                f"--trace-packet={number}",
                f"--journey={file}",
                "--quiet",
            ],
            self.workspace.root,
        )
        if done.status != 0 or not file.exists():
            return Journey(number, [], done.errors)
        events = await asyncio.to_thread(lambda: json.loads(file.read_text()))
        file.unlink()
        # Blocks of instructions are known when they end.
        events.sort(key=lambda event: event["cycle"])
        return Journey(number, events, done.errors)


class Runs:
    """The runs of a session, in order. One is made at a time, and is finished even
    if the page that asked for it is closed."""

    def __init__(self, workspace: Workspace, folder: Path, settings: Settings) -> None:
        self.workspace = workspace
        self.folder = folder
        self.settings = settings
        self.runs: list[Run] = []
        self._making: asyncio.Task[Run] | None = None
        self._turn = asyncio.Lock()

    async def add(self, **changes: Any) -> Run:
        """Compiles and simulates with the settings, changed as named."""
        self.settings = replace(self.settings, **changes)
        self._making = asyncio.create_task(self._make(self.settings))
        return await asyncio.shield(self._making)

    async def latest(self) -> Run:
        """The last run, the one that is being made, or else a first one."""
        if self._making and not self._making.done():
            return await asyncio.shield(self._making)
        return self.runs[-1] if self.runs else await self.add()

    async def _make(self, settings: Settings) -> Run:
        async with self._turn:
            number = len(self.runs)
            folder = self.folder / str(number)
            run = Run(number, settings, folder, self.workspace)
            await run.build()
            self.runs.append(run)
            return run
