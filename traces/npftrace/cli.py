"""The command `npftrace`.

Exit status: 0 done, 1 the input or the result is wrong, 2 the command line is
wrong.
"""

import argparse
import sys
from collections.abc import Callable, Sequence

from npftrace.arguments import DefaultsHelpFormatter, refuse_empty
from npftrace.check import command as check
from npftrace.errors import InputError
from npftrace.frames import replay, show
from npftrace.grade import command as grade
from npftrace.make.registry import TRAFFIC_KINDS
from npftrace.runs import packet_tests, rfc2544
from npftrace.sweep import command as sweep
from npftrace.tables import classbench, from_trace, ipv6, rib

AddArguments = Callable[[argparse.ArgumentParser], None]

#: Ways to write a control file: name, help, options.
TABLE_SOURCES: list[tuple[str, str, AddArguments]] = [
    ("from-rib", "routes of a routing table, text or MRT", rib.add_arguments),
    ("from-trace", "tables that fit a trace", from_trace.add_arguments),
    ("ipv6", "made routes of IPv6", ipv6.add_arguments),
    ("from-classbench", "firewall rules of ClassBench", classbench.add_arguments),
]
#: Commands besides `make` and `tables`, in the order of the help.
COMMANDS: list[tuple[str, str, AddArguments]] = [
    ("check", "compare the packets of a run with the oracle", check.add_arguments),
    ("expect", "write the packets that the oracle expects", check.add_expect_arguments),
    ("info", "count the frames of a trace", show.add_info_arguments),
    ("show", "list the frames of a trace", show.add_show_arguments),
    ("diff", "compare two traces frame by frame", show.add_diff_arguments),
    (
        "convert",
        "write a trace as pcap or pcapng, by the name's ending",
        show.add_convert_arguments,
    ),
    ("packets", "run packet tests of a Baker program", packet_tests.add_arguments),
    ("bench2544", "measure an image as RFC 2544 asks", rfc2544.add_arguments),
    ("replay-rate", "give a trace the times of a rate", replay.add_arguments),
    ("sweep", "compile and simulate over a grid", sweep.add_arguments),
    ("grade", "grade solutions of a lab", grade.add_arguments),
]


def make_parser() -> argparse.ArgumentParser:
    """The commands and options, from which man page and completion are made."""
    parser = argparse.ArgumentParser(
        prog="npftrace", description="Traces, tables and checks for Karakal."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    make = commands.add_parser("make", help="write a trace and its tables")
    kinds = make.add_subparsers(required=True, metavar="KIND")
    for name, module in TRAFFIC_KINDS.items():
        kind = kinds.add_parser(
            name,
            help=(module.__doc__ or name).splitlines()[0].rstrip("."),
            formatter_class=DefaultsHelpFormatter,
        )
        module.add_arguments(kind)
        kind.set_defaults(run=module.run)

    tables = commands.add_parser("tables", help="write tables from other sources")
    sources = tables.add_subparsers(required=True, metavar="SOURCE")
    for name, text, add_arguments in TABLE_SOURCES:
        add_arguments(sources.add_parser(name, help=text))
    for name, text, add_arguments in COMMANDS:
        add_arguments(commands.add_parser(name, help=text))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit status."""
    parser = make_parser()
    words = sys.argv[1:] if arguments is None else arguments
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
