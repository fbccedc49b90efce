"""Runs Karakal's tools and nothing else.

A tool runs without a shell, in the folder of the workspace, with a time limit, and
ends when whoever asked for it goes away.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from npftrace.errors import InputError

#: The programs that the explorer starts.
TOOLS = ("bakerc", "baker-opt", "baker-lsp", "ixpsim", "ixp-dis", "npftrace")
#: Seconds after which a tool is ended.
TIME_MAX = 600.0


@dataclass(frozen=True)
class Done:
    """What a tool printed and its exit status."""

    command: str
    status: int
    output: str
    errors: str


def find_tool(name: str) -> str:
    """The file of a tool. E-explorer-004: it is not on the path."""
    if name not in TOOLS:
        raise ValueError(f"{name} is none of the explorer's tools")
    beside = Path(sys.executable).parent
    found = shutil.which(name) or shutil.which(name, path=str(beside))
    if not found:
        raise InputError(
            "E-explorer-004",
            f"there is no '{name}' on the path; build it with ./dev build, and start "
            "the explorer with ./dev explorer",
        )
    return found


def shell_line(tool: str, arguments: Sequence[str]) -> str:
    """The command as one pastes it into a shell."""
    return shlex.join([tool, *arguments])


async def start_tool(
    name: str, arguments: Sequence[str], folder: Path
) -> asyncio.subprocess.Process:
    """Starts a tool whose input and output are pipes."""
    return await asyncio.create_subprocess_exec(
        find_tool(name),
        *arguments,
        cwd=folder,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
        limit=1 << 24,
    )


async def run_tool(
    name: str, arguments: Sequence[str], folder: Path, seconds: float = TIME_MAX
) -> Done:
    """Runs a tool to its end. E-explorer-005: it took too long."""
    process = await start_tool(name, arguments, folder)
    try:
        output, errors = await asyncio.wait_for(process.communicate(), seconds)
    except TimeoutError as error:
        raise InputError(
            "E-explorer-005",
            f"{name} was ended after {seconds:.0f} seconds; use fewer packets",
        ) from error
    finally:
        if process.returncode is None:
            os.killpg(process.pid, 9)
            await process.wait()
    return Done(
        shell_line(name, arguments),
        process.returncode or 0,
        output.decode(errors="replace"),
        errors.decode(errors="replace"),
    )
