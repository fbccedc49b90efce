"""The command `npftrace`.

Exit status: 0 done, 1 the input or the result is wrong, 2 the command line is
wrong.
"""

import argparse
import pkgutil
import sys
from collections.abc import Sequence

from npftrace.arguments import DefaultsHelpFormatter, add_version, refuse_empty
from npftrace.errors import InputError

# A command's module is imported when the command is called: NumPy and its like
# would make every command wait that does not need them.

#: Ways to write a control file: name, help, the function that adds the options.
TABLE_SOURCES = [
    ("from-rib", "routes of a routing table, text or MRT", "tables.rib:add_arguments"),
    ("from-trace", "tables that fit a trace", "tables.from_trace:add_arguments"),
    ("ipv6", "made routes of IPv6", "tables.ipv6:add_arguments"),
    (
        "from-classbench",
        "firewall rules of ClassBench",
        "tables.classbench:add_arguments",
    ),
]


def _add_kinds(parser: argparse.ArgumentParser) -> None:
    """The kinds of traffic of `make`."""
    from npftrace.make.registry import TRAFFIC_KINDS

    kinds = parser.add_subparsers(required=True, metavar="KIND")
    for name, module in TRAFFIC_KINDS.items():
        kind = kinds.add_parser(
            name,
            help=(module.__doc__ or name).splitlines()[0].rstrip("."),
            formatter_class=DefaultsHelpFormatter,
        )
        module.add_arguments(kind)
        kind.set_defaults(run=module.run)


def _add_sources(parser: argparse.ArgumentParser) -> None:
    """The sources of `tables`."""
    sources = parser.add_subparsers(required=True, metavar="SOURCE")
    for name, text, adder in TABLE_SOURCES:
        _add_options(sources.add_parser(name, help=text), adder)


#: Commands in the order of the help: name, help, the function that adds the options.
COMMANDS = [
    ("make", "write a trace and its tables", "cli:_add_kinds"),
    ("tables", "write tables from other sources", "cli:_add_sources"),
    (
        "check",
        "compare the packets of a run with the oracle",
        "check.command:add_arguments",
    ),
    (
        "expect",
        "write the packets that the oracle expects",
        "check.command:add_expect_arguments",
    ),
    ("info", "count the frames of a trace", "frames.show:add_info_arguments"),
    ("show", "list the frames of a trace", "frames.show:add_show_arguments"),
    ("diff", "compare two traces frame by frame", "frames.show:add_diff_arguments"),
    (
        "convert",
        "write a trace as pcap or pcapng, by the name's ending",
        "frames.show:add_convert_arguments",
    ),
    (
        "packets",
        "run packet tests of a Baker program",
        "runs.packet_tests:add_arguments",
    ),
    ("bench2544", "measure an image as RFC 2544 asks", "runs.rfc2544:add_arguments"),
    ("replay-rate", "give a trace the times of a rate", "frames.replay:add_arguments"),
    ("sweep", "compile and simulate over a grid", "sweep.command:add_arguments"),
    ("grade", "grade solutions of a lab", "grade.command:add_arguments"),
]


def _add_options(parser: argparse.ArgumentParser, adder: str) -> None:
    """Adds the options of a command; `adder` is MODULE:FUNCTION of this package."""
    pkgutil.resolve_name(f"npftrace.{adder}")(parser)


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The commands and options, from which man page and completion are made.

    With `only`, other commands have no options, and their modules are not imported.
    """
    parser = argparse.ArgumentParser(
        prog="npftrace", description="Traces, tables and checks for Karakal."
    )
    add_version(parser, "npftrace")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, text, adder in COMMANDS:
        command = commands.add_parser(name, help=text)
        if only is None or name == only:
            _add_options(command, adder)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    command = next((word for word in words if not word.startswith("-")), "")
    parser = make_parser(command)
    refuse_empty(parser, words)
    args = parser.parse_args(words)
    try:
        return int(args.run(args) or 0)
    except InputError as error:
        print(error, file=sys.stderr)
    except BrokenPipeError:
        sys.stderr.close()
    except OSError as error:
        print(f"{error.filename}: error: {error.strerror}", file=sys.stderr)
    return 1
