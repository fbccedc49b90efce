"""Compares what a program sent with what the oracle says, packet by packet.

Frames of different flows may overtake each other, so each frame that came out
is looked up among the frames that must come out by its port. What remains on
either side is wrong, and the first of it is told field by field. Order within
a flow (addresses, protocol and ports, by the same port in and out) is
measured and told. With the simulator's statistics, drops are compared by
reason, and packets must add up.
"""

import argparse
import json
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from npftrace.arguments import between
from npftrace.check import assignment as settle
from npftrace.check.drop_counts import check_stats
from npftrace.check.report import print_report
from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture, write_capture
from npftrace.frames.fields import differences, flow_of, summary
from npftrace.frames.wire import FRAME_BYTES_MIN, pad
from npftrace.oracle import APPS, Oracle, make_oracle
from npftrace.oracle.verdict import Verdict
from npftrace.progress import progress
from npftrace.tables.control import read_control

# Without ports in the output (pcap), all frames have this one.
ANY_PORT = -1

# Frames that the search for the origin of a wrong frame looks at.
SEARCHED = 2000


class Input(NamedTuple):
    """A frame as the port received it, and all that may become of it."""

    frame: Frame
    verdicts: Sequence[Verdict]


@dataclass
class Order:
    """How far packets were overtaken by later ones of their flow."""

    packets: int = 0
    late: int = 0
    worst: int = 0


