"""Control calls as the oracles take them."""

from npftrace.errors import InputError
from npftrace.tables.control import Call


def running_order(call: Call) -> tuple[int, int]:
    """Calls at the start, then those of a packet, then those of a cycle. How
    packets and cycles interleave is not known here; calls of cycles may be
    seen by any packet, so their place among the others tells nothing."""
    return ("start", "packet", "cycle", "end").index(call.unit), call.when


def require(call: Call, holds: bool, what: str) -> None:
    """Refuses a call unless `holds`, and any with a negative argument."""
    if not holds or min(call.args, default=0) < 0:
        message = f"{call.function}: {what if not holds else 'a negative number'}"
        raise InputError("E-traces-103", message, line=call.line)


def unknown_call(call: Call) -> InputError:
    what = f"no control function {call.function} with {len(call.args)} arguments"
    return InputError("E-traces-102", what, line=call.line)
