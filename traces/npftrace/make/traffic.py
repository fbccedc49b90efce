"""What kinds of traffic share: options, exact shares, flows, and the writing of
trace, control file and answers in chunks."""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from npftrace.errors import InputError
from npftrace.make import options
from npftrace.make.frames import CHUNK, Bytes, FrameWriter, Numbers, put
from npftrace.progress import progress

# What a share can be asked of: option, what comes of it, and what it is.
Shares = Mapping[str, tuple[str, str]]
Answer = dict[str, object]

ETHER_BYTES = 14
IPV4_BYTES = 20
SEQUENCE_BYTES = 8

# Flows of Zipf-distributed traffic, unless the command line says otherwise.
ZIPF_FLOWS = 65536


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of every kind."""
    count = options.between
    parser.add_argument("--out", type=Path, required=True, help="pcap or pcapng")
    parser.add_argument("--control", type=Path, required=True, help="control file")
    parser.add_argument("--answers", type=Path, help="JSON, one line a packet")
    parser.add_argument("--packets", type=count(1, 10**9), default=20000)
    parser.add_argument("--ports", type=count(2, 16), default=4)
    parser.add_argument("--seed", type=count(0, 2**63), default=1)
    parser.add_argument(
        "--size",
        type=options.sizes,
        default=options.sizes("64"),
        help="with CRC: 64, 64,512, 64:7,594:4, 64-1518 or imix",
    )
    parser.add_argument("--locality", choices=("uniform", "zipf"), default="uniform")
    parser.add_argument(
        "--flows",
        type=count(0, 10**7),
        default=0,
        help=f"flows in all (0: zipf {ZIPF_FLOWS}, uniform a new one each packet)",
    )
    parser.add_argument("--exponent", type=float, default=1.0, help="of zipf")


def add_shares(
    parser: argparse.ArgumentParser,
    shares: Shares,
    defaults: Mapping[str, float] | None = None,
) -> None:
    group = parser.add_argument_group("shares of the packets, 0 to 1")
    for name, (_, text) in shares.items():
        default = (defaults or {}).get(name, 0.0)
        group.add_argument(f"--{name}", type=options.share, default=default, help=text)


def draw_kinds(
    args: argparse.Namespace, rng: np.random.Generator, shares: Shares
) -> Numbers:
    """The kind of each packet: 0 is the plain one, then `shares` in order."""
    counts = [
        round(getattr(args, name.replace("-", "_")) * args.packets) for name in shares
    ]
    special = sum(counts)
    # Shares such as three thirds may be rounded up to one packet too many.
    excess = special - args.packets
    if (
        0 < excess < len(counts)
        and sum(getattr(args, name.replace("-", "_")) for name in shares) < 1 + 1e-9
    ):
        counts[counts.index(max(counts))] -= excess
        special = args.packets
    if special > args.packets:
        raise InputError("E-traces-110", "the shares sum up to more than 1")
    kinds = np.zeros(args.packets, dtype=np.int8)
    kinds[:special] = np.repeat(np.arange(1, len(counts) + 1), counts)
    return rng.permutation(kinds)


class Flows:
    """Flow numbers as the locality asks: below `count`, or none at all, which
    means that each packet is a flow of its own."""

    def __init__(self, args: argparse.Namespace, rng: np.random.Generator) -> None:
        self.rng = rng
        self.count: int = args.flows
        self._chances: np.ndarray | None = None
        if args.locality == "zipf":
            self.count = args.flows or ZIPF_FLOWS
            weights = 1.0 / np.arange(1, self.count + 1) ** args.exponent
            self._chances = np.cumsum(weights) / weights.sum()

    def draw(self, count: int) -> Numbers:
        if self._chances is None:
            return self.rng.integers(0, self.count, size=count)
        ranks = np.searchsorted(self._chances, self.rng.random(count), side="right")
        result: Numbers = np.minimum(ranks, self.count - 1)
        return result


class Chunk:
    """Some frames, their lengths without CRC, and what becomes of them."""

    def __init__(
        self, names: list[str], kinds: Numbers, ports: Numbers, lengths: Numbers
    ) -> None:
        self.names = names
        self.kinds = kinds
        self.ports = ports
        self.lengths = lengths
        self.rows: Bytes = np.zeros((len(kinds), int(lengths.max())), dtype=np.uint8)

    def of(self, *names: str) -> Numbers:
        """Indices of the frames of these kinds."""
        numbers = [self.names.index(name) for name in names]
        return np.flatnonzero(np.isin(self.kinds, numbers))

    def put_at(self, which: Numbers, at: int, size: int, values: object) -> None:
        """Writes a field of some frames."""
        part = self.rows[which]
        put(part, at, size, values)
        self.rows[which] = part

    def put_payload(self, start: int, numbers: Numbers) -> None:
        """The packet's number, then bytes that depend on it and the place."""
        width = self.rows.shape[1]
        pattern = numbers[:, None] * 31 + np.arange(width - start)
        self.rows[:, start:] = (pattern & 0xFF).astype(np.uint8)
        put(self.rows, start, SEQUENCE_BYTES, numbers)


class Generator(Protocol):
    """Builds the frames of a kind of traffic, and says what becomes of them."""

    def chunk(self, begin: int, kinds: Numbers) -> Chunk: ...

    def answers(self, chunk: Chunk, begin: int) -> Iterator[Answer]: ...


def write(args: argparse.Namespace, kinds: Numbers, generator: Generator) -> None:
    """Writes the trace and the answers."""
    with ExitStack() as stack:
        writer = stack.enter_context(FrameWriter(args.out, args.ports))
        advance = stack.enter_context(progress(f"making {args.out}", len(kinds)))
        answers = None
        if args.answers:
            answers = stack.enter_context(open(args.answers, "w", encoding="ascii"))
        for begin in range(0, len(kinds), CHUNK):
            chunk = generator.chunk(begin, kinds[begin : begin + CHUNK])
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
    """`count` rows of those that `draw` makes and `accept` takes; fewer if they
    are too rare."""
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
