"""The oracle of the label switching router on cases made by hand."""

from collections.abc import Callable

import pytest

from npftrace.errors import InputError
from npftrace.frames.wire import checksum
from npftrace.oracle.mpls.router import Mpls
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call

Build = Callable[..., bytes]

OWN = 0x020000000000
HOP = 0x060000000000
# NHLFE n of 0 to 4 pushes n labels: 100, 101, … in this order.
LABELS = (100, 101, 102, 103)
SWAP, PUSH_2, POP_FORWARD, POP, POP_TO_IP = 1001, 1002, 1000, 2000, 2001
ALERT = 1


def calls() -> list[Call]:
    result = [Call("port_mac", (port, OWN | port)) for port in range(4)]
    result.append(Call("next_hop_add", (5, 2, HOP)))
    for count in range(5):
        result.append(Call("nhlfe_set", (count, 5, count, *LABELS)))
        result.append(Call("label_add", (1000 + count, count)))
        result.append(Call("fec_add", (0x0A000000 | count << 16, 16, count)))
    result += [Call("label_pop", (label,)) for label in (POP, POP_TO_IP)]
    return result


@pytest.fixture
def oracle() -> Mpls:
    return Mpls(calls(), 4, 0)


Stack = list[tuple[int, int, int]]


def labelled(frame: bytes, stack: Stack, bottom: bool = True) -> bytes:
    """A frame with labels, as (label, EXP, TTL), the top one first."""
    words = [label << 12 | exp << 9 | ttl for label, exp, ttl in stack]
    words[-1] |= bottom << 8
    entries = b"".join(word.to_bytes(4, "big") for word in words)
    return frame[:12] + b"\x88\x47" + entries + frame[14:]


def split(data: bytes) -> tuple[Stack, bytes]:
    """The stack of a frame, and the bytes after it."""
    stack: Stack = []
    at, bottom = 14, data[12:14] != b"\x88\x47"
    while not bottom:
        word = int.from_bytes(data[at : at + 4], "big")
        stack.append((word >> 12, word >> 9 & 7, word & 255))
        at, bottom = at + 4, bool(word >> 8 & 1)
    return stack, data[at:]


def forwarded(oracle: Mpls, data: bytes) -> tuple[Stack, bytes]:
    (verdict,) = oracle.verdicts(0, 0, data)
    ((port, out),) = verdict.outputs
    assert port == 2
    assert out[:12] == HOP.to_bytes(6, "big") + (OWN | 2).to_bytes(6, "big")
    stack, rest = split(out)
    assert verdict.kind == ("labelled" if stack else "routed")
    assert out[12:14] == (b"\x88\x47" if stack else b"\x08\x00")
    return stack, rest


def reason(oracle: Mpls, data: bytes) -> str:
    (verdict,) = oracle.verdicts(0, 0, data)
    assert verdict.kind == "dropped"
    return verdict.reason


@pytest.mark.parametrize("count", range(5))
def test_ingress(count: int, oracle: Mpls, frame: Build) -> None:
    data = bytearray(frame(ip_dst=f"10.{count}.0.1", ttl=33))
    data[15] = 0xA0  # Precedence 5.
    data[24:26] = bytes(2)
    data[24:26] = checksum(bytes(data[14:34])).to_bytes(2, "big")
    stack, packet = forwarded(oracle, bytes(data))
    assert stack == [(label, 5, 32) for label in LABELS[:count][::-1]]
    assert packet[8] == 32 and checksum(packet[:20]) == 0
    assert packet[12:46] == data[26:60]


def test_swap_keeps_exp_and_the_entries_below(oracle: Mpls, frame: Build) -> None:
    data = labelled(frame(), [(SWAP, 3, 64), (77, 1, 9)])
    stack, packet = forwarded(oracle, data)
    assert stack == [(100, 3, 63), (77, 1, 9)]
    assert packet == frame()[14:]


def test_swap_and_push(oracle: Mpls, frame: Build) -> None:
    stack, packet = forwarded(oracle, labelled(frame(), [(PUSH_2, 6, 20)]))
    assert stack == [(101, 6, 19), (100, 6, 19)]
    assert packet == frame()[14:]


def test_pop_with_labels_left(oracle: Mpls, frame: Build) -> None:
    data = labelled(frame(), [(POP_FORWARD, 3, 64), (77, 1, 9), (78, 2, 8)])
    stack, _ = forwarded(oracle, data)
    # Uniform model: the uncovered entry has the outer TTL minus 1.
    assert stack == [(77, 1, 63), (78, 2, 8)]


def test_a_router_alert_is_seen_and_pushed_again(oracle: Mpls, frame: Build) -> None:
    def verdict(*below: tuple[int, int, int]) -> Verdict:
        data = labelled(frame(), [(1, 3, 9), *below])
        (found,) = oracle.verdicts(0, 0, data)
        assert found.copies == ("router_alert",)
        return found

    sent = verdict((SWAP, 5, 40))
    ((_, out),) = sent.outputs
    assert split(out)[0] == [(1, 3, 8), (100, 5, 8)]
    ((_, out),) = verdict((PUSH_2, 6, 40), (77, 1, 7)).outputs
    assert split(out)[0] == [(1, 3, 8), (101, 6, 8), (100, 6, 8), (77, 1, 7)]
    assert verdict((16, 0, 40)).reason == "unknown_label"
    assert verdict((0, 0, 40)).reason == "unknown_label"
    assert verdict((POP_FORWARD, 0, 40)).reason == "unknown_label"


