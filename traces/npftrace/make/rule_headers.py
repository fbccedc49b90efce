"""Headers drawn from firewall rules, and matched against all rules in bulk.

This match serves the generator. The oracle of `npftrace check` has its own,
which tries rule by rule.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from npftrace.draws import Numbers
from npftrace.frames.wire import ESP, GRE, ICMP, TCP, UDP
from npftrace.tables.rules import ALL_PORTS, ANY_PROTOCOL, Rule

#: The ports of a packet without ports; its flags or type if it has none.
NONE = -1

#: Columns of a matrix of headers.
SRC, DST, SPORT, DPORT, PROTOCOL, TOS, FLAGS = range(7)


class RuleTable:
    """Rules as columns of numbers, to draw headers from and to match them."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.count = len(rules)
        rows = [
            [
                rule.src, rule.src_length, rule.dst, rule.dst_length,
                *rule.sports, *rule.dports, rule.protocol, *rule.tos, *rule.flags,
            ]
            for rule in rules
        ]  # fmt: skip
        self.rows = np.array(rows, dtype=np.int64)

    def headers(self, which: Numbers, rng: np.random.Generator) -> Numbers:
        """A header that each of these rules matches, otherwise random."""
        (src, src_length, dst, dst_length, *ports, protocol, tos, tos_mask, flags,
         flags_mask) = self.rows[which].T  # fmt: skip
        count = len(which)
        result = np.zeros((count, 7), dtype=np.int64)
        for column, prefix, length in ((SRC, src, src_length), (DST, dst, dst_length)):
            host_mask = (1 << (32 - length)) - 1
            host = rng.integers(0, 1 << 32, size=count) & host_mask
            result[:, column] = prefix | host
        for column, first, last in ((SPORT, *ports[:2]), (DPORT, *ports[2:])):
            result[:, column] = rng.integers(first, last + 1)
        protocols = np.array([TCP, UDP, ICMP, GRE, ESP])
        anything = protocols[rng.integers(0, len(protocols), size=count)]
        all_ports = np.array([*ALL_PORTS, *ALL_PORTS])
        asks_for_ports = np.any(all_ports != np.array(ports).T, axis=1)
        anything[asks_for_ports] = UDP
        anything[flags_mask != 0] = TCP
        result[:, PROTOCOL] = np.where(protocol == ANY_PROTOCOL, anything, protocol)
        for column, value, mask in ((TOS, tos, tos_mask), (FLAGS, flags, flags_mask)):
            free = rng.integers(0, 256, size=count) & ~mask
            result[:, column] = free | (value & mask)
        return without_absent_fields(result)

    def first_matches(self, headers: Numbers) -> Numbers:
        """The number of the first rule that matches each header; -1 for none."""
        result = np.full(len(headers), -1, dtype=np.int64)
        unmatched = np.arange(len(headers))
        for number in range(self.count):
            if not len(unmatched):
                break
            hit = self._matches(number, headers[unmatched])
            result[unmatched[hit]] = number
            unmatched = unmatched[~hit]
        return result

    def _matches(self, number: int, headers: Numbers) -> NDArray[np.bool_]:
        (src, src_length, dst, dst_length, *ports, protocol, tos, tos_mask, flags,
         flags_mask) = self.rows[number].tolist()  # fmt: skip
        hit: NDArray[np.bool_] = (headers[:, SRC] ^ src) >> (32 - src_length) == 0
        hit &= (headers[:, DST] ^ dst) >> (32 - dst_length) == 0
        if protocol != ANY_PROTOCOL:
            hit &= headers[:, PROTOCOL] == protocol
        for column, (first, last) in ((SPORT, ports[:2]), (DPORT, ports[2:])):
            if (first, last) != ALL_PORTS:
                hit &= (headers[:, column] >= first) & (headers[:, column] <= last)
        if tos_mask:
            hit &= (headers[:, TOS] ^ tos) & tos_mask == 0
        if flags_mask:
            hit &= headers[:, FLAGS] != NONE
            hit &= (headers[:, FLAGS] ^ flags) & flags_mask == 0
        return hit


def without_absent_fields(headers: Numbers) -> Numbers:
    """Sets ports and flags to NONE where the protocol has no such field."""
    protocols = headers[:, PROTOCOL]
    without_ports = ~np.isin(protocols, (TCP, UDP))
    headers[without_ports, SPORT] = NONE
    headers[without_ports, DPORT] = NONE
    headers[~np.isin(protocols, (TCP, ICMP)), FLAGS] = NONE
    return headers
