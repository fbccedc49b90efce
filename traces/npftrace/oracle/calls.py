"""Checks of control calls, for all oracles."""

from npftrace.errors import InputError
from npftrace.tables.control import Call


def running_order(call: Call) -> tuple[int, int]:
    """The sort key of a call: calls at the start, then at a packet, then at a
    cycle. How packets and cycles interleave is unknown here. Any packet may see
    a call at a cycle, so its position among the others does not matter."""
    return ("start", "packet", "cycle", "end").index(call.unit), call.when


def require(call: Call, holds: bool, what: str) -> None:
    """Refuses a call unless `holds`, and any with a negative argument."""
    if not holds or min(call.args, default=0) < 0:
        message = f"{call.function}: {what if not holds else 'a negative number'}"
        raise InputError("E-traces-103", message, line=call.line)


def unknown_call(call: Call) -> InputError:
    what = f"no control function {call.function} with {len(call.args)} arguments"
    return InputError("E-traces-102", what, line=call.line)
