"""Explains missing and surplus frames, the first one field by field."""

from npftrace.check.comparison import Outcome
from npftrace.frames.capture import Frame
from npftrace.frames.dissection import differences
from npftrace.frames.flows import summary

#: Surplus frames among which the one most like a missing frame is searched.
SEARCHED_FRAMES = 2000
#: Frames from the same input have the same bytes from here on: after Ethernet
#: and an IPv4 header.
TAIL_OFFSET = 34


def explain(outcome: Outcome, overflow: int) -> None:
    """Adds problems for missing and surplus frames. Up to `overflow` packets may
    have been lost at Rx; they count as lost instead."""
    for index in sorted(outcome.missing) if overflow else ():
        # A packet without room at Rx sends none of its frames.
        whole = len(outcome.missing[index]) == len(outcome.verdict(index).outputs)
        if whole and outcome.lost < overflow:
            outcome.lost += 1
            del outcome.missing[index]
    missing = sum(map(len, outcome.missing.values()))
    surplus = len(outcome.surplus)
    if not missing and not surplus:
        return
    outcome.problems.append(
        f"{missing:,} expected frames were not sent, "
        f"{surplus:,} frames were sent that are not expected"
    )
    if outcome.missing:
        outcome.problems.append(_explain_missing(outcome, min(outcome.missing)))
    else:
        outcome.problems.append(_explain_surplus(outcome, min(outcome.surplus)))


def _describe(outcome: Outcome, index: int) -> str:
    frame = outcome.inputs[index].frame
    verdict = outcome.verdict(index)
    what = verdict.kind + (f": {verdict.reason}" if verdict.reason else "")
    return f"packet {index} (in by port {frame.port}; {what}): {summary(frame.data)}"


def _explain_missing(outcome: Outcome, index: int) -> str:
    port, data = outcome.missing[index][0]
    lines = [f"first difference: {_describe(outcome, index)}"]
    lines.append(f"  must leave by port {port}: {summary(data)}")
    position = _nearest(data, port, outcome.surplus)
    if position is None:
        lines.append("  neither it nor a frame like it was sent")
        return "\n".join(lines)
    found = outcome.surplus[position]
    lines.append(f"  frame {position} of the output is most like it:")
    if found.port != port:
        lines.append(f"    port: {found.port}, expected {port}")
    lines += (f"    {line}" for line in differences(data, found.data))
    return "\n".join(lines)


def _explain_surplus(outcome: Outcome, position: int) -> str:
    frame = outcome.surplus[position]
    lines = [
        f"first difference: frame {position} of the output, by port {frame.port}, "
        f"is not expected: {summary(frame.data)}"
    ]
    origin = _origin(outcome, frame)
    if origin is not None:
        verdict = outcome.verdict(origin)
        again = any(data == frame.data for _, data in verdict.outputs)
        what = "it was sent too often" if again else "it may come from"
        lines.append(f"  {what}: {_describe(outcome, origin)}")
    return "\n".join(lines)


def _distance(one: bytes, other: bytes) -> int:
    different = sum(a != b for a, b in zip(one, other, strict=False))
    return different + abs(len(one) - len(other))


def _nearest(data: bytes, port: int, frames: dict[int, Frame]) -> int | None:
    """The position of the frame most like `data`; None if no frame is like it."""
    best, best_distance = None, max(20, len(data) // 2)
    for position in list(frames)[:SEARCHED_FRAMES]:
        frame = frames[position]
        distance = _distance(data, frame.data) + (frame.port != port)
        if distance < best_distance:
            best, best_distance = position, distance
    return best


def _origin(outcome: Outcome, frame: Frame) -> int | None:
    """The input that a sent frame comes from, by its last bytes."""
    tail = frame.data[TAIL_OFFSET:]
    for index, (source, _) in enumerate(outcome.inputs):
        if source.data[TAIL_OFFSET:] == tail:
            return index
    return None