@dataclass
class Outcome:
    """What a comparison found."""

    inputs: list[Input]
    sent: int = 0
    chosen: dict[int, Verdict] = field(default_factory=dict)
    # Inputs that may have changed parts with others of the same bytes.
    interchangeable: set[int] = field(default_factory=set)
    # Inputs with the frames that did not come out, and frames of the output
    # that nothing explains, with their positions.
    missing: dict[int, list[tuple[int, bytes]]] = field(default_factory=dict)
    surplus: dict[int, Frame] = field(default_factory=dict)
    lost: int = 0
    order: Order = field(default_factory=Order)
    problems: list[str] = field(default_factory=list)

    def verdict(self, index: int) -> Verdict:
        """What became of an input, or should have."""
        return self.chosen.get(index, self.inputs[index].verdicts[0])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace check`."""
    parser.add_argument("--app", choices=APPS, required=True)
    parser.add_argument("--trace", type=Path, required=True, help="what went in")
    parser.add_argument("--control", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="what came out")
    parser.add_argument("--stats", type=Path, help="the simulator's stats.json")
    parser.add_argument("--ports", type=between(1, 16), default=4)
    parser.add_argument(
        "--packets", type=between(1, 10**9), help="trace repeated or cut"
    )
    parser.add_argument(
        "--window",
        type=between(0, 10**9),
        default=4096,
        help="packets around a table update that may see either state (4096)",
    )
    parser.add_argument(
        "--strict-order", action="store_true", help="order in flows must be kept"
    )
    parser.add_argument("--json", type=Path, help="write the result as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 if all packets are right, 1 if not."""
    oracle = _oracle_of(args, args.window)
    trace = read_capture(args.trace, args.ports).frames
    inputs = judge(oracle, trace, args.packets or len(trace))
    found = read_capture(args.out, args.ports, allow_empty=True)
    stats = _read_stats(args.stats) if args.stats else None
    outcome = compare(inputs, found.frames, found.has_ports)
    overflow = int(stats["packets"].get("rx_overflow", 0)) if stats else 0
    explain(outcome, overflow)
    if stats:
        outcome.problems += check_stats(stats, outcome)
    if args.strict_order and outcome.order.late:
        outcome.problems.append("packets are out of order within their flow")
    print_report(args.app, outcome, stats)
    if not found.has_ports and found.frames:
        print("note: the output does not tell ports (no pcapng); none were compared")
    if args.json:
        args.json.write_text(json.dumps(as_json(outcome), indent=1) + "\n")
    return 1 if outcome.problems else 0


def add_expect_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace expect`."""
    parser.add_argument("--app", choices=APPS, required=True)
    parser.add_argument("--trace", type=Path, required=True, help="what goes in")
    parser.add_argument("--control", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="to be written")
    parser.add_argument("--ports", type=between(1, 16), default=4)
    parser.add_argument(
        "--packets", type=between(1, 10**9), help="trace repeated or cut"
    )
    parser.set_defaults(run=run_expect)


def run_expect(args: argparse.Namespace) -> int:
    """Writes what must come out, in the order of what goes in. Table updates
    are seen by exactly the packets that come after them."""
    oracle = _oracle_of(args, window=0)
    trace = read_capture(args.trace, args.ports).frames
    inputs = judge(oracle, trace, args.packets or len(trace))
    frames = [
        Frame(frame.time_ns, port, data)
        for frame, verdicts in inputs
        for port, data in verdicts[0].outputs
    ]
    write_capture(args.out, frames, args.ports)
    print(f"{args.out}: {len(frames):,} frames of {len(inputs):,} packets")
    return 0


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


def judge(oracle: Oracle, trace: Sequence[Frame], count: int) -> list[Input]:
    """The verdicts for `count` packets of a trace, repeated or cut."""
    inputs = []

    def frames() -> Iterator[tuple[int, Frame]]:
        for index in range(count):
            frame = trace[index % len(trace)]
            if len(frame.data) < FRAME_BYTES_MIN:
                frame = frame._replace(data=pad(frame.data))
            yield index, frame

    for index, frame in frames():
        oracle.hear(index, frame.port, frame.data)
    with progress("asking the oracle", count) as advance:
        for index, frame in frames():
            verdicts = oracle.verdicts(index, frame.port, frame.data)
            inputs.append(Input(frame, verdicts))
            if index % 1024 == 1023:
                advance(1024)
    return inputs


def compare(inputs: list[Input], found: list[Frame], has_ports: bool) -> Outcome:
    """Matches what came out with what must."""
    outcome = Outcome(inputs, sent=len(found))
    waiting: dict[tuple[int, bytes], deque[int]] = defaultdict(deque)
    uncertain = []
    for index, (_, verdicts) in enumerate(inputs):
        if len(verdicts) > 1:
            uncertain.append(index)
            continue
        for port, data in verdicts[0].outputs:
            waiting[port if has_ports else ANY_PORT, data].append(index)
    latest: dict[tuple[int, int, tuple[bytes, ...]], int] = {}
    for position, frame in enumerate(found):
        port = frame.port if has_ports else ANY_PORT
        queue = waiting.get((port, frame.data))
        if not queue:
            outcome.surplus[position] = frame._replace(port=port)
            continue
        _note_order(outcome, latest, queue.popleft(), port)
    _settle(outcome, uncertain, has_ports)
    for (port, data), queue in waiting.items():
        for index in queue:
            outcome.missing.setdefault(index, []).append((port, data))
    return outcome


def _note_order(
    outcome: Outcome,
    latest: dict[tuple[int, int, tuple[bytes, ...]], int],
    index: int,
    port: int,
) -> None:
    frame = outcome.inputs[index].frame
    flow = (frame.port, port, flow_of(frame.data))
    newest = latest.get(flow, -1)
    order = outcome.order
    order.packets += 1
    if index < newest:
        order.late += 1
        order.worst = max(order.worst, newest - index)
    else:
        latest[flow] = index


def _settle(outcome: Outcome, uncertain: list[int], has_ports: bool) -> None:
    """For packets near an update: the verdict that the output bears out, that of
    most frames first, of which another's may be a part."""
    places: dict[tuple[int, bytes], deque[int]] = defaultdict(deque)
    if uncertain:
        for position, frame in outcome.surplus.items():
            places[frame.port, frame.data].append(position)
    tried: dict[int, list[Verdict]] = {}
    choices: dict[int, list[settle.Keys]] = {}
    for index in uncertain:
        verdicts = sorted(outcome.inputs[index].verdicts, key=lambda v: -len(v.outputs))
        tried[index] = verdicts
        choices[index] = [
            [(p if has_ports else ANY_PORT, d) for p, d in v.outputs] for v in verdicts
        ]
    there = {key: len(positions) for key, positions in places.items()}
    for group in settle.sharing(choices):
        fitting = settle.fit([choices[index] for index in group], there)
        if len(group) > 1:
            outcome.interchangeable.update(group)
        for number, index in enumerate(group):
            among = [fitting[number]] if fitting else range(len(tried[index]))
            for which in among:
                keys = choices[index][which]
                if all(len(places.get(k, ())) >= keys.count(k) for k in keys):
                    outcome.chosen[index] = tried[index][which]
                    for key in keys:
                        del outcome.surplus[places[key].popleft()]
                    break
            else:
                outcome.missing[index] = list(outcome.verdict(index).outputs)


