"""Packet tests: reading, comparing, and the messages about errors."""

import subprocess
from pathlib import Path

import pytest

from npftrace.errors import InputError
from npftrace.frames.capture import Frame, write_capture
from npftrace.runs.expressions import LENGTH_MAX, ExpressionError, Expressions
from npftrace.runs.orders import groups, in_order, order_count, orders
from npftrace.runs.packet_file import (
    CONTROL_GAP_NS,
    GAP_NS,
    LEAD_NS,
    PORTS,
    PacketTest,
    read_test,
)
from npftrace.runs.packet_tests import (
    CLOCK_GHZ,
    _compare,
    _nearest,
    control_file,
    find_races,
    run_test,
)
from testkit.paths import BUILD

FRAME = 'Ether(src="02:00:00:00:00:0a", dst="02:00:00:00:00:0b", type=0x1234)'


def write(folder: Path, text: str) -> PacketTest:
    (folder / "app.baker").touch()
    path = folder / "app.packets"
    path.write_text(text)
    return read_test(path)


def test_an_indented_line_continues_a_statement(tmp_path: Path) -> None:
    test = write(
        tmp_path,
        f"# comment\nlet f = {FRAME}\ncontrol a(1)\nsend 2 f\n  / Raw(b'x')\n"
        "  expect 1 f\ncontrol b(2)\nsend 0 f\n  drop gone\n",
    )
    assert [frame.port for frame in test.sent] == [2, 0]
    assert test.sent[0].data[14:16] == b"x\0"
    assert len(test.sent[0].data) == 60
    assert [(call.before, call.text) for call in test.calls] == [
        (0, "a(1)"),
        (1, "b(2)"),
    ]
    assert [(e.place.line, e.port) for e in test.expected] == [(6, 1)]
    assert test.drops == {"gone": 1}
    assert test.program == tmp_path / "app.baker"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sned 0 Ether()\n", ":1: error: 'sned' is not one of program, include, let"),
        ("send 7 Ether()\n", "expected a port from 0 to 3"),
        ("send 0 Eter()\n", ":1: error: there is no layer or name 'Eter'"),
        ("\nsend 0 open('x')\n", ":2: error: there is no layer or name 'open'"),
        ("send 0 Ether(\n", "'Ether(' is not a packet: SyntaxError"),
        ("wait 1ms\n", ":1: error: time passes from the first 'send' on"),
        ("send 0 b''\nwait 1h\n", ":2: error: expected 'wait TIME'"),
        ("send 0 b''\nwait 9s\nwait 2s\n", ":3: error: a test waits ten seconds"),
        ("value a() = 0xg\n", "expected 'value CALL = NUMBER'"),
        ("let 3 = Ether()\n", "expected 'let NAME = EXPRESSION'"),
        ("control a()\n", "the test sends no frame"),
        ("value a() = x\n", "expected 'value CALL = NUMBER'"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        write(tmp_path, text)
    assert message in str(error.value)


def test_differences_are_reported(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\n  expect 1 {FRAME}\n  drop gone\n")
    wrong = bytearray(test.expected[0].data)
    wrong[5] ^= 1
    problems = _compare(
        test, [Frame(0, 1, bytes(wrong))], {"drops": {"m.other": 2, "m.gone": 0}}
    )
    text = "\n".join(problems)
    assert "app.packets:2: not sent by port 1" in text
    assert "02:00:00:00:00:0b" in text and "02:00:00:00:00:0a" in text
    assert "not expected by port 1" in text
    assert "app.packets:1: not expected by port 1" in text
    assert "app.packets:1: 2 dropped as other, not 0" in text
    assert "app.packets:3: 0 dropped as gone, not 1" in text
    right = _compare(test, [Frame(0, 1, test.expected[0].data)], {"drops": {"gone": 1}})
    assert right == []


def test_each_missing_frame_is_compared_with_the_nearest(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\n  expect 1 {FRAME}\n")
    want = test.expected[0].data
    near, far = bytearray(want), bytearray(want)
    near[0] ^= 1
    far[0:4] = b"\xff" * 4
    others = [Frame(0, 2, want), Frame(0, 1, want[:-1]), Frame(0, 1, bytes(far))]
    # The frame of another port and that of another length are not compared.
    assert _nearest(test.expected[0], [(f.port, f.data) for f in others[:2]]) is None
    frames = [*others, Frame(0, 1, bytes(near))]
    assert _nearest(test.expected[0], [(f.port, f.data) for f in frames]) == near
    # One problem for the frame missing, one for each of the four others.
    problems = _compare(test, frames, {})
    assert sum(not problem.startswith("  ") for problem in problems) == 5
    (difference,) = (problem for problem in problems if problem.startswith("  "))
    assert (
        "Ether.dst: 03:00:00:00:00:0b, expected 02:00:00:00:00:0b (byte 0)"
        in difference
    )


def test_equal_frames_are_expected_one_by_one(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\n" + f"  expect 1 {FRAME}\n" * 2)
    frame = Frame(0, 1, test.expected[0].data)
    assert _compare(test, [frame, frame], {}) == []
    (missing, *_) = _compare(test, [frame], {})
    assert "app.packets:3: not sent by port 1" in missing
    (extra,) = _compare(test, [frame] * 3, {})
    assert "not expected by port 1" in extra


def test_drops_of_all_modules_are_added_up(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\n  drop gone\n  drop gone\n")
    assert _compare(test, [], {"drops": {"m.gone": 1, "n.gone": 1}}) == []
    assert _compare(test, [], {"drops": {"m.gone": 2, "punt:m.p.gone": 3}}) == [
        f"{test.path}:1: 3 dropped as punt:m.p.gone, not 0"
    ]
    assert _compare(test, [], {"drops": {"m.gone": 1}}) == [
        f"{test.path}:2: 1 dropped as gone, not 2"
    ]


def test_a_drop_may_name_its_module(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\n  drop m.gone\n")
    assert _compare(test, [], {"drops": {"m.gone": 1, "n.gone": 0}}) == []
    assert _compare(test, [], {"drops": {"m.gone": 0, "n.gone": 1}}) == [
        f"{test.path}:2: 0 dropped as m.gone, not 1",
        f"{test.path}:1: 1 dropped as gone, not 0",
    ]


def test_a_reason_that_the_program_does_not_declare_is_wrong(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\n  drop gnoe\n")
    assert _compare(test, [], {"drops": {"m.gone": 0, "m.other": 0}}) == [
        f"{test.path}:2: the program declares no drop reason gnoe; "
        "declared: gone, other"
    ]


def test_control_calls_are_timed_by_packet_or_cycle(tmp_path: Path) -> None:
    text = f"control a(1)\nsend 0 {FRAME}\ncontrol b(2)\nsend 0 {FRAME}\n"
    test = write(tmp_path, text)
    assert control_file(test, by_packet=True) == "a(1)\n@packet 1 b(2)\n"
    first, second = control_file(test, by_packet=False).splitlines()
    assert first == "a(1)"
    # No packet is in flight then, and the call has returned when the next arrives.
    cycle = int((CONTROL_GAP_NS - LEAD_NS) * CLOCK_GHZ)
    assert second == f"@cycle {cycle} b(2)"


def test_time_passes_before_a_frame(tmp_path: Path) -> None:
    text = f"send 0 {FRAME}\nwait 1.5ms\nwait 10us\nsend 0 {FRAME}\nsend 0 {FRAME}\n"
    test = write(tmp_path, text)
    waited = 1_510_000 + GAP_NS
    assert [f.time_ns for f in test.sent] == [0, waited, waited + GAP_NS]


def test_values_are_compared_where_they_stand(tmp_path: Path) -> None:
    test = write(
        tmp_path,
        f"send 0 {FRAME}\nvalue m.seen(1) = 0x10\ncontrol a()\nsend 0 {FRAME}\n"
        "value lost() = 0\ncontrol b()\n",
    )
    assert control_file(test, by_packet=True) == (
        "@packet 1 m.seen(1)\n@packet 1 a()\n@end lost()\n@end b()\n"
    )
    values = [{"line": 1, "value": 16}, {"line": 3, "value": 3}]
    assert _compare(test, [], {"control": {"values": values}}) == [
        f"{test.path}:5: lost() returns 3, not 0"
    ]
    assert _compare(test, [], {"control": {"values": values[:1]}}) == [
        f"{test.path}:5: lost() returns no value"
    ]


HOSTILE = [
    "__import__('os').system('true')",
    "Ether.__class__",
    "Ether().__init__.__globals__",
    "Ether().pdfdump('x')",
    "(lambda: 0).__code__",
    "[c for c in ().__class__.__base__.__subclasses__()]",
    "'{0.__class__}'.format(Ether)",
    "f'{Ether}'",
    "wrpcap('x', Ether())",
    "sniff()",
    "Ether(_pkt=b'x')",
    "Ether(post_transform=len)",
    "Ether('text')",
    "IP(dst='localhost.example')",
    "IPv6(dst='localhost.example')",
    "b'x' * 100_000",
    "[[0] * 60000] * 60000",
    "1 << 100_000",
    "bytes(1 << 40)",
    "b''.ljust(1 << 40)",
    "(7).to_bytes(1 << 40)",
    "range(1 << 40)",
    "'%9999999d' % 1",
    "2 ** 9",
    "(lambda f: f(f))(lambda f: f(f))",
    "[0 for a in range(60000) if [0 for b in range(60000)]]",
    "(x := 1)",
    "{1}",
    "3",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_an_expression_makes_frames_and_nothing_else(text: str) -> None:
    with pytest.raises(ExpressionError) as error:
        Expressions().frame(text)
    assert len(str(error.value)) < 300


def test_expressions_are_those_of_scapy() -> None:
    expressions = Expressions()
    expressions.names["to"] = expressions.value(
        'lambda dst, ttl=9, **more: Ether(src="02:00:00:00:00:0a", dst=dst, type=9)'
        " / Raw(bytes([ttl] * 2) + bytes(range(3))[1:]) / Raw(**more)"
    )
    wanted = bytes.fromhex("02000000000b 02000000000a 0009 0808 0102 78")
    mac = "02:00:00:00:00:0b"
    assert expressions.frame(f'to("{mac}", ttl=8, load=b"x")') == wanted
    for same in (
        f'Ether(bytes(to("{mac}", 8)))/b"x"',
        f'bytes(to("{mac}", 8) / b"xyz")[:19]',
        f'to(dst="{mac}", ttl=10 - 4 // 2, load="xyz"[:1])',
        f'to("{mac}", 8 if 3 > 2 else 1) / bytes.fromhex("78")',
    ):
        assert expressions.frame(same) == wanted
    assert expressions.value("IP(ttl=7).ttl + len(b'12')") == 9
    assert expressions.value("b','.join([n.to_bytes(1, 'big') for n in (1, 2)])") == (
        b"\x01,\x02"
    )
    assert len(expressions.value(f"bytes({LENGTH_MAX})")) == LENGTH_MAX


def test_a_frame_does_not_depend_on_the_computer() -> None:
    frame = Expressions().frame('Ether() / IP(dst="10.0.0.1") / UDP()')
    assert frame[:14] == b"\xff" * 6 + bytes(6) + b"\x08\x00"
    assert frame[26:30] == bytes(4)


@pytest.mark.parametrize("where", ["x86", "swc"])
def test_a_run_may_send_nothing(where: str, tmp_path: Path) -> None:
    test = write(
        tmp_path, f"send 0 {FRAME}\ncontrol a(1)\nsend 0 {FRAME}\n  drop gone\n"
    )
    commands = []

    def tool(*command: object) -> None:
        """Stands for bakerc and ixpsim: drops one frame and sends none."""
        words = [str(word) for word in command]
        commands.append(words)
        options = dict(word[2:].partition("=")[::2] for word in words if "=" in word)
        if "out" in options:
            write_capture(Path(options["out"]), [], PORTS)
            Path(options["stats"]).write_text('{"drops": {"m.gone": 1}}')
        else:
            Path(options["report"]).write_text('{"aggregates": [{}, {}]}')
            Path(words[-1]).touch()

    assert run_test(test, where, tmp_path, tool) == []
    assert run_test(test, where, tmp_path, tool) == []
    if where == "x86":
        assert [words[0] for words in commands] == ["bakerc", "bakerc"]
        assert all("--run" in words for words in commands)
    else:
        # The image is compiled once. Its two aggregates need two engines.
        assert [words[0] for words in commands] == ["bakerc", "ixpsim", "ixpsim"]
        assert "--level=swc" in commands[0]
        assert all("--mes=2" in words for words in commands[1:])
    runs = commands[-2:]
    assert all(any(w.startswith("--control=") for w in words) for words in runs)


def grouped(folder: Path) -> PacketTest:
    return write(
        folder,
        "".join(f"send {port} {FRAME}\n" for port in (0, 1, 2))
        + f"wait 1ms\nsend 3 {FRAME}\nsend 0 {FRAME}\n",
    )


def test_frames_change_places_between_barriers_only(tmp_path: Path) -> None:
    test = grouped(tmp_path)
    assert groups(test) == [range(3), range(3, 5)]
    assert order_count(test) == 12
    found = list(orders(test, 12, seed=1))
    assert found[0] == (0, 1, 2, 3, 4)
    assert len(set(found)) == 12
    for order in found:
        assert sorted(order[:3]) == [0, 1, 2] and sorted(order[3:]) == [3, 4]
        ordered = in_order(test, order, seed=1)
        assert [frame.data for frame in ordered.sent] == [
            test.sent[number].data for number in order
        ]
        times = [frame.time_ns for frame in ordered.sent]
        assert times == sorted(times) and times[3] == test.sent[3].time_ns
        assert times[2] < GAP_NS
    assert len(list(orders(test, 30, seed=1))) == 30


COUNTER = """\
import net.ether;
module count {
  u32 seen;
  lock guard;
  drop_reason counted;
  ppf go { in ether_pkt * in_cc; }
  wiring { rx -> go.in_cc; }
  control u32 frames() { return seen; }
}
count.go.ppf(ether_pkt * ph) {
  SECTION { seen = seen + 1; }
  packet_drop(ph, counted);
}
"""


@pytest.fixture
def built_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=":")


@pytest.mark.parametrize(
    ("section", "is_right"), [("", False), ("critical (guard)", True)]
)
def test_a_race_shows_in_other_orders_of_arrival(
    section: str, is_right: bool, tmp_path: Path, built_tools: None
) -> None:
    (tmp_path / "count.baker").write_text(COUNTER.replace("SECTION", section))
    path = tmp_path / "count.packets"
    frames = "".join(f"send {n % 4} {FRAME}\n  drop counted\n" for n in range(12))
    path.write_text(f"{frames}value frames() = 12\n")
    test = read_test(path)
    # One at a time, both programs are right.
    assert run_test(test, "swc", tmp_path) == []
    races = find_races(test, "swc", tmp_path, count=3, seed=1)
    assert (races.races == 0) == is_right
    assert races.other_outcomes == 0
    if not is_right:
        assert any("frames() returns" in problem for problem in races.problems)


TIMED = """\
import net.ether;
module timed {
  u32 last;
  control u32 frames() { return last; }
  drop_reason slow;
  drop_reason fast;
  ppf go { in ether_pkt * in_cc; }
  wiring { rx -> go.in_cc; }
}
timed.go.ppf(ether_pkt * ph) {
  u32 passed = timestamp() - last;
  last = last + passed;
  // Half a millisecond, in units of 16 cycles.
  if (passed > 18750) {
    packet_drop(ph, slow);
    return;
  }
  packet_drop(ph, fast);
}
"""


@pytest.mark.parametrize("where", ["x86", "base"])
def test_time_passes_alike_on_both_engines(
    where: str, tmp_path: Path, built_tools: None
) -> None:
    (tmp_path / "timed.baker").write_text(TIMED)
    path = tmp_path / "timed.packets"
    path.write_text(
        "".join(
            f"send 0 {FRAME}\n  drop {reason}\n{wait}\n"
            for reason, wait in [("fast", "wait 1ms"), ("slow", ""), ("fast", "")]
        )
    )
    assert run_test(read_test(path), where, tmp_path) == []


@pytest.mark.parametrize("where", ["x86", "base"])
def test_a_wrong_call_is_placed_in_the_test(
    where: str, tmp_path: Path, built_tools: None
) -> None:
    (tmp_path / "timed.baker").write_text(TIMED)
    path = tmp_path / "timed.packets"
    path.write_text(f"send 0 {FRAME}\nvalue frames() = 1\ncontrol frames(3)\n")
    with pytest.raises(InputError, match=rf"{path}:3: error: .*argument"):
        run_test(read_test(path), where, tmp_path)


BATCHED = """\
protocol p { head : 112; k : 8; v : 8; demux { 16 }; }
module m {
  table t { key { u8 k; } value { u8 v; } size 4; }
  drop_reason one;
  drop_reason other;
  ppf go { in p_pkt * in_cc; }
  wiring { rx -> go.in_cc; }
}
m.go.ppf(p_pkt * ph) {
  if (t.find(ph->k)->v == 1) { packet_drop(ph, one); return; }
  packet_drop(ph, other);
}
"""


@pytest.mark.parametrize("where", ["x86", "base"])
def test_a_batch_is_made_as_one(where: str, tmp_path: Path, built_tools: None) -> None:
    """Before the traffic, between frames and after them; a refused call is placed."""
    (tmp_path / "t.baker").write_text(BATCHED)
    path = tmp_path / "t.packets"
    send = f"send 0 {FRAME}\n"
    text = (
        "begin\ncontrol t.add(0, 2)\ncontrol t.change(0, v: 1)\ncommit\n"
        f"{send}drop one\n"
        "begin\ncontrol t.clear()\ncontrol t.add(0, 3)\ncommit\n"
        f"{send}drop other\nbegin\ncontrol t.remove(0)\ncommit\n"
        "value t.count() = 0\n"
    )
    path.write_text(text)
    assert run_test(read_test(path), where, tmp_path) == []
    path.write_text(text.replace("add(0, 3)", "add(0, 3)\ncontrol t.add(0, 4)"))
    with pytest.raises(InputError, match=rf"{path}:10: error: .*entry with this key"):
        run_test(read_test(path), where, tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("begin\ncontrol a()\n", 1, "no 'commit'"),
        ("control a()\ncommit\n", 2, "no 'begin' before"),
        ("begin\nsend 0 Ether()\n", 2, "'send' cannot be in it"),
        ("begin\nbegin\n", 2, "'begin' cannot be in it"),
        ("begin now\n", 1, "stands alone"),
    ],
)
def test_what_is_no_batch(text: str, line: int, why: str, tmp_path: Path) -> None:
    path = tmp_path / "t.packets"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_test(path)
    assert raised.value.line == line and why in str(raised.value)


def test_an_unreadable_test_ends_with_status_1(tmp_path: Path) -> None:
    path = tmp_path / "none.packets"
    done = subprocess.run(
        ["python3", "-m", "npftrace", "packets", str(path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "[E-traces-150]" in done.stderr