def test_a_router_alert_needs_a_label_below(oracle: Mpls, frame: Build) -> None:
    data = frame()[:12] + b"\x88\x47" + (1 << 12 | 9).to_bytes(4, "big")
    (found,) = oracle.verdicts(0, 0, data)
    assert (found.kind, found.reason) == ("dropped", "truncated")
    assert found.copies == ("router_alert",)


@pytest.mark.parametrize("label", [POP, 0])
def test_egress(label: int, oracle: Mpls, frame: Build) -> None:
    data = labelled(frame(ip_dst="10.0.0.1", ttl=9), [(label, 0, 50)])
    stack, packet = forwarded(oracle, data)
    assert not stack
    assert packet[8] == 49 and checksum(packet[:20]) == 0
    assert reason(oracle, labelled(frame(ip_dst="9.0.0.1"), [(label, 0, 50)])) == (
        "no_route"
    )


def test_penultimate_hop_needs_no_route(oracle: Mpls, frame: Build) -> None:
    data = labelled(frame(ip_dst="9.0.0.1", ttl=9), [(POP_FORWARD, 0, 50)])
    stack, packet = forwarded(oracle, data)
    assert not stack and packet[8] == 49


def test_popped_labels_are_followed_by_the_next(oracle: Mpls, frame: Build) -> None:
    data = labelled(frame(), [(POP, 1, 40), (0, 2, 5), (POP_TO_IP, 3, 6), (SWAP, 4, 7)])
    assert forwarded(oracle, data)[0] == [(100, 4, 39)]


def test_egress_into_another_path(oracle: Mpls, frame: Build) -> None:
    data = labelled(frame(ip_dst="10.2.0.1"), [(POP, 7, 40)])
    stack, packet = forwarded(oracle, data)
    assert stack == [(101, 0, 39), (100, 0, 39)]
    assert packet[8] == 39


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ([(SWAP, 0, 1)], "ttl_expired"),
        ([(SWAP, 0, 0)], "ttl_expired"),
        ([(15, 0, 1)], "reserved_label"),
        ([(1, 0, 9)], "reserved_label"),
        ([(2, 0, 9)], "bad_version6"),
        ([(3, 0, 9)], "reserved_label"),
        ([(15, 0, 9)], "reserved_label"),
        ([(16, 0, 9)], "unknown_label"),
        ([(1048575, 0, 9)], "unknown_label"),
        ([(POP, 0, 9), (16, 0, 9)], "unknown_label"),
        ([(POP, 0, 9), (1, 0, 9)], "reserved_label"),
    ],
)
def test_reasons(stack: Stack, expected: str, oracle: Mpls, frame: Build) -> None:
    assert reason(oracle, labelled(frame(), stack)) == expected


def test_inner_ttl_does_not_expire_under_a_label(oracle: Mpls, frame: Build) -> None:
    data = labelled(frame(ip_dst="10.0.0.1", ttl=0), [(POP, 0, 50)])
    assert forwarded(oracle, data)[1][8] == 49
    assert reason(oracle, frame(ip_dst="10.0.0.1", ttl=1)) == "ttl_expired"


def test_a_stack_beyond_the_frame_is_truncated(oracle: Mpls, frame: Build) -> None:
    # Pops use 44 of 46 bytes of label stack entries, and two bytes remain.
    ether = frame()[:12] + b"\x88\x47"
    endless = ether + (POP << 12 | 9).to_bytes(4, "big") * 11 + bytes(2)
    assert len(endless) == 60
    assert reason(oracle, endless) == "truncated"
    last = ether + (POP << 12 | 9).to_bytes(4, "big") * 10
    last += (POP_FORWARD << 12 | 9).to_bytes(4, "big") + bytes(2)
    assert reason(oracle, last) == "truncated"
    no_ip = ether + (POP << 12 | 9).to_bytes(4, "big") * 10
    no_ip += (POP << 12 | 1 << 8 | 9).to_bytes(4, "big") + bytes(2)
    assert reason(oracle, no_ip) == "truncated"


def alerted(oracle: Mpls, data: bytes) -> Verdict:
    """The verdict on a frame with a router alert, whose copy the router sees."""
    (verdict,) = oracle.verdicts(0, 0, data)
    assert verdict.copies == ("router_alert",)
    return verdict


