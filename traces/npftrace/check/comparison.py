"""Matches the frames that a program sent with the verdicts of the oracle.

Frames of different flows may overtake each other. So each frame that the program
sent is looked up among those that the oracle expects from its port, in any order.
Expected frames that were not sent are missing; sent frames that were not expected
are surplus. How far packets overtook each other is measured (`order.py`).
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from npftrace.check.assignment import Choices, Key, assign, groups_of
from npftrace.check.order import Orders
from npftrace.frames.capture import Frame
from npftrace.frames.wire import FRAME_BYTES_MIN, pad
from npftrace.oracle import Oracle
from npftrace.oracle.verdict import Verdict
from npftrace.progress import progress

#: The port of all frames if the output does not name ports (pcap).
ANY_PORT = -1


class Input(NamedTuple):
    """A frame as the port received it, and every verdict that is right for it."""

    frame: Frame
    verdicts: Sequence[Verdict]


@dataclass
class Outcome:
    """The result of a comparison."""

    inputs: list[Input]
    #: The number of frames that the program sent.
    sent: int = 0
    #: Which of several verdicts the output shows, by input.
    chosen: dict[int, Verdict] = field(default_factory=dict)
    #: Inputs whose verdicts may be exchanged with those of other inputs, because
    #: their frames have the same bytes.
    interchangeable: set[int] = field(default_factory=set)
    #: Port and bytes of the frames that were not sent, by input.
    missing: dict[int, list[Key]] = field(default_factory=dict)
    #: Sent frames that no verdict explains, by their position in the output.
    surplus: dict[int, Frame] = field(default_factory=dict)
    #: Inputs that had no room at Rx.
    lost: int = 0
    order: Orders = field(default_factory=Orders)
    problems: list[str] = field(default_factory=list)

    def verdict(self, index: int) -> Verdict:
        """The verdict on an input: the chosen one, or else the first."""
        return self.chosen.get(index, self.inputs[index].verdicts[0])


def judge(oracle: Oracle, trace: Sequence[Frame], count: int) -> list[Input]:
    """The verdicts on `count` packets of a trace, repeated or cut."""
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
    """Matches the frames that were sent with the verdicts. `has_ports` says
    whether the output names the ports."""
    outcome = Outcome(inputs, sent=len(found))
    waiting: dict[Key, deque[int]] = defaultdict(deque)
    uncertain = []
    for index, (_, verdicts) in enumerate(inputs):
        if len(verdicts) > 1:
            uncertain.append(index)
            continue
        for port, data in verdicts[0].outputs:
            waiting[port if has_ports else ANY_PORT, data].append(index)
    for position, frame in enumerate(found):
        port = frame.port if has_ports else ANY_PORT
        queue = waiting.get((port, frame.data))
        if not queue:
            outcome.surplus[position] = frame._replace(port=port)
            continue
        index = queue.popleft()
        arrived = inputs[index].frame
        outcome.order.note(position, arrived.data, (arrived.port, port), index)
    _choose_verdicts(outcome, uncertain, has_ports)
    for (port, data), queue in waiting.items():
        for index in queue:
            outcome.missing.setdefault(index, []).append((port, data))
    return outcome


def _choose_verdicts(outcome: Outcome, uncertain: list[int], has_ports: bool) -> None:
    """Chooses, for inputs with several verdicts, those that explain the surplus,
    and removes the explained frames from it. Verdicts with more frames come
    first, because those of another verdict may be a part of them."""
    positions: dict[Key, deque[int]] = defaultdict(deque)
    if uncertain:
        for position, frame in outcome.surplus.items():
            positions[frame.port, frame.data].append(position)
    tried: dict[int, list[Verdict]] = {}
    choices: dict[int, Choices] = {}
    for index in uncertain:
        verdicts = sorted(outcome.inputs[index].verdicts, key=lambda v: -len(v.outputs))
        tried[index] = verdicts
        choices[index] = [
            [(p if has_ports else ANY_PORT, d) for p, d in v.outputs] for v in verdicts
        ]
    sent = {key: len(where) for key, where in positions.items()}
    for group in groups_of(choices):
        numbers = assign([choices[index] for index in group], sent)
        if len(group) > 1:
            outcome.interchangeable.update(group)
        for at, index in enumerate(group):
            candidates = [numbers[at]] if numbers else range(len(tried[index]))
            for number in candidates:
                keys = choices[index][number]
                if all(len(positions.get(k, ())) >= keys.count(k) for k in keys):
                    outcome.chosen[index] = tried[index][number]
                    for key in keys:
                        del outcome.surplus[positions[key].popleft()]
                    break
            else:
                outcome.missing[index] = list(outcome.verdict(index).outputs)
