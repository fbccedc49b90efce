"""Prints the result of a check."""

from collections import Counter
from typing import Any, get_args

from rich.console import Console
from rich.table import Table

from npftrace.check.comparison import Outcome
from npftrace.check.drop_counts import expected_drops
from npftrace.oracle.verdict import Kind


def print_report(app: str, outcome: Outcome, stats: dict[str, Any] | None) -> None:
    """Prints a table of counts, the problems, and the verdict in one line."""
    console = Console(highlight=False)
    table = Table(show_header=False, title=app)
    table.add_column()
    table.add_column(justify="right")
    _add_packets(table, outcome)
    if stats:
        _add_performance(table, stats)
    console.print(table)
    for problem in outcome.problems:
        console.print(problem, markup=False, soft_wrap=True)
    print(outcome.order.flow.line())
    print(outcome.order.port.line())
    count = len(outcome.inputs)
    if outcome.problems:
        print(f"WRONG: {count:,} packets compared with the oracle")
    elif outcome.lost:
        print(f"all packets right; {outcome.lost:,} of {count:,} lost at Rx")
    else:
        print(f"all {count:,} packets right")


def _add_packets(table: Table, outcome: Outcome) -> None:
    kinds = Counter(outcome.verdict(i).kind for i in range(len(outcome.inputs)))
    table.add_row("packets in", f"{len(outcome.inputs):,}")
    for kind in get_args(Kind):
        if kinds[kind] or kind == "dropped":
            table.add_row(kind, f"{kinds[kind]:,}")
    for reason, count in sorted(expected_drops(outcome).items()):
        what = "copies ended" if reason == "arp_done" else "dropped"
        table.add_row(f"  {what}: {reason}", f"{count:,}")
    if outcome.lost:
        table.add_row("lost at Rx", f"{outcome.lost:,}")
    table.add_row("frames out", f"{outcome.sent:,}")


def _add_performance(table: Table, stats: dict[str, Any]) -> None:
    rate = stats.get("rate", {})
    if "forwarded_gbps" in rate:
        table.add_section()
        table.add_row("Gbit/s", f"{rate['forwarded_gbps']:.3f}")
        table.add_row("Mpackets/s", f"{rate.get('forwarded_mpps', 0):.3f}")
    per_packet = stats.get("per_packet", {})
    if per_packet:
        table.add_section()
        table.add_row(
            "instructions per packet", f"{per_packet.get('instructions', 0):.1f}"
        )
    for group in ("packet", "application"):
        for memory, count in per_packet.get(group, {}).items():
            table.add_row(f"{group}: {memory} accesses per packet", f"{count:.2f}")
