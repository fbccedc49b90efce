"""Packet tests: reading, comparing, and the messages about errors."""

import subprocess
from pathlib import Path

import pytest

from npftrace.errors import InputError
from npftrace.frames.capture import Frame
from npftrace.runs.packet_tests import PacketTest, _compare, _control_file, read_test

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


def test_values_are_compared_at_the_end(tmp_path: Path) -> None:
    test = write(tmp_path, f"send 0 {FRAME}\nvalue m.seen(1) = 2\nvalue lost() = 0\n")
    assert _control_file(test, by_packet=True) == "@end m.seen(1)\n@end lost()\n"
    values = [{"value": value} for value in (7, 3, 0)]
    assert _compare(test, [], {"control": {"values": values}}) == [
        f"{test.path}:2: m.seen(1) returns 3, not 2"
    ]


def test_an_unreadable_test_ends_with_status_1(tmp_path: Path) -> None:
    path = tmp_path / "none.packets"
    done = subprocess.run(
        ["python3", "-m", "npftrace", "packets", str(path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "[E-traces-150]" in done.stderr
