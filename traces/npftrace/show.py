"""Looking at traces: `info` counts, `show` lists, `diff` compares two,
`convert` writes one in another form."""

import argparse
import sys
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from npftrace.capture import is_pcapng, read_capture, write_capture
from npftrace.fields import decode, differences, summary
from npftrace.make import options
from npftrace.wire import CRC_BYTES, FRAME_BYTES_MAX, FRAME_BYTES_MIN


def add_arguments(commands: Any) -> None:
    """The commands `info`, `show` and `diff`."""
    info = commands.add_parser("info", help="count the frames of a trace")
    info.add_argument("trace", type=Path)
    info.set_defaults(run=run_info)
    show = commands.add_parser("show", help="list the frames of a trace")
    show.add_argument("trace", type=Path)
    show.add_argument("--packet", type=int, help="all fields of this one")
    show.add_argument("--first", type=options.between(0, 10**9), default=0)
    show.add_argument("--count", type=options.between(1, 10**9), default=20)
    show.set_defaults(run=run_show)
    diff = commands.add_parser("diff", help="compare two traces frame by frame")
    diff.add_argument("expected", type=Path)
    diff.add_argument("found", type=Path)
    diff.add_argument("--any-order", action="store_true", help="compare as sets")
    diff.set_defaults(run=run_diff)
    convert = commands.add_parser(
        "convert", help="write a trace as pcap or pcapng, by the name's ending"
    )
    convert.add_argument("trace", type=Path)
    convert.add_argument("out", type=Path)
    convert.add_argument("--first", type=options.between(0, 10**9), default=0)
    convert.add_argument("--count", type=options.between(1, 10**9), default=10**9)
    convert.set_defaults(run=run_convert)
    for command in (info, show, diff, convert):
        command.add_argument("--ports", type=options.between(1, 16), default=4)


def _kind(data: bytes) -> str:
    ether_type = int.from_bytes(data[12:14], "big")
    names = {
        0x0800: "IPv4",
        0x0806: "ARP",
        0x86DD: "IPv6",
        0x8100: "VLAN",
        0x88A8: "QinQ",
        0x8847: "MPLS",
        0x8848: "MPLS multicast",
    }
    if ether_type < 0x0600:
        return "802.3"
    return names.get(ether_type, f"0x{ether_type:04x}")


def run_info(args: argparse.Namespace) -> int:
    """Frames, bytes, ports and kinds of a trace."""
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
    table.add_row("to be padded, oversize", f"{short:,}, {long:,}")
    for port, count in sorted(Counter(frame.port for frame in frames).items()):
        table.add_row(f"port {port}", f"{count:,}")
    for kind, count in Counter(_kind(frame.data) for frame in frames).most_common():
        table.add_row(kind, f"{count:,}")
    Console().print(table)
    return 0


def run_show(args: argparse.Namespace) -> int:
    """One line a frame, or one line a field."""
    frames = read_capture(args.trace, args.ports).frames
    if args.packet is not None:
        if not 0 <= args.packet < len(frames):
            print(f"{args.trace}: packet 0 to {len(frames) - 1}")
            return 1
        frame = frames[args.packet]
        print(f"packet {args.packet}, port {frame.port}: {summary(frame.data)}")
        for field in decode(frame.data):
            print(f"  {field.begin:5} {field.name:18} {field.text}")
        return 0
    chosen = frames[args.first : args.first + args.count]
    for index, frame in enumerate(chosen, args.first):
        print(f"{index:7} {frame.time_ns / 1e9:.9f} {frame.port} {summary(frame.data)}")
    return 0


def run_convert(args: argparse.Namespace) -> int:
    """The same frames in the form that the new name asks for."""
    capture = read_capture(args.trace, args.ports)
    frames = capture.frames[args.first : args.first + args.count]
    if not is_pcapng(args.out) and capture.has_ports:
        print(f"{args.out}: a pcap file does not tell the ports", file=sys.stderr)
    write_capture(args.out, frames, args.ports)
    print(f"{len(frames):,} frames written to {args.out}")
    return 0


def run_diff(args: argparse.Namespace) -> int:
    """0 if the traces hold the same frames by the same ports."""
    expected = read_capture(args.expected, args.ports, allow_empty=True).frames
    found = read_capture(args.found, args.ports, allow_empty=True).frames
    if args.any_order:
        missing = Counter((f.port, f.data) for f in expected)
        missing.subtract(Counter((f.port, f.data) for f in found))
        wrong = {key: count for key, count in missing.items() if count}
        for (port, data), count in list(wrong.items())[:10]:
            side = "missing" if count > 0 else "only in the second"
            print(f"{side}, {abs(count)} times, port {port}: {summary(data)}")
        return _same(len(expected), len(wrong))
    count = 0
    for index, (old, new) in enumerate(zip_longest(expected, found)):
        if old and new and old[1:] == new[1:]:
            continue
        count += 1
        if count > 10:
            continue
        if not old or not new:
            present = old or new
            side = "second" if old else "first"
            print(f"packet {index}: not in the {side}: {summary(present.data)}")
            continue
        print(f"packet {index}: {summary(old.data)}")
        if old.port != new.port:
            print(f"  port: expected {old.port}, found {new.port}")
        for line in differences(old.data, new.data):
            print(f"  {line}")
    return _same(len(expected), count)


def _same(total: int, different: int) -> int:
    print(
        f"{different:,} frames differ" if different else f"all {total:,} frames alike"
    )
    return 1 if different else 0
