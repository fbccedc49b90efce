"""Counts of a run against those of an outcome made by hand, and which frames are
taken to be like a missing one."""

from typing import Any

import pytest

from npftrace.check.comparison import Input, Outcome
from npftrace.check.drop_counts import check_stats, counted_drops, without_module
from npftrace.check.explanation import explain
from npftrace.check.order import Order, Orders
from npftrace.frames.capture import Frame
from npftrace.oracle.verdict import Kind, Verdict

DATA = bytes(range(60))


def outcome(*verdicts: Verdict, sent: int = 0) -> Outcome:
    inputs = [Input(Frame(0, 1, DATA), [verdict]) for verdict in verdicts]
    return Outcome(inputs, sent=sent)


def dropped(reason: str, *copies: str) -> Verdict:
    return Verdict("dropped", reason=reason, copies=copies)


def sends(port: int = 2, data: bytes = DATA, kind: Kind = "routed") -> Verdict:
    return Verdict(kind, ((port, data),))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no_route", "no_route"),
        ("m.no_route", "no_route"),
        ("a.b.no_route", "no_route"),
        ("punt:m.p.out", "punt:m.p.out"),
        ("ring:m.p.out", "ring:m.p.out"),
    ],
)
def test_reasons_of_all_modules(name: str, reason: str) -> None:
    assert without_module(name) == reason


def test_drops_are_where_the_statistics_have_them() -> None:
    old = {"packets": {"drops": {"m.gone": 2, "n.gone": 1, "m.late": 4}}}
    assert counted_drops(old) == {"gone": 3, "late": 4}
    assert counted_drops({"drops": {"a": 1}, **old}) == {"a": 1}
    assert counted_drops({"packets": {}}) is None


def stats(drops: dict[str, int] | None = None, **packets: int) -> dict[str, Any]:
    """Of four packets, of which two are dropped, unless said otherwise."""
    counts = {"received": 4, "forwarded": 2, "dropped": 2, **packets}
    return {"packets": counts} if drops is None else {"packets": counts, "drops": drops}


FOUR = (dropped("gone"), sends(), sends(), dropped("gone", "arp_done"))


@pytest.mark.parametrize(
    ("drops", "overflow", "message"),
    [
        ({"gone": 2, "arp_done": 1}, 0, ""),
        ({"m.gone": 1, "n.gone": 1, "arp_done": 1}, 0, ""),
        ({"gone": 1, "arp_done": 1}, 0, "gone: expected 2, counted 1"),
        ({"gone": 3, "arp_done": 1}, 0, "gone: expected 2, counted 3"),
        ({"gone": 2}, 0, "arp_done: expected 1, counted 0"),
        ({"gone": 2, "arp_done": 1, "late": 1}, 0, "late: expected 0, counted 1"),
        # Packets lost at Rx may be any; none is dropped for that.
        ({"gone": 1, "arp_done": 1}, 1, ""),
        ({"gone": 1}, 1, ""),
        ({"arp_done": 1}, 1, "gone: expected 2, counted 0"),
        ({"gone": 3, "arp_done": 1}, 1, "gone: expected 2, counted 3"),
        # What a program drops of its own is not counted.
        ({"gone": 2, "arp_done": 1, "m.learned": 7, "no_way_back": 1}, 0, ""),
    ],
)  # fmt: skip
def test_drops_by_reason(drops: dict[str, int], overflow: int, message: str) -> None:
    found = stats(drops, received=4 - overflow, forwarded=2 - overflow)
    found["packets"]["rx_overflow"] = overflow
    problems = check_stats(found, outcome(*FOUR, sent=2))
    assert problems == ([f"drops for {message}"] if message else [])


@pytest.mark.parametrize(
    ("packets", "message"),
    [
        ({}, ""),
        ({"forwarded": 1, "consumed": 1}, ""),
        ({"forwarded": 0, "consumed": 1, "waiting": 1}, ""),
        ({"forwarded": 1}, "do not add up: 4 received, 1 forwarded + 2 dropped"),
        ({"waiting": 1}, "+ 0 consumed + 1 waiting"),
        ({"received": 3, "forwarded": 1}, "3 packets received of 4 sent (0 oversize"),
        ({"received": 5, "forwarded": 3}, "5 packets received of 4 sent"),
        ({"received": 3, "forwarded": 1, "rx_overflow": 1}, ""),
        ({"rx_overflow": 1}, "4 packets received of 4 sent (0 oversize, 1 lost"),
        ({"oversize": 0}, ""),
        ({"oversize": 1}, "oversize frames: expected 0, counted 1"),
        ({"transmitted": 2}, ""),
        ({"transmitted": 3}, "2 frames in the output, 3 counted as transmitted"),
    ],
)
def test_every_packet_ends_once(packets: dict[str, int], message: str) -> None:
    problems = check_stats(stats(None, **packets), outcome(*FOUR, sent=2))
    assert len(problems) == bool(message)
    assert not message or message in problems[0]


