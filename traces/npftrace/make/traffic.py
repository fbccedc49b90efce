"""What the kinds of traffic share: options, kinds of packets, flows, and the
writing of trace and answers in chunks."""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from npftrace.arguments import COUNT_MAX, add_control_output, add_ports, between, share
from npftrace.draws import Numbers
from npftrace.errors import InputError
from npftrace.files import create_text
from npftrace.make.chunks import Chunk
from npftrace.make.frame_writer import FrameWriter
from npftrace.make.sizes import sizes
from npftrace.progress import progress

IPV4_BYTES = 20
UDP_BYTES = 8
#: Frames built at a time.
CHUNK_FRAMES = 1 << 15
#: Flows of Zipf-distributed traffic, unless the command line says otherwise.
ZIPF_FLOWS = 65536
#: The tolerance of a sum of shares, for thirds and the like.
SHARE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class PacketKind:
    """A kind of packet whose share of the trace an option sets."""

    #: What becomes of such packets: how they leave, or why they are dropped.
    outcome: str
    help: str
    default: float = 0.0


#: By the name of the option. Packets of no kind are plain.
PacketKinds = Mapping[str, PacketKind]
#: A packet's line in the file of answers.
Answer = dict[str, object]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of every kind of traffic."""
    parser.add_argument(
        "--out", type=Path, required=True, help="trace to write, pcap or pcapng"
    )
    add_control_output(parser)
    parser.add_argument(
        "--answers", type=Path, help="expected outcomes to write, one JSON per line"
    )
    parser.add_argument(
        "--packets", type=between(1, COUNT_MAX), default=20000, help="in the trace"
    )
    add_ports(parser, least=2)
    parser.add_argument(
        "--seed", type=between(0, 2**63), default=1, help="of all random draws"
    )
    parser.add_argument(
        "--size",
        type=sizes,
        default="64",
        help="frame bytes with CRC: 64, 64,512, 64:7,594:4, 64-1518 or imix",
    )
    parser.add_argument(
        "--locality",
        choices=("uniform", "zipf"),
        default="uniform",
        help="how often the flows occur",
    )
    parser.add_argument(
        "--flows",
        type=between(0, 10**7),
        default=0,
        help=f"how many; 0: {ZIPF_FLOWS} if zipf, one per packet if uniform",
    )
    parser.add_argument("--exponent", type=float, default=1.0, help="of zipf")


def add_shares(parser: argparse.ArgumentParser, kinds: PacketKinds) -> None:
    """An option for the share of each kind of packet."""
    group = parser.add_argument_group("shares of the packets, 0 to 1")
    for name, kind in kinds.items():
        group.add_argument(
            f"--{name}",
            type=share,
            default=kind.default,
            metavar="SHARE",
            help=kind.help,
        )


def share_of(args: argparse.Namespace, name: str) -> float:
    """The share that the command line gives to a kind of packet."""
    value: float = getattr(args, name.replace("-", "_"))
    return value


def draw_kinds(
    args: argparse.Namespace, rng: np.random.Generator, kinds: PacketKinds
) -> Numbers:
    """The kind of each packet: 0 is plain, then `kinds` in order. Shares are
    exact: 0.01 of 20,000 packets are 200 packets, at random positions."""
    shares = [share_of(args, name) for name in kinds]
    counts = [round(value * args.packets) for value in shares]
    excess = sum(counts) - args.packets
    # Shares such as three thirds may be rounded up to a few packets too many.
    if 0 < excess < len(counts) and sum(shares) < 1 + SHARE_TOLERANCE:
        counts[counts.index(max(counts))] -= excess
    special = sum(counts)
    if special > args.packets:
        raise InputError("E-traces-110", "the shares sum up to more than 1")
    found = np.zeros(args.packets, dtype=np.int8)
    found[:special] = np.repeat(np.arange(1, len(counts) + 1), counts)
    return rng.permutation(found)


class Flows:
    """Draws flow numbers below `count` as the locality asks. A `count` of 0 means
    that each packet is a flow of its own."""

    def __init__(self, args: argparse.Namespace, rng: np.random.Generator) -> None:
        self.rng = rng
        self.count: int = args.flows
        #: Cumulated probabilities; None if all flows are equally likely.
        self._chances: np.ndarray | None = None
        if args.locality == "zipf":
            self.count = args.flows or ZIPF_FLOWS
            weights = 1.0 / np.arange(1, self.count + 1) ** args.exponent
            self._chances = np.cumsum(weights) / weights.sum()

    def draw(self, count: int) -> Numbers:
        """The flows of `count` packets."""
        if self._chances is None:
            return self.rng.integers(0, self.count, size=count)
        ranks = np.searchsorted(self._chances, self.rng.random(count), side="right")
        result: Numbers = np.minimum(ranks, self.count - 1)
        return result


class Generator(Protocol):
    """Builds the frames of a kind of traffic, and says what becomes of them."""

    def chunk(self, begin: int, kinds: Numbers) -> Chunk:
        """The frames from number `begin` on, one for each of `kinds`."""

    def answers(self, chunk: Chunk, begin: int) -> Iterator[Answer]:
        """The answers for a chunk that begins at packet `begin`."""


def write(args: argparse.Namespace, kinds: Numbers, generator: Generator) -> None:
    """Writes the trace, and the answers if they are asked for."""
    with ExitStack() as stack:
        writer = stack.enter_context(FrameWriter(args.out, args.ports))
        advance = stack.enter_context(progress(f"making {args.out}", len(kinds)))
        answers = None
        if args.answers:
            answers = stack.enter_context(create_text(args.answers))
        for begin in range(0, len(kinds), CHUNK_FRAMES):
            chunk = generator.chunk(begin, kinds[begin : begin + CHUNK_FRAMES])
            writer.write(chunk.rows, chunk.lengths)
            if answers:
                for answer in generator.answers(chunk, begin):
                    answers.write(json.dumps(answer) + "\n")
            advance(len(chunk.rows))


def draw_accepted(
    count: int,
    draw: Callable[[int], Numbers],
    accept: Callable[[Numbers], NDArray[np.bool_]],
) -> Numbers:
    """`count` rows that `draw` makes and `accept` takes; fewer if they are too
    rare."""
    parts: list[Numbers] = []
    found = 0
    for _ in range(64):
        if found >= count:
            break
        tried = draw(2 * (count - found) + 256)
        parts.append(tried[accept(tried)])
        found += len(parts[-1])
    result: Numbers = np.concatenate(parts)[:count] if parts else draw(0)
    return result
