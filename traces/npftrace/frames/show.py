"""Commands that look at traces: `info` counts the frames, `show` lists them,
`diff` compares two traces, `convert` writes a trace in another format."""

import argparse
import sys
from collections import Counter
from itertools import zip_longest
from pathlib import Path

from rich.console import Console
from rich.table import Table

from npftrace.arguments import COUNT_MAX, DEFAULT, add_ports, between
from npftrace.frames.capture import Frame, is_pcapng, read_capture, write_capture
from npftrace.frames.dissection import differences, dissect
from npftrace.frames.flows import summary
from npftrace.frames.wire import (
    CRC_BYTES,
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_IPV6,
    ETH_TYPE_MPLS,
    ETH_TYPE_VLAN,
    FRAME_BYTES_MAX,
    FRAME_BYTES_MIN,
    ether_type_of,
)

ETH_TYPE_NAMES = {
    ETH_TYPE_IPV4: "IPv4",
    ETH_TYPE_ARP: "ARP",
    ETH_TYPE_IPV6: "IPv6",
    ETH_TYPE_VLAN: "VLAN",
    0x88A8: "QinQ",
    ETH_TYPE_MPLS: "MPLS",
    0x8848: "MPLS multicast",
}
#: Types below this are lengths of IEEE 802.3 frames.
ETH_TYPE_MIN = 0x0600
#: Differences that `diff` prints.
DIFFERENCES_MAX = 10


def add_info_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace info`."""
    parser.add_argument("trace", type=Path)
    add_ports(parser)
    parser.set_defaults(run=run_info)


def add_show_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace show`."""
    parser.add_argument("trace", type=Path)
    parser.add_argument(
        "--packet", type=int, metavar="N", help="all fields of packet N"
    )
    _add_range(parser, count=20)
    add_ports(parser)
    parser.set_defaults(run=run_show)


def add_diff_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace diff`."""
    parser.add_argument("expected", type=Path)
    parser.add_argument("found", type=Path)
    parser.add_argument(
        "--any-order", action="store_true", help="ignore the order of the frames"
    )
    add_ports(parser)
    parser.set_defaults(run=run_diff)


def add_convert_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace convert`."""
    parser.add_argument("trace", type=Path)
    parser.add_argument("out", type=Path)
    _add_range(parser, count=COUNT_MAX)
    add_ports(parser)
    parser.set_defaults(run=run_convert)


def _add_range(parser: argparse.ArgumentParser, count: int) -> None:
    parser.add_argument(
        "--first", type=between(0, COUNT_MAX), default=0, help=f"first packet {DEFAULT}"
    )
    default = "(default: all)" if count == COUNT_MAX else DEFAULT
    parser.add_argument(
        "--count",
        type=between(1, COUNT_MAX),
        default=count,
        help=f"how many packets {default}",
    )


def _type_name(data: bytes) -> str:
    ether_type = ether_type_of(data)
    if ether_type < ETH_TYPE_MIN:
        return "802.3"
    return ETH_TYPE_NAMES.get(ether_type, f"0x{ether_type:04x}")


def run_info(args: argparse.Namespace) -> int:
    """Prints how many frames, bytes, ports and types a trace has."""
    frames = read_capture(args.trace, args.ports).frames
    sizes = [len(frame.data) for frame in frames]
    span = (frames[-1].time_ns - frames[0].time_ns) / 1e9
    table = Table(title=str(args.trace), show_header=False)
    table.add_row("frames", f"{len(frames):,}")
    mean = sum(sizes) / len(sizes) + CRC_BYTES
    table.add_row(
        "bytes with CRC",
        f"{min(sizes) + CRC_BYTES} to {max(sizes) + CRC_BYTES}, mean {mean:.1f}",
    )
    table.add_row("seconds", f"{span:.6f}")
    short = sum(size < FRAME_BYTES_MIN for size in sizes)
    long = sum(size > FRAME_BYTES_MAX for size in sizes)
    table.add_row("shorter than a port sends", f"{short:,}")
    table.add_row("longer than a port takes", f"{long:,}")
    for port, count in sorted(Counter(frame.port for frame in frames).items()):
        table.add_row(f"port {port}", f"{count:,}")
    types = Counter(_type_name(frame.data) for frame in frames)
    for name, count in types.most_common():
        table.add_row(name, f"{count:,}")
    Console().print(table)
    return 0


def run_show(args: argparse.Namespace) -> int:
    """Prints one line per frame, or one line per field of one frame."""
    frames = read_capture(args.trace, args.ports).frames
    if args.packet is not None:
        if not 0 <= args.packet < len(frames):
            print(f"{args.trace}: the packets are 0 to {len(frames) - 1}")
            return 1
        frame = frames[args.packet]
        print(f"packet {args.packet}, port {frame.port}: {summary(frame.data)}")
        for field in dissect(frame.data):
            print(f"  {field.begin:5} {field.name:18} {field.text or 'none'}")
        return 0
    chosen = frames[args.first : args.first + args.count]
    for index, frame in enumerate(chosen, args.first):
        print(f"{index:7} {frame.time_ns / 1e9:.9f} {frame.port} {summary(frame.data)}")
    return 0


def run_convert(args: argparse.Namespace) -> int:
    """Writes the frames in the format that the new name asks for."""
    capture = read_capture(args.trace, args.ports)
    frames = capture.frames[args.first : args.first + args.count]
    if not is_pcapng(args.out) and capture.has_ports:
        print(f"{args.out}: a pcap file does not name the ports", file=sys.stderr)
    write_capture(args.out, frames, args.ports)
    print(f"{len(frames):,} frames written to {args.out}")
    return 0


def run_diff(args: argparse.Namespace) -> int:
    """Returns 0 if both traces hold the same frames on the same ports, else 1."""
    expected = read_capture(args.expected, args.ports, allow_empty=True).frames
    found = read_capture(args.found, args.ports, allow_empty=True).frames
    if args.any_order:
        different = _diff_as_sets(expected, found)
    else:
        different = _diff_in_order(expected, found)
    if different:
        print(f"{different:,} frames differ")
        return 1
    print(f"all {len(expected):,} frames are the same")
    return 0


def _diff_as_sets(expected: list[Frame], found: list[Frame]) -> int:
    missing = Counter((f.port, f.data) for f in expected)
    missing.subtract(Counter((f.port, f.data) for f in found))
    wrong = {key: count for key, count in missing.items() if count}
    for (port, data), count in list(wrong.items())[:DIFFERENCES_MAX]:
        side = "missing" if count > 0 else "only in the second"
        print(f"{side}, {abs(count)} times, port {port}: {summary(data)}")
    return len(wrong)


def _diff_in_order(expected: list[Frame], found: list[Frame]) -> int:
    count = 0
    for index, (old, new) in enumerate(zip_longest(expected, found)):
        if old and new and old[1:] == new[1:]:
            continue
        count += 1
        if count > DIFFERENCES_MAX:
            continue
        if not old or not new:
            present = old or new
            side = "second" if old else "first"
            print(f"packet {index}: not in the {side}: {summary(present.data)}")
            continue
        print(f"packet {index}: {summary(old.data)}")
        if old.port != new.port:
            print(f"  port: {new.port}, expected {old.port}")
        for line in differences(old.data, new.data):
            print(f"  {line}")
    return count