def explain(outcome: Outcome, overflow: int) -> None:
    """Turns what remains on either side into problems, the first in detail."""
    # Frames that found no room at Rx leave no trace at all.
    for index in sorted(outcome.missing) if overflow else ():
        whole = len(outcome.missing[index]) == len(outcome.verdict(index).outputs)
        if whole and outcome.lost < overflow:
            outcome.lost += 1
            del outcome.missing[index]
    missing = sum(map(len, outcome.missing.values()))
    surplus = len(outcome.surplus)
    if not missing and not surplus:
        return
    outcome.problems.append(
        f"{missing:,} frames that must come out did not, "
        f"{surplus:,} came out that must not"
    )
    if outcome.missing:
        outcome.problems.append(_explain_missing(outcome, min(outcome.missing)))
    else:
        outcome.problems.append(_explain_surplus(outcome, min(outcome.surplus)))


def _describe(outcome: Outcome, index: int) -> str:
    frame = outcome.inputs[index].frame
    verdict = outcome.verdict(index)
    what = verdict.kind + (f": {verdict.reason}" if verdict.reason else "")
    return f"packet {index} (in by port {frame.port}; {what}): {summary(frame.data)}"


def _explain_missing(outcome: Outcome, index: int) -> str:
    port, data = outcome.missing[index][0]
    lines = [f"first difference: {_describe(outcome, index)}"]
    lines.append(f"  must leave by port {port}: {summary(data)}")
    position = _nearest(data, port, outcome.surplus)
    if position is None:
        lines.append("  it did not come out, nor anything like it")
        return "\n".join(lines)
    found = outcome.surplus[position]
    lines.append(f"  frame {position} of the output is the nearest:")
    if found.port != port:
        lines.append(f"    port: expected {port}, found {found.port}")
    lines += (f"    {line}" for line in differences(data, found.data))
    return "\n".join(lines)


def _explain_surplus(outcome: Outcome, position: int) -> str:
    frame = outcome.surplus[position]
    lines = [
        f"first difference: frame {position} of the output, by port {frame.port}, "
        f"must not be there: {summary(frame.data)}"
    ]
    origin = _origin(outcome, frame)
    if origin is not None:
        verdict = outcome.verdict(origin)
        again = any(data == frame.data for _, data in verdict.outputs)
        what = "it came out too often" if again else "its origin may be"
        lines.append(f"  {what}: {_describe(outcome, origin)}")
    return "\n".join(lines)


def _distance(one: bytes, other: bytes) -> int:
    different = sum(a != b for a, b in zip(one, other, strict=False))
    return different + abs(len(one) - len(other))


def _nearest(data: bytes, port: int, frames: dict[int, Frame]) -> int | None:
    """The position of the frame most like `data`, if any is like it."""
    best, best_distance = None, max(20, len(data) // 2)
    for position in list(frames)[:SEARCHED]:
        frame = frames[position]
        distance = _distance(data, frame.data) + (frame.port != port)
        if distance < best_distance:
            best, best_distance = position, distance
    return best


def _origin(outcome: Outcome, frame: Frame) -> int | None:
    """The input that a frame of the output comes from, by its last bytes."""
    tail = frame.data[34:]
    for index, (source, _) in enumerate(outcome.inputs):
        if source.data[34:] == tail:
            return index
    return None


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
        "order": vars(outcome.order),
        "problems": outcome.problems,
    }
