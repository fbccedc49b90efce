"""Firewall rules, and the control calls that load them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from npftrace.files import create_text
from npftrace.frames.wire import ICMP, ICMPV6, ipv4_text, ipv6_text

#: The protocol of a rule that matches any.
ANY_PROTOCOL = 256
ALL_PORTS = (0, 65535)
#: The firewall's flows; rules beyond this number share them.
FLOWS = 1024


@dataclass(frozen=True)
class Rule:
    """One rule; the first that matches a packet gives it its flow.

    Ranges of ports are first and last; `tos` and `flags` are value and mask.
    """

    src: int
    src_length: int
    dst: int
    dst_length: int
    sports: tuple[int, int] = ALL_PORTS
    dports: tuple[int, int] = ALL_PORTS
    protocol: int = ANY_PROTOCOL
    tos: tuple[int, int] = (0, 0)
    flags: tuple[int, int] = (0, 0)


def flows_of(count: int) -> list[int]:
    """The flow of each of `count` rules: numbered from 0, and again from 0."""
    return [number % FLOWS for number in range(count)]


def write_rules(file: TextIO, rules: Sequence[Rule], flows: Sequence[int]) -> None:
    """The calls that load rules; the caller commits them."""
    for rule, flow in zip(rules, flows, strict=True):
        numbers = [*rule.sports, *rule.dports, rule.protocol, *rule.tos, *rule.flags]
        file.write(
            f"rule_add({flow}, {ipv4_text(rule.src)}, {rule.src_length}, "
            f"{ipv4_text(rule.dst)}, {rule.dst_length}, "
            f"{', '.join(map(str, numbers))})\n"
        )


#: What an IPv4 rule becomes in IPv6: the 32 bits of an address follow these, and end
#: in a host's.
NET6, HOST6 = 0x2001_0DB8 << 96, 1
#: ICMP types, and those of ICMPv6 that take their place (RFC 4443, RFC 4861).
ICMPV6_TYPES = {8: 128, 0: 129, 13: 133, 15: 135, 17: 136}


def address6(address: int) -> int:
    """The IPv6 address that takes the place of an IPv4 address."""
    return NET6 | address << 64 | HOST6


def length6(length: int) -> int:
    """The length that takes the place of an IPv4 prefix's: all and one stay so."""
    return {0: 0, 32: 128}.get(length, 32 + length)


def write_rules6(file: TextIO, rules: Sequence[Rule], flows: Sequence[int]) -> None:
    """The calls that load the same rules for IPv6; the caller commits them."""
    for rule, flow in zip(rules, flows, strict=True):
        ends = []
        for address, length in (
            (rule.src, rule.src_length),
            (rule.dst, rule.dst_length),
        ):
            bits = length6(length)
            prefix = address6(address) >> 128 - bits << 128 - bits
            ends += [ipv6_text(prefix), str(bits)]
        protocol, flags = rule.protocol, rule.flags
        if protocol == ICMP:
            protocol = ICMPV6
            flags = (ICMPV6_TYPES[flags[0]], flags[1]) if flags[1] else flags
        numbers = [*rule.sports, *rule.dports, protocol, *rule.tos, *flags]
        file.write(f"rule6_add({flow}, {', '.join([*ends, *map(str, numbers)])})\n")


#: Writes the calls for rules with a flow each.
WriteRules = Callable[[TextIO, Sequence[Rule], Sequence[int]], None]


def write_control(
    path: Path,
    rules: Sequence[Rule],
    dropped: Sequence[int],
    drop_unmatched: bool,
    write: WriteRules = write_rules,
) -> None:
    """A whole control file: the rules with a flow each, and the flows to drop."""
    with create_text(path) as file:
        file.write(f"# {len(rules)} rules, {len(dropped)} flows to drop\n")
        write(file, rules, flows_of(len(rules)))
        for flow in dropped:
            file.write(f"flow_action({flow}, 1)\n")
        file.write(f"default_action({int(drop_unmatched)})\n")
        file.write("rules_commit()\n")
