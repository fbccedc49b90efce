"""Firewall rules, and the control calls that load them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from npftrace.files import create_text
from npftrace.frames.wire import ipv4_text

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


def write_control(
    path: Path, rules: Sequence[Rule], dropped: Sequence[int], drop_unmatched: bool
) -> None:
    """A whole control file: the rules with a flow each, and the flows to drop."""
    with create_text(path) as file:
        file.write(f"# {len(rules)} rules, {len(dropped)} flows to drop\n")
        write_rules(file, rules, flows_of(len(rules)))
        for flow in dropped:
            file.write(f"flow_action({flow}, 1)\n")
        file.write(f"default_action({int(drop_unmatched)})\n")
        file.write("rules_commit()\n")
