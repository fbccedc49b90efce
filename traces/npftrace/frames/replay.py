"""Gives the frames of a trace the times at which a rate brings them.

The rate counts frame bits with CRC, as the simulator's `--rate` does. Frames
keep their order, ports and bytes.
"""

import argparse
from pathlib import Path

from npftrace.arguments import add_ports
from npftrace.frames.capture import read_capture, write_capture
from npftrace.frames.wire import CRC_BYTES, FRAME_BYTES_MIN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace replay-rate`."""
    parser.add_argument("trace", type=Path)
    parser.add_argument(
        "--out", type=Path, required=True, help="trace to write, pcap or pcapng"
    )
    parser.add_argument(
        "--rate", type=float, required=True, help="Gbit/s over all ports together"
    )
    add_ports(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the trace with new times."""
    if not args.rate > 0:
        print("error: --rate must be above 0")
        return 2
    frames = read_capture(args.trace, args.ports).frames
    bits = 0
    timed = []
    for frame in frames:
        timed.append(frame._replace(time_ns=int(bits / args.rate)))
        bits += 8 * (max(len(frame.data), FRAME_BYTES_MIN) + CRC_BYTES)
    write_capture(args.out, timed, args.ports)
    seconds = bits / args.rate / 1e9
    rate = len(timed) / seconds if seconds else 0
    print(
        f"{args.out}: {len(timed):,} frames in {seconds:.6f} s, "
        f"{rate:,.0f} frames per second"
    )
    return 0
