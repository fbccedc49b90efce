"""The oracle of the firewall on cases made by hand."""

from collections.abc import Callable

import pytest

from npftrace.errors import InputError
from npftrace.oracle.firewall import Firewall
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call

Build = Callable[..., bytes]

TCP_SYN = b"\x04\x00\x00\x16" + bytes(8) + b"\x50\x02" + bytes(6)
ANY = (0, 65535)


def rule(
    flow: int,
    src: tuple[int, int] = (0, 0),
    dst: tuple[int, int] = (0, 0),
    sports: tuple[int, int] = ANY,
    dports: tuple[int, int] = ANY,
    protocol: int = 256,
    tos: tuple[int, int] = (0, 0),
    flags: tuple[int, int] = (0, 0),
) -> Call:
    args = (flow, *src, *dst, *sports, *dports, protocol, *tos, *flags)
    return Call("firewall.rule_add", args)


def oracle(*calls: Call, committed: bool = True) -> Firewall:
    """Flow 1 is dropped, flow 2 passes; without a rule a packet passes."""
    more = [Call("flow_action", (1, 1))] + [Call("rules_commit", ())] * committed
    return Firewall([*calls, *more], 4, 0)


def is_dropped(firewall: Firewall, data: bytes, port: int = 0) -> bool:
    (verdict,) = firewall.verdicts(0, port, data)
    if verdict.kind == "dropped":
        assert verdict.reason == "flow_denied"
        return True
    assert verdict == Verdict("passed", ((port ^ 1, data),))
    return False


# The frame: UDP, 198.18.0.1:1024 to 10.1.2.3:7.
@pytest.mark.parametrize(
    ("fields", "matches"),
    [
        ({}, True),
        ({"src": (0xC6120001, 32)}, True),
        ({"src": (0xC6120002, 32)}, False),
        ({"src": (0xC6120000, 31)}, True),
        ({"src": (0xC6120002, 30)}, True),
        ({"dst": (0x0A010000, 16)}, True),
        ({"dst": (0x0A020000, 16)}, False),
        ({"sports": (1024, 65535)}, True),
        ({"sports": (0, 1023)}, False),
        ({"dports": (7, 7)}, True),
        ({"dports": (0, 6)}, False),
        ({"dports": (8, 9)}, False),
        ({"protocol": 17}, True),
        ({"protocol": 6}, False),
        ({"protocol": 0}, False),
        ({"tos": (0, 0xFF)}, True),
        ({"tos": (0x10, 0x10)}, False),
        ({"flags": (0, 0xFF)}, False),
    ],
)
def test_a_rule_matches_by_each_field(
    fields: dict, matches: bool, frame: Build
) -> None:  # type: ignore[type-arg]
    assert is_dropped(oracle(rule(1, **fields)), frame()) == matches


@pytest.mark.parametrize(
    ("flags", "matches"),
    [
        ((0x02, 0x12), True),
        ((0x12, 0x12), False),
        ((0x10, 0x10), False),
        ((0, 0), True),
    ],
)
def test_a_rule_matches_by_tcp_flags(
    flags: tuple[int, int], matches: bool, frame: Build
) -> None:
    data = bytearray(frame(payload=TCP_SYN))
    data[23] = 6
    firewall = oracle(rule(1, protocol=6, flags=flags))
    assert is_dropped(firewall, bytes(data)) == matches


def test_the_first_match_wins(frame: Build) -> None:
    narrow = rule(2, dst=(0x0A010203, 32))
    wide = rule(1)
    assert not is_dropped(oracle(narrow, wide), frame())
    assert is_dropped(oracle(wide, narrow), frame())
    assert is_dropped(oracle(narrow, wide), frame(ip_dst="10.1.2.4"))


def test_without_a_rule_the_default_decides(frame: Build) -> None:
    other = rule(2, dst=(0x0B000000, 8))
    assert not is_dropped(oracle(other), frame())
    assert is_dropped(oracle(other, Call("default_action", (1,))), frame())
    # Rules that are not committed have no effect.
    assert not is_dropped(oracle(rule(1), committed=False), frame())


def test_fragments_have_no_ports(frame: Build) -> None:
    with_ports = oracle(rule(1, dports=(7, 7)))
    assert is_dropped(with_ports, frame(fragment=0x2000))
    assert not is_dropped(with_ports, frame(fragment=0x0010))
    assert is_dropped(oracle(rule(1)), frame(fragment=0x0010))


@pytest.mark.parametrize("bit", range(13))
def test_every_bit_of_the_offset_makes_a_later_fragment(bit: int, frame: Build) -> None:
    with_ports = oracle(rule(1, dports=(7, 7)))
    assert not is_dropped(with_ports, frame(fragment=1 << bit))
    assert not is_dropped(with_ports, frame(fragment=0x2000 | 1 << bit))


