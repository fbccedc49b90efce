"""Firewall rules in ClassBench's format, one per line:

    @SRC/LENGTH DST/LENGTH FIRST : LAST FIRST : LAST PROTOCOL/MASK FLAGS/MASK

The upper byte of the flags is TCP's flags or ICMP's type; the lower byte is 0.
"""

import argparse
import re
from pathlib import Path

import numpy as np

from npftrace.arguments import COUNT_MAX, DEFAULT, add_control_output, between, share
from npftrace.errors import InputError
from npftrace.files import read_bytes
from npftrace.frames.wire import ipv4_prefix, ipv4_value
from npftrace.tables.rules import ANY_PROTOCOL, FLOWS, Rule, write_control

_RULE = re.compile(
    r"@(?P<src>[\d.]+)/(?P<src_length>\d+)\s+(?P<dst>[\d.]+)/(?P<dst_length>\d+)\s+"
    r"(?P<sport>\d+)\s*:\s*(?P<sport_last>\d+)\s+"
    r"(?P<dport>\d+)\s*:\s*(?P<dport_last>\d+)\s+"
    r"(?P<protocol>0x[0-9a-fA-F]+)/(?P<protocol_mask>0x[0-9a-fA-F]+)"
    r"(?:\s+(?P<flags>0x[0-9a-fA-F]+)/(?P<flags_mask>0x[0-9a-fA-F]+))?\s*",
    re.ASCII,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace tables from-classbench`."""
    parser.add_argument("rules", type=Path, help="ClassBench rules, may be compressed")
    add_control_output(parser)
    parser.add_argument(
        "--limit", type=between(1, COUNT_MAX), metavar="N", help="only N rules"
    )
    parser.add_argument(
        "--drop", type=share, default=0.05, help=f"share of the flows to drop {DEFAULT}"
    )
    parser.add_argument(
        "--seed",
        type=between(0, 2**63),
        default=1,
        help=f"of the flows to drop {DEFAULT}",
    )
    parser.add_argument(
        "--drop-unmatched", action="store_true", help="drop what no rule matches"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Writes a rule_add for each rule and drops some flows."""
    rules = read_classbench(args.rules)[: args.limit]
    rng = np.random.Generator(np.random.PCG64(args.seed))
    flows = min(len(rules), FLOWS)
    dropped = rng.permutation(flows)[: round(args.drop * flows)]
    write_control(args.control, rules, sorted(dropped.tolist()), args.drop_unmatched)
    print(f"{args.control}: {len(rules)} rules, {len(dropped)} flows to drop")


def read_classbench(path: Path) -> list[Rule]:
    """The rules of a file in ClassBench's format."""
    data = read_bytes(path, "E-traces-140", "the rules")
    rules = []
    for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            rules.append(_classbench_rule(line))
        except ValueError as error:
            message = f"this is not a rule: {error}"
            raise InputError("E-traces-141", message, path, number) from error
    if not rules:
        raise InputError("E-traces-142", "the file holds no rule", path)
    return rules


def _classbench_rule(line: str) -> Rule:
    match = _RULE.fullmatch(line)
    if not match:
        raise ValueError(line)
    sports = int(match["sport"]), int(match["sport_last"])
    dports = int(match["dport"]), int(match["dport_last"])
    src_length, dst_length = int(match["src_length"]), int(match["dst_length"])
    protocol_mask = int(match["protocol_mask"], 16)
    if max(src_length, dst_length) > 32:
        raise ValueError("a prefix length above 32")
    for first, last in (sports, dports):
        if not first <= last <= 65535:
            raise ValueError(f"a port range {first} : {last}")
    if protocol_mask not in (0, 0xFF):
        raise ValueError(f"a protocol mask {protocol_mask:#x}")
    protocol = int(match["protocol"], 16) & 0xFF if protocol_mask else ANY_PROTOCOL
    flags = int(match["flags"] or "0", 16), int(match["flags_mask"] or "0", 16)
    if flags[1] & 0xFF:
        raise ValueError(f"flags below the upper byte: {flags[1]:#x}")
    return Rule(
        ipv4_prefix(ipv4_value(match["src"]), src_length),
        src_length,
        ipv4_prefix(ipv4_value(match["dst"]), dst_length),
        dst_length,
        sports,
        dports,
        protocol,
        flags=(flags[0] >> 8 & flags[1] >> 8, flags[1] >> 8),
    )