def test_router_alert_is_pushed_again(oracle: Mpls, frame: Build) -> None:
    oracle.ilm.set(16, 1, Call("label_add", (16, 1)))
    for label, pushed in ((SWAP, 1), (PUSH_2, 2), (16, 1)):
        data = labelled(frame(), [(ALERT, 3, 9), (label, 5, 40)])
        ((port, out),) = alerted(oracle, data).outputs
        stack, rest = split(out)
        below = [(one, 5, 8) for one in reversed(LABELS[:pushed])]
        assert (port, stack) == (2, [(ALERT, 3, 8), *below])
        assert rest == frame()[14:]


def test_router_alert_above_a_pop(oracle: Mpls, frame: Build) -> None:
    stack = [(ALERT, 3, 9), (POP_FORWARD, 5, 40), (77, 2, 30)]
    ((_, out),) = alerted(oracle, labelled(frame(), stack)).outputs
    assert split(out)[0] == [(ALERT, 3, 8), (77, 2, 8)]


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        # The label below must have an NHLFE and leave a label below the alert.
        ([(ALERT, 0, 9), (15, 0, 9)], "unknown_label"),
        ([(ALERT, 0, 9), (17, 0, 9)], "unknown_label"),
        ([(ALERT, 0, 9), (POP, 0, 9), (SWAP, 0, 9)], "unknown_label"),
        ([(ALERT, 0, 9), (POP_FORWARD, 0, 9)], "unknown_label"),
        ([(ALERT, 0, 1), (SWAP, 0, 9)], "ttl_expired"),
    ],
)
def test_reasons_below_a_router_alert(
    stack: Stack, expected: str, oracle: Mpls, frame: Build
) -> None:
    verdict = alerted(oracle, labelled(frame(), stack))
    assert (verdict.kind, verdict.reason) == ("dropped", expected)


def test_a_router_alert_above_nothing_is_truncated(oracle: Mpls, frame: Build) -> None:
    # Pops use 40 of 46 bytes, then come the alert and two bytes.
    data = frame()[:12] + b"\x88\x47" + (POP << 12 | 9).to_bytes(4, "big") * 10
    data += (ALERT << 12 | 9).to_bytes(4, "big") + bytes(2)
    assert alerted(oracle, data).reason == "truncated"


def test_short_frames_leave_padded(oracle: Mpls, frame: Build) -> None:
    inner = frame(ip_dst="10.0.0.1", payload=bytes(8))[:42]
    data = labelled(inner, [(POP, 0, 50)]).ljust(60, b"\0")
    ((_, out),) = oracle.verdicts(0, 0, data)[0].outputs
    assert len(out) == 60 and not any(out[42:])


def test_frames_to_other_stations_are_dropped(oracle: Mpls, frame: Build) -> None:
    assert reason(oracle, frame(dst="02:00:00:00:00:01")) == "not_for_router"
    assert reason(oracle, frame(dst="ff:ff:ff:ff:ff:ff")) == "not_for_router"
    assert reason(oracle, frame(ether_type=0x88B5)) == "other_type"


def test_updates(frame: Build) -> None:
    changes = [
        Call("label_add", (SWAP, 2), "packet", 100),
        Call("label_delete", (SWAP,), "packet", 200),
    ]
    oracle = Mpls([*calls(), *changes], 4, 10)
    data = labelled(frame(), [(SWAP, 0, 9)])

    def seen(index: int) -> list[int | str]:
        return [
            len(split(verdict.outputs[0][1])[0]) if verdict.outputs else verdict.reason
            for verdict in oracle.verdicts(index, 0, data)
        ]

    assert seen(50) == [1] and seen(150) == [2] and seen(250) == ["unknown_label"]
    assert sorted(map(str, seen(100))) == ["1", "2"]
    assert sorted(map(str, seen(200))) == ["2", "unknown_label"]


def test_oversize(oracle: Mpls, frame: Build) -> None:
    assert oracle.verdicts(0, 0, frame(size=1523)) == [Verdict("oversize")]


@pytest.mark.parametrize(
    "call",
    [
        Call("next_hop_add", (1, 1, 0)),
        Call("nhlfe_set", (1, 1, 0, 0, 0, 0, 0)),
        Call("nhlfe_set", (0, 0, 5, 16, 16, 16, 16)),
        Call("nhlfe_set", (0, 0, 1, 3, 0, 0, 0)),
        Call("nhlfe_set", (0, 0, 1, 1 << 20, 0, 0, 0)),
        Call("label_add", (15, 0)),
        Call("label_add", (16, 1)),
        Call("fec_add", (10 << 24, 8, 1)),
        Call("fec6_add", (0, 0, 0, 0, 0, 1)),
        Call("group_slot", (0, 0, 1)),
        Call("nhlfe_group", (1, 0)),
        Call("label_pop", (0,)),
        Call("fec_add", (0, 33, 0)),
        Call("port_mac", (4, 0)),
        Call("route_add", (0, 0, 0)),
    ],
)
def test_wrong_calls_are_refused(call: Call) -> None:
    known = [
        Call("next_hop_add", (0, 0, HOP)),
        Call("nhlfe_set", (0, 0, 0, 0, 0, 0, 0)),
    ]
    assert Mpls(known, 4, 0)
    with pytest.raises(InputError):
        Mpls([*known, call], 4, 0)