@pytest.mark.parametrize("flags", [0x2000, 0x4000, 0x8000, 0xE000])
def test_the_flags_do_not_make_a_later_fragment(flags: int, frame: Build) -> None:
    assert is_dropped(oracle(rule(1, dports=(7, 7))), frame(fragment=flags))
    tcp = bytearray(frame(fragment=flags | 1))
    tcp[23] = 6
    (verdict,) = oracle().verdicts(0, 0, bytes(tcp))
    assert verdict.reason == "tiny_fragment"


@pytest.mark.parametrize(
    ("src", "dst", "matches"),
    [
        ((0xC6120001, 32), (0x0A010203, 32), True),
        ((0xC6120000, 32), (0, 0), False),
        ((0xC6120000, 31), (0, 0), True),
        ((0xC6120002, 31), (0, 0), False),
        ((0x46120001, 1), (0, 0), False),
        ((0, 0), (0x0A010202, 32), False),
        ((0, 0), (0x0A010202, 31), True),
        ((0, 0), (0x8A010203, 1), False),
    ],
)
@pytest.mark.parametrize("fragment", [0x0010, 0x2010])
def test_fragments_match_by_all_bits_of_the_prefixes(
    src: tuple[int, int],
    dst: tuple[int, int],
    matches: bool,
    fragment: int,
    frame: Build,
) -> None:
    assert is_dropped(oracle(rule(1, src, dst)), frame(fragment=fragment)) == matches


def test_options_are_skipped(frame: Build) -> None:
    assert is_dropped(oracle(rule(1, dports=(7, 7))), frame(ihl=8))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"version": 6}, "bad_header"),
        ({"ihl": 4}, "bad_header"),
        ({"total_length": 19}, "bad_header"),
        ({"total_length": 47}, "bad_header"),
        ({"total_length": 27}, "short_transport"),
        ({"total_length": 20}, "short_transport"),
        ({"ether_type": 0x86DD}, "not_ipv4"),
    ],
)
def test_a_wrong_packet_has_a_reason(
    fields: dict[str, int], reason: str, frame: Build
) -> None:
    (verdict,) = oracle().verdicts(0, 0, frame(**fields))
    assert verdict == Verdict("dropped", reason=reason)


def test_a_tcp_fragment_at_offset_1_is_dropped(frame: Build) -> None:
    tcp = bytearray(frame(fragment=1))
    tcp[23] = 6
    (verdict,) = oracle().verdicts(0, 0, bytes(tcp))
    assert verdict.reason == "tiny_fragment"
    assert not is_dropped(oracle(), frame(fragment=1))


def test_arp_passes_and_other_types_may_pass(frame: Build) -> None:
    assert not is_dropped(oracle(), frame(ether_type=0x0806))
    passes = oracle(Call("other_action", (0,)))
    assert not is_dropped(passes, frame(ether_type=0x86DD), port=3)


def test_packets_leave_by_the_paired_port(frame: Build) -> None:
    firewall = oracle(Call("port_pair", (0, 3)))
    ports = [firewall.verdicts(0, port, frame())[0].outputs[0][0] for port in range(4)]
    assert ports == [3, 0, 3, 0]


def test_an_action_may_change_between_packets(frame: Build) -> None:
    calls = [rule(2), Call("rules_commit", ())]
    calls.append(Call("flow_action", (2, 1), "packet", 100))
    firewall = Firewall(calls, 4, 10)
    kinds = [
        {v.kind for v in firewall.verdicts(index, 0, frame())}
        for index in (50, 100, 150)
    ]
    assert kinds == [{"passed"}, {"passed", "dropped"}, {"dropped"}]


def test_rules_may_be_committed_between_packets(frame: Build) -> None:
    calls = [rule(1), Call("rules_commit", ()), Call("flow_action", (1, 1))]
    calls.append(Call("rules_clear", (), "packet", 40))
    calls.append(Call("rules_commit", (), "packet", 100))
    firewall = Firewall(calls, 4, 10)
    kinds = [
        {v.kind for v in firewall.verdicts(index, 0, frame())}
        for index in (50, 100, 150)
    ]
    assert kinds == [{"dropped"}, {"passed", "dropped"}, {"passed"}]


@pytest.mark.parametrize(
    "calls",
    [
        [rule(1, src=(0, 33))],
        [rule(1, sports=(2, 1))],
        [Call("port_pair", (0, 4))],
        [Call("route_add", (0, 0, 0))],
    ],
)
def test_wrong_calls_are_refused(calls: list[Call]) -> None:
    with pytest.raises(InputError):
        Firewall(calls, 4, 0)
