"""The command `baker-explorer`.

Exit status: 0 done, 1 the input is wrong, 2 the command line is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import shutil
import signal
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from baker_explorer.runs import LEVELS, Runs, Settings
from baker_explorer.session import Session
from baker_explorer.workspace import Workspace
from npftrace.arguments import add_version, refuse_empty
from npftrace.errors import InputError


def make_parser() -> argparse.ArgumentParser:
    """The options, from which man page and completion are made."""
    parser = argparse.ArgumentParser(
        prog="baker-explorer",
        description="Shows what a Baker program becomes and what its packets do, as a "
        "web page on this machine.",
    )
    add_version(parser, "baker_explorer")
    parser.add_argument("files", nargs="+", metavar="FILE", help="sources of a program")
    parser.add_argument("--trace", default="", help="packets to offer (pcap, pcapng)")
    parser.add_argument("--control", default="", help="calls of control functions")
    parser.add_argument(
        "--level",
        default="swc",
        choices=LEVELS,
        help="level of optimization (default: swc)",
    )
    parser.add_argument(
        "--mes",
        type=int,
        default=0,
        help="microengines for the program (default: all that the chip has left)",
    )
    parser.add_argument(
        "--packets",
        type=int,
        default=0,
        help="packets of a run (default: those of the trace)",
    )
    parser.add_argument(
        "--port",
        type=int,
        default=0,
        help="TCP port of the page (default: any that is free)",
    )
    parser.add_argument(
        "--export",
        default="",
        metavar="HTML",
        help="compile, simulate, write the run as one page, and stop",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="only print the address"
    )
    return parser


def _settings(arguments: argparse.Namespace, workspace: Workspace) -> Settings:
    """The settings, with names of files that exist below the folder."""

    def name(text: str) -> str:
        path = workspace.path(text)
        if not path.is_file():
            raise InputError("E-explorer-002", "there is no such file", text)
        return workspace.name(path)

    return Settings(
        files=tuple(name(file) for file in arguments.files),
        trace=name(arguments.trace) if arguments.trace else "",
        control=name(arguments.control) if arguments.control else "",
        level=arguments.level,
        engines=arguments.mes,
        packets=arguments.packets,
    )


def _export(settings: Settings, workspace: Workspace, page: Path) -> int:
    """Writes the page of a run and prints the commands that make it."""
    if not settings.trace:
        raise InputError("E-explorer-007", "--export needs a run, and so --trace=PCAP")
    with tempfile.TemporaryDirectory(prefix="baker-explorer-") as folder:
        runs = Runs(workspace, Path(folder), settings)
        run = asyncio.run(runs.add())
        if run.problem:
            print(run.problem, end="", file=sys.stderr)
            return 1
        try:
            shutil.copyfile(run.page, page)
        except OSError as error:
            raise InputError(
                "E-explorer-003", f"cannot be written: {error.strerror}", page
            ) from error
    print(settings.commands())
    return 0


def _run(arguments: argparse.Namespace) -> int:
    workspace = Workspace(Path.cwd())
    settings = _settings(arguments, workspace)
    if arguments.export:
        return _export(settings, workspace, Path(arguments.export))
    # Imported late: the help and errors need no web server.
    from baker_explorer.server import listen, serve

    try:
        found = listen(arguments.port)
    except OSError as error:
        raise InputError(
            "E-explorer-006",
            f"port {arguments.port} cannot be used ({error.strerror}); leave out "
            "--port to take a free one",
        ) from error
    token = secrets.token_urlsafe(24)
    address = f"http://127.0.0.1:{found.getsockname()[1]}/?token={token}"

    def announce() -> None:
        print(f"baker-explorer is at\n  {address}\nEnd it with Ctrl-C.", flush=True)
        if not arguments.no_browser:
            webbrowser.open(address)

    with tempfile.TemporaryDirectory(prefix="baker-explorer-") as folder:
        serve(Session(workspace, Path(folder), settings), found, token, announce)
    return 0


def _end(number: int, frame: FrameType | None) -> None:
    """Ends the program so that its folder is removed."""
    raise SystemExit(0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command."""
    signal.signal(signal.SIGTERM, _end)
    try:
        parser = make_parser()
        words = sys.argv[1:] if arguments is None else arguments
        refuse_empty(parser, words)
        return _run(parser.parse_args(words))
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