@pytest.mark.parametrize(("received", "right"), [(4, True), (3, True), (2, False)])
def test_oversize_frames_may_be_received(received: int, right: bool) -> None:
    four = (Verdict("oversize"), sends(), sends(), sends())
    found = stats(None, received=received, forwarded=received, dropped=0, oversize=1)
    assert (check_stats(found, outcome(*four, sent=3)) == []) == right
    found["packets"]["oversize"] = 0
    assert check_stats(found, outcome(*four, sent=3))
    # With packets lost at Rx, some of them may be those.
    found["packets"] |= {"rx_overflow": 1, "received": 3, "forwarded": 3}
    assert check_stats(found, outcome(*four, sent=3)) == []


# Explanations.


def explained(verdict: Verdict, *surplus: Frame, overflow: int = 0) -> Outcome:
    """A packet of which no frame was sent, and frames that nothing explains."""
    found = outcome(verdict)
    found.missing = {0: list(verdict.outputs)}
    found.surplus = dict(enumerate(surplus, 10))
    explain(found, overflow)
    return found


def changed(data: bytes, count: int) -> bytes:
    return bytes(255 - byte for byte in data[:count]) + data[count:]


@pytest.mark.parametrize(
    ("size", "different", "port", "alike"),
    [
        # Fewer than half of the bytes, or than 20.
        (60, 29, 2, True),
        (60, 30, 2, False),
        (60, 28, 3, True),
        (60, 29, 3, False),
        (30, 19, 2, True),
        (30, 20, 2, False),
    ],
)
def test_a_frame_is_like_another(
    size: int, different: int, port: int, alike: bool
) -> None:
    data = bytes(range(1, size + 1))
    found = explained(sends(data=data), Frame(0, port, changed(data, different)))
    assert found.problems[0].startswith("1 expected frames were not sent, 1 frames")
    assert ("frame 10 of the output is most like it" in found.problems[1]) == alike
    assert ("port: 3, expected 2" in found.problems[1]) == (alike and port == 3)


def test_the_frame_most_like_a_missing_one_is_shown() -> None:
    frames = [Frame(0, 2, changed(DATA, count)) for count in (5, 3, 4)]
    frames.append(Frame(0, 2, DATA[:-4]))
    text = explained(sends(), *frames).problems[1]
    assert "frame 11 of the output is most like it" in text
    # Bytes that are missing differ, too.
    text = explained(sends(), frames[0], frames[3]).problems[1]
    assert "frame 11 of the output is most like it" in text


def test_a_packet_may_be_lost_as_a_whole() -> None:
    whole = explained(sends(), overflow=1)
    assert (whole.problems, whole.lost, whole.missing) == ([], 1, {})
    assert len(explained(sends()).problems) == 2
    # One of two frames was sent: the packet was not lost at Rx.
    found = outcome(Verdict("flooded", ((2, DATA), (3, DATA))))
    found.missing = {0: [(3, DATA)]}
    explain(found, 1)
    assert found.lost == 0 and len(found.problems) == 2
    # No more packets than were lost.
    found = outcome(sends(), sends())
    found.missing = {0: [(2, DATA)], 1: [(2, DATA)]}
    explain(found, 1)
    assert found.lost == 1 and list(found.missing) == [1]


def test_where_a_surplus_frame_may_come_from() -> None:
    def text(verdict: Verdict, data: bytes) -> str:
        found = outcome(verdict)
        found.surplus = {7: Frame(0, 3, data)}
        explain(found, 0)
        return found.problems[1]

    assert "frame 7 of the output, by port 3, is not expected" in text(sends(), DATA)
    assert "it was sent too often: packet 0 (in by port 1; routed)" in text(
        sends(), DATA
    )
    # The bytes from the 34th on tell.
    assert "it may come from: packet 0 (in by port 1; dropped: gone)" in text(
        dropped("gone"), bytes(34) + DATA[34:]
    )
    assert "packet 0" not in text(sends(), DATA[:34] + bytes(26))


# Orders.


def test_how_far_packets_were_overtaken() -> None:
    order = Order("flow")
    for frame, packet in enumerate((0, 5, 3, 5, 4, 9, 1)):
        order.note("stream", frame, 2, packet)
    order.note("other", 9, 3, 0)
    assert (order.packets, order.late, order.worst) == (8, 3, 8)
    assert order.first == (2, 2, 3, 5)
    assert order.as_json()["first"] == {
        "frame": 2, "port": 2, "packet": 3, "behind": 5,
    }  # fmt: skip
    assert "3 of 8 frames left after a later one" in order.line()
    assert Order("port").as_json() == {
        "packets": 0, "late": 0, "worst": 0, "first": None,
    }  # fmt: skip


def test_streams_are_flows_and_pairs_of_ports() -> None:
    orders = Orders()
    one, other = DATA, changed(DATA, 12)
    for frame, (data, ports, packet) in enumerate(
        [(one, (0, 2), 4), (other, (0, 2), 3), (one, (0, 3), 2), (one, (1, 2), 1)]
    ):
        orders.note(frame, data, ports, packet)
    assert (orders.flow.late, orders.port.late) == (0, 1)
    assert [order.what for order in orders.violated("port")] == ["port"]
    assert orders.violated("flow") == orders.violated("none") == []
    orders.note(9, one, (0, 2), 0)
    assert [order.what for order in orders.violated("port")] == ["flow", "port"]
    assert [order.what for order in orders.violated("flow")] == ["flow"]
