"""The tables of a label switching router.

NHLFEs come in three blocks: one without labels per next hop (for plain IPv4 and
for pop), then those of label switched paths that begin here, then one per
incoming label. Half of the FECs begin a path; the others are forwarded as IPv4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npftrace.draws import Numbers, share_out
from npftrace.files import create_text
from npftrace.tables import control
from npftrace.tables.addresses import HOP_MACS, router_mac
from npftrace.tables.prefixes import make_prefixes
from npftrace.tables.routers import Lookup

#: Labels below this are reserved (RFC 3032).
LABEL_FIRST = 16
#: Labels that the router gives out lie below this.
LABEL_SPACE = 65536
#: Labels have 20 bits.
LABEL_LIMIT = 1 << 20
PUSH_MAX = 4
#: Paths that begin at this router.
PATHS = 1024

#: What is done with an incoming label. After POP the next header decides;
#: POP_FORWARD sends the packet on without a look at it.
SWAP, SWAP_PUSH, POP, POP_FORWARD = range(4)
#: The operations of eight labels, repeated over the table.
OPERATIONS = [SWAP, SWAP, SWAP, SWAP, POP, POP, SWAP_PUSH, POP_FORWARD]


@dataclass
class LabelTables:
    """The tables that a control file sets up, as columns."""

    ports: int
    hop_ports: Numbers
    hop_macs: Numbers
    #: By NHLFE: next hop, number of labels, and a row of labels.
    nhlfe_hops: Numbers
    nhlfe_counts: Numbers
    nhlfe_labels: Numbers
    #: By incoming label: the label, its operation, its NHLFE.
    labels: Numbers
    operations: Numbers
    label_nhlfes: Numbers
    #: By FEC.
    prefixes: Numbers
    lengths: Numbers
    fec_nhlfes: Numbers

    def __post_init__(self) -> None:
        self.lookup = Lookup(self.prefixes, self.lengths)

    def indices_of(self, *operations: int) -> Numbers:
        """Indices of the incoming labels with one of these operations."""
        return np.flatnonzero(np.isin(self.operations, operations))

    def write(self, path: Path) -> None:
        """Writes the control file."""
        with create_text(path) as file:
            file.write(f"# {len(self.labels)} labels, {len(self.prefixes)} FECs\n")
            control.write_ports(file, map(router_mac, range(self.ports)))
            hops = zip(self.hop_ports.tolist(), self.hop_macs.tolist(), strict=True)
            control.write_hops(file, hops)
            entries = _rows(self.nhlfe_hops, self.nhlfe_counts, self.nhlfe_labels)
            for index, (hop, count, labels) in enumerate(entries):
                words = ", ".join(map(str, labels))
                file.write(f"nhlfe_set({index}, {hop}, {count}, {words})\n")
            incoming = _rows(self.labels, self.operations, self.label_nhlfes)
            for label, operation, nhlfe in incoming:
                if operation == POP:
                    file.write(f"label_pop({label})\n")
                else:
                    file.write(f"label_add({label}, {nhlfe})\n")
            fecs = _rows(self.prefixes, self.lengths, self.fec_nhlfes)
            control.write_fecs(file, fecs)


def _rows(*columns: Numbers) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def make_label_tables(
    rng: np.random.Generator, ports: int, hops: int, labels: int, fecs: int, push: int
) -> LabelTables:
    """Tables of these sizes. Paths that begin here push `push` labels."""
    operations = np.resize(np.array(OPERATIONS), labels)
    hop_of_path = share_out(rng, hops, PATHS)
    hop_of_label = np.zeros(labels, dtype=np.int64)
    for operation in set(OPERATIONS):
        which = np.flatnonzero(operations == operation)
        hop_of_label[which] = share_out(rng, hops, len(which))
    nhlfe_hops = np.concatenate([np.arange(hops), hop_of_path, hop_of_label])
    pushes = 1 + (np.arange(labels) % (PUSH_MAX - 1))
    counts = np.select(
        [operations == SWAP, operations == SWAP_PUSH], [np.ones(labels), 1 + pushes], 0
    )
    nhlfe_counts = np.concatenate([np.zeros(hops), np.full(PATHS, push), counts])
    table = np.array(make_prefixes(fecs, rng), dtype=np.int64).reshape(-1, 2)
    table = rng.permutation(table)
    fec_nhlfes = np.zeros(fecs, dtype=np.int64)
    begins_path = share_out(rng, 2, fecs) == 1
    to_path, plain = np.flatnonzero(begins_path), np.flatnonzero(~begins_path)
    fec_nhlfes[to_path] = hops + share_out(rng, PATHS, len(to_path))
    fec_nhlfes[plain] = share_out(rng, hops, len(plain))
    return LabelTables(
        ports=ports,
        hop_ports=np.arange(hops) % ports,
        hop_macs=HOP_MACS | 1 << 32 | rng.permutation(1 << 16)[:hops],
        nhlfe_hops=nhlfe_hops,
        nhlfe_counts=nhlfe_counts.astype(np.int64),
        nhlfe_labels=rng.integers(
            LABEL_FIRST, LABEL_LIMIT, size=(len(nhlfe_hops), PUSH_MAX)
        ),
        labels=LABEL_FIRST + rng.permutation(LABEL_SPACE - LABEL_FIRST)[:labels],
        operations=operations,
        label_nhlfes=hops + PATHS + np.arange(labels),
        prefixes=table[:, 0],
        lengths=table[:, 1],
        fec_nhlfes=fec_nhlfes,
    )
