"""Packet tests: reading, comparing, and the messages about errors."""

import subprocess
from pathlib import Path

import pytest

from npftrace.errors import InputError
from npftrace.frames.capture import Frame, write_capture
from npftrace.runs.packet_tests import (
    CLOCK_GHZ,
    CONTROL_LEAD,
    CONTROL_RATE_GBPS,
    PORTS,
    PacketTest,
    _compare,
    _nearest,
    control_file,
    read_test,
    run_test,
)

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
    assert test.control == [(0, "a(1)"), (1, "b(2)")]
    assert [(e.line, e.port) for e in test.expected] == [(6, 1)]
    assert test.drops == {"gone": 1}
    assert test.program == tmp_path / "app.baker"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sned 0 Ether()\n", ":1: error: 'sned' is not one of program, include, let"),
        ("send 7 Ether()\n", "expected a port from 0 to 3"),
        ("send 0 Eter()\n", "'Eter()' is not a packet: NameError"),
        ("\nsend 0 open('x')\n", ":2: error: 'open('x')' is not a packet"),
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
    assert "2 dropped as other, not 0" in text
    assert "0 dropped as gone, not 1" in text
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
    assert "expected 02:00:00:00:00:0b, found 03:00:00:00:00:0b" in difference


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
        f"{test.path}: 3 dropped as punt:m.p.gone, not 0"
    ]
    assert _compare(test, [], {"drops": {"m.gone": 1}}) == [
        f"{test.path}: 1 dropped as gone, not 2"
    ]


def test_control_calls_are_timed_by_packet_or_cycle(tmp_path: Path) -> None:
    text = f"control a(1)\nsend 0 {FRAME}\ncontrol b(2)\nsend 0 {FRAME}\n"
    test = write(tmp_path, text)
    assert control_file(test, by_packet=True) == "a(1)\n@packet 1 b(2)\n"
    first, second = control_file(test, by_packet=False).splitlines()
    assert first == "a(1)"
    # 64 bytes with their checksum have arrived, less the lead of the call.
    arrived = int(64 * 8 / CONTROL_RATE_GBPS * CLOCK_GHZ)
    assert second == f"@cycle {arrived - CONTROL_LEAD} b(2)"


def test_values_are_compared_at_the_end(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\nvalue m.seen(1) = 2\nvalue lost() = 0\n")
    assert control_file(test, by_packet=True) == "@end m.seen(1)\n@end lost()\n"
    values = [{"value": value} for value in (7, 3, 0)]
    assert _compare(test, [], {"control": {"values": values}}) == [
        f"{test.path}:2: m.seen(1) returns 3, not 2"
    ]


def test_a_run_that_returns_too_few_values_is_refused(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\nvalue m.seen(1) = 2\nvalue lost() = 0\n")
    with pytest.raises(ValueError, match="shorter"):
        _compare(test, [], {"control": {"values": [{"value": 2}]}})


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


def test_an_unreadable_test_ends_with_status_1(tmp_path: Path) -> None:
    path = tmp_path / "none.packets"
    done = subprocess.run(
        ["python3", "-m", "npftrace", "packets", str(path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "[E-traces-150]" in done.stderr
