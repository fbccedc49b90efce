"""Traffic for a firewall, IPv4 or IPv6.

Rules are made like ClassBench's fw1 sets, or come from a ClassBench file. Each
rule is a flow of its own; some flows are dropped. Headers are drawn from the
rules, each rule as often as the others (or Zipf-distributed flows of headers),
so that exactly the share `--denied` of the packets is dropped. The first rule
that matches a packet decides what becomes of it. That may be another rule than
the one that its header was drawn from.
"""

import argparse
from pathlib import Path

import numpy as np

from npftrace.arguments import between, share
from npftrace.make import traffic
from npftrace.make.firewall6_frames import FirewallFrames6
from npftrace.make.firewall_frames import PACKET_KINDS, FirewallFrames
from npftrace.make.rule_headers import RuleTable
from npftrace.tables.classbench import read_classbench
from npftrace.tables.fw1_rules import make_rules
from npftrace.tables.rules import FLOWS, write_control, write_rules, write_rules6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make firewall`."""
    traffic.add_arguments(parser)
    parser.add_argument(
        "--rules", type=between(1, 10**5), default=100, help="rules to make"
    )
    parser.add_argument(
        "--rule-file", type=Path, help="ClassBench rules to read instead"
    )
    parser.add_argument(
        "--ipv6", action="store_true", help="the same rules and packets in IPv6"
    )
    parser.add_argument(
        "--drop-unmatched",
        action="store_true",
        help="drop packets that no rule matches",
    )
    parser.add_argument(
        "--dropped-flows", type=share, default=0.1, help="share of the flows"
    )
    traffic.add_shares(parser, PACKET_KINDS)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    kinds = traffic.draw_kinds(args, rng, PACKET_KINDS)
    if args.rule_file:
        rules = read_classbench(args.rule_file)
    else:
        rules = make_rules(args.rules, rng)
    flow_count = min(len(rules), FLOWS)
    dropped_count = max(1, round(args.dropped_flows * flow_count))
    dropped = rng.permutation(flow_count)[:dropped_count]
    write = write_rules6 if args.ipv6 else write_rules
    to_drop = sorted(dropped.tolist())
    write_control(args.control, rules, to_drop, args.drop_unmatched, write)
    make = FirewallFrames6 if args.ipv6 else FirewallFrames
    traffic.write(args, kinds, make(args, rng, RuleTable(rules), dropped))
