"""The command `npftrace`. Exit status: 0 done, 1 the input or the result is
wrong, 2 the command line is wrong."""

import argparse
import sys
from collections.abc import Sequence

from npftrace import bench2544, check, classbench, fit, packettest, replay, rib, show
from npftrace.errors import InputError
from npftrace.make.kinds import KINDS
from npftrace.sweep import command as sweep


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="npftrace", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    make = commands.add_parser("make", help="write a trace, its tables and answers")
    kinds = make.add_subparsers(required=True, metavar="KIND")
    for name, module in KINDS.items():
        kind = kinds.add_parser(
            name,
            help=(module.__doc__ or name).splitlines()[0],
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        module.add_arguments(kind)
        kind.set_defaults(run=module.run)

    tables = commands.add_parser("tables", help="write tables from other forms")
    sources = tables.add_subparsers(required=True, metavar="SOURCE")
    rib.add_arguments(
        sources.add_parser("from-rib", help="routes of a RIB, text or MRT")
    )
    fit.add_arguments(sources.add_parser("from-trace", help="tables that fit a trace"))
    classbench.add_arguments(
        sources.add_parser("from-classbench", help="firewall rules of ClassBench")
    )
    check.add_arguments(commands.add_parser("check", help="compare with the oracle"))
    check.add_expect_arguments(
        commands.add_parser("expect", help="write what the oracle expects")
    )
    show.add_arguments(commands)
    packettest.add_arguments(
        commands.add_parser("packets", help="run packet tests of a Baker program")
    )
    bench2544.add_arguments(
        commands.add_parser("bench2544", help="measure an image as RFC 2544 asks")
    )
    replay.add_arguments(
        commands.add_parser("replay-rate", help="give a trace the times of a rate")
    )
    sweep.add_arguments(
        commands.add_parser("sweep", help="compile and simulate over a grid")
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    try:
        return int(args.run(args) or 0)
    except InputError as error:
        print(error, file=sys.stderr)
    except BrokenPipeError:
        sys.stderr.close()
    except OSError as error:
        print(f"{error.filename}: error: {error.strerror}", file=sys.stderr)
    return 1
