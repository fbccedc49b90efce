"""`npftrace check` and `npftrace expect`.

`check` compares what a program sent with what the oracle expects, packet by
packet. With the simulator's statistics, it also compares drops by reason and
checks that packets add up. `expect` writes the frames that the oracle expects.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from npftrace.arguments import COUNT_MAX, DEFAULT, add_ports, between
from npftrace.check.comparison import Input, Outcome, compare, judge
from npftrace.check.drop_counts import check_stats
from npftrace.check.explanation import explain
from npftrace.check.order import DEMANDS
from npftrace.check.report import print_report
from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture, write_capture
from npftrace.oracle import APPS, Oracle, make_oracle
from npftrace.tables.control import read_control


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace check`."""
    _add_oracle_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="what the program sent")
    parser.add_argument("--stats", type=Path, help="the simulator's stats.json")
    parser.add_argument(
        "--window",
        type=between(0, COUNT_MAX),
        default=4096,
        help=f"packets around a table update that may see either state {DEFAULT}",
    )
    parser.add_argument(
        "--order",
        choices=DEMANDS,
        default=DEMANDS[0],
        help="an error if a frame leaves after a later one of its flow, or (port) of "
        f"what arrives at its port and leaves by its port {DEFAULT}",
    )
    parser.add_argument("--json", type=Path, help="write the result as JSON")
    parser.set_defaults(run=run)


def add_expect_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace expect`."""
    _add_oracle_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="trace to write")
    parser.set_defaults(run=run_expect)


def _add_oracle_arguments(parser: argparse.ArgumentParser) -> None:
    """What the oracle needs: the application, its tables, its input."""
    parser.add_argument("--app", choices=APPS, required=True)
    parser.add_argument(
        "--trace", type=Path, required=True, help="what the ports receive"
    )
    parser.add_argument(
        "--control", type=Path, required=True, help="control file of the run"
    )
    add_ports(parser)
    parser.add_argument(
        "--packets",
        type=between(1, COUNT_MAX),
        help="packets received: the trace is repeated or cut",
    )


def run(args: argparse.Namespace) -> int:
    """Returns 0 if all packets are right, 1 if not."""
    inputs = _inputs(args, args.window)
    found = read_capture(args.out, args.ports, allow_empty=True)
    stats = _read_stats(args.stats) if args.stats else None
    outcome = compare(inputs, found.frames, found.has_ports)
    overflow = int(stats["packets"].get("rx_overflow", 0)) if stats else 0
    explain(outcome, overflow)
    if stats:
        outcome.problems += check_stats(stats, outcome)
    for order in outcome.order.violated(args.order):
        outcome.problems.append(f"frames are out of order within their {order.what}")
    print_report(args.app, outcome, stats)
    if not found.has_ports and found.frames:
        print("note: ports are not compared, because the output is not pcapng")
    if args.json:
        args.json.write_text(json.dumps(as_json(outcome), indent=1) + "\n")
    return 1 if outcome.problems else 0


def run_expect(args: argparse.Namespace) -> int:
    """Writes the frames that the oracle expects, in the order of the packets that
    they come from. Exactly the packets after a table update see it."""
    inputs = _inputs(args, window=0)
    frames = [
        Frame(frame.time_ns, port, data)
        for frame, verdicts in inputs
        for port, data in verdicts[0].outputs
    ]
    write_capture(args.out, frames, args.ports)
    print(f"{args.out}: {len(frames):,} frames of {len(inputs):,} packets")
    return 0


def _inputs(args: argparse.Namespace, window: int) -> list[Input]:
    """The packets of the command line with their verdicts."""
    oracle = _oracle_of(args, window)
    trace = read_capture(args.trace, args.ports).frames
    return judge(oracle, trace, args.packets or len(trace))


def _oracle_of(args: argparse.Namespace, window: int) -> Oracle:
    try:
        return make_oracle(args.app, read_control(args.control), args.ports, window)
    except InputError as error:
        error.path = str(args.control)
        raise


def _read_stats(path: Path) -> dict[str, Any]:
    try:
        stats = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError("E-traces-130", f"no statistics: {error}", path) from error
    if not isinstance(stats, dict) or not isinstance(stats.get("packets"), dict):
        raise InputError("E-traces-130", "no statistics: 'packets' is missing", path)
    return stats


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The result for other programs."""
    verdicts = [outcome.verdict(index) for index in range(len(outcome.inputs))]
    return {
        "packets": len(verdicts),
        "sent": outcome.sent,
        "right": not outcome.problems,
        "kinds": dict(Counter(verdict.kind for verdict in verdicts)),
        "drops": dict(Counter(v.reason for v in verdicts if v.kind == "dropped")),
        "missing": sum(map(len, outcome.missing.values())),
        "surplus": len(outcome.surplus),
        "lost_to_overflow": outcome.lost,
        "order": outcome.order.flow.as_json() | {"port": outcome.order.port.as_json()},
        "problems": outcome.problems,
    }
