"""Packet tests: a file of frames to send and frames to expect.

    # A frame to an unknown address is flooded; a known one goes to its port.
    program switch.baker
    let frame = Ether(src="02:00:00:00:00:0a", dst="02:00:00:00:00:0b")
    control port_of(02:00:00:00:00:0b, 2)
    send 0 frame / Raw(b"hello")
      expect 2 frame / Raw(b"hello")
    send 1 frame / IP(src="0.0.0.0")
      drop bad_source

An indented line continues the line above, unless it begins with one of these
words:

    program FILE    the Baker program (default: the test's name with .baker)
    include FILE    the statements of another file
    let NAME = E    names an expression
    control CALL    a call of a control function, before the next `send`
    send PORT E     a frame arrives at a port
    expect PORT E   a frame leaves by a port
    drop REASON     a packet is dropped for this reason
    value CALL = N  the control function returns N at the end

File names are relative to the test's folder. Expressions are those of scapy.
Frames are padded to 60 bytes, as on the wire. A frame that is not expected is an
error. Frames of one port may leave in any order.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import ne
from pathlib import Path
from typing import Any

from npftrace.check.drop_counts import without_module
from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture, write_capture
from npftrace.frames.fields import differences, summary
from npftrace.frames.wire import CRC_BYTES, pad

PORTS = 4

#: The simulator gets one packet at a time, so that a test can rely on their order.
#: At this rate, frames are over 15,000 cycles apart.
RATE_GBPS = 0.02
#: The same for tests with control calls between frames: three million cycles, because
#: the XScale core works in chip time.
CONTROL_RATE_GBPS = 0.0001
CLOCK_GHZ = 0.6
#: A control call between two frames begins this many cycles before the second.
CONTROL_LEAD = 2_500_000
WORDS = ("program", "include", "let", "control", "send", "expect", "drop", "value")


@dataclass
class Expected:
    """A frame that must leave, and the line of its `expect`."""

    line: int
    port: int
    data: bytes


@dataclass
class PacketTest:
    """The statements of a test file."""

    path: Path
    program: Path
    #: Calls, and the number of frames sent before each.
    control: list[tuple[int, str]] = field(default_factory=list)
    sent: list[Frame] = field(default_factory=list)
    expected: list[Expected] = field(default_factory=list)
    drops: Counter[str] = field(default_factory=Counter)
    #: Line, call and result of each `value`.
    values: list[tuple[int, str, int]] = field(default_factory=list)


def _statements(path: Path) -> list[tuple[int, str]]:
    """The statements of a file and the numbers of their first lines."""
    statements: list[tuple[int, str]] = []
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("E-traces-150", f"cannot be read: {error}", path) from error
    for number, line in enumerate(text.splitlines(), 1):
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        continues = line[0].isspace() and body.split()[0] not in WORDS
        if continues and statements:
            first, before = statements[-1]
            statements[-1] = (first, f"{before} {body}")
        else:
            statements.append((number, body))
    return statements


class _Reader:
    """Executes the statements of a test file."""

    def __init__(self, path: Path) -> None:
        # Scapy takes a second to load, so only packet tests load it.
        from scapy import all as scapy

        self.names: dict[str, Any] = {
            name: value for name, value in vars(scapy).items() if name[0] != "_"
        }
        self.names["__builtins__"] = {"bytes": bytes, "range": range, "len": len}
        self.path = path
        self.test = PacketTest(path, self._program_beside())
        self.line = 0

    def _program_beside(self) -> Path:
        beside = self.path.with_suffix(".baker")
        return beside if beside.exists() else Path()

    def fail(self, message: str) -> InputError:
        return InputError("E-traces-151", message, self.path, self.line)

    def value(self, text: str) -> Any:
        try:
            return eval(text, self.names)  # The notation of scapy is Python.
        except Exception as error:
            what = f"'{text}' is not a packet: {type(error).__name__}: {error}"
            raise self.fail(what) from error

    def frame(self, rest: str) -> tuple[int, bytes]:
        port, _, text = rest.partition(" ")
        if not port.isdigit() or int(port) >= PORTS or not text.strip():
            raise self.fail(f"expected a port from 0 to {PORTS - 1} and a frame")
        return int(port), pad(bytes(self.value(text)))

    def read(self, path: Path) -> None:
        """Executes the statements of a file."""
        test = self.test
        for line, statement in _statements(path):
            self.path, self.line = path, line
            word, _, rest = statement.partition(" ")
            rest = rest.strip()
            if word == "program":
                test.program = path.parent / rest
            elif word == "include":
                if path != test.path:
                    raise self.fail("an included file cannot include another")
                self.read(path.parent / rest)
                self.path = path
            elif word == "let":
                name, equals, text = rest.partition("=")
                if not equals or not name.strip().isidentifier():
                    raise self.fail("expected 'let NAME = EXPRESSION'")
                self.names[name.strip()] = self.value(text.strip())
            elif word == "control":
                test.control.append((len(test.sent), rest))
            elif word == "send":
                port, data = self.frame(rest)
                test.sent.append(Frame(1000 * len(test.sent), port, data))
            elif word == "expect":
                test.expected.append(Expected(self.line, *self.frame(rest)))
            elif word == "drop":
                test.drops[rest] += 1
            elif word == "value":
                call, _, number = rest.rpartition("=")
                if not call.strip() or not number.strip().isdigit():
                    raise self.fail("expected 'value CALL = NUMBER'")
                test.values.append((self.line, call.strip(), int(number)))
            else:
                raise self.fail(f"'{word}' is not one of {', '.join(WORDS)}")

    def run(self) -> PacketTest:
        test = self.test
        self.read(test.path)
        if not test.sent:
            raise self.fail("the test sends no frame")
        if not test.program.name:
            raise self.fail("no program is named: 'program FILE'")
        return test


def read_test(path: Path) -> PacketTest:
    """Reads a test file; InputError if it is wrong."""
    return _Reader(path).run()


#: Runs a tool; InputError if it fails. Files are named by absolute paths.
CallTool = Callable[..., None]


def _tool(*command: str | Path) -> None:
    try:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True
        )
    except FileNotFoundError as error:
        message = f"there is no {command[0]} on the PATH: build Karakal first"
        raise InputError("E-traces-152", message) from error
    if done.returncode != 0:
        raise InputError("E-traces-152", f"{command[0]}: {done.stderr.strip()}")


def control_file(test: PacketTest, by_packet: bool) -> str:
    """The control file. Calls are timed by packet, or for the simulator, which may
    have a packet in flight then, by a cycle at which no packet is in flight."""
    lines = []
    for before, call in test.control:
        bits = sum((len(frame.data) + CRC_BYTES) * 8 for frame in test.sent[:before])
        cycle = int(bits / CONTROL_RATE_GBPS * CLOCK_GHZ) - CONTROL_LEAD
        when = f"@packet {before} " if by_packet else f"@cycle {cycle} "
        lines.append((when if before else "") + call)
    lines += [f"@end {call}" for _, call, _ in test.values]
    return "\n".join(lines) + "\n"


def _image_of(program: Path, level: str, images: Path, tool: CallTool) -> Path:
    """The program compiled for a level, once for all of its tests."""
    image = images / f"{program.stem}.{level}.ixp"
    if not image.exists():
        report = f"--report={image.with_suffix('.json')}"
        tool("bakerc", program, f"--level={level}", report, "-o", image)
    return image


def _engines_of(image: Path) -> int:
    """The fewest engines that the image can use: one per aggregate."""
    return len(json.loads(image.with_suffix(".json").read_text())["aggregates"])


def run_test(
    test: PacketTest, where: str, images: Path, tool: CallTool = _tool
) -> list[str]:
    """Runs a test on `x86` or, compiled for the level `where`, on the simulator;
    returns its problems. Compiled programs are cached in the folder `images`, and
    `tool` runs the tools."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace, control = folder / "in.pcapng", folder / "control.txt"
        out, stats = folder / "out.pcapng", folder / "stats.json"
        write_capture(trace, test.sent, PORTS)
        control.write_text(control_file(test, where == "x86"))
        run = [f"--trace={trace}", f"--out={out}", f"--stats={stats}"]
        if test.control or test.values:
            run.append(f"--control={control}")
        if where == "x86":
            tool("bakerc", test.program, "--run", *run)
        else:
            image = _image_of(test.program, where, images, tool)
            engines = f"--mes={_engines_of(image)}"
            is_timed = any(before for before, _ in test.control)
            rate = CONTROL_RATE_GBPS if is_timed else RATE_GBPS
            slow = ("--quiet", engines, "--threads=1", f"--rate={rate}")
            tool("ixpsim", image, *run, *slow)
        found = read_capture(out, PORTS, allow_empty=True).frames
        return _compare(test, found, json.loads(stats.read_text()))


def _compare(test: PacketTest, found: list[Frame], stats: dict[str, Any]) -> list[str]:
    problems = []
    unexplained = [(frame.port, frame.data) for frame in found]
    missing = []
    for want in test.expected:
        if (want.port, want.data) in unexplained:
            unexplained.remove((want.port, want.data))
        else:
            missing.append(want)
    for want in missing:
        place = f"{test.path}:{want.line}"
        problems.append(f"{place}: not sent by port {want.port}: {summary(want.data)}")
        near = _nearest(want, unexplained)
        if near:
            problems += [f"  {line}" for line in differences(want.data, near)]
    for port, data in unexplained:
        problems.append(f"{test.path}: not expected by port {port}: {summary(data)}")
    drops: Counter[str] = Counter()
    for reason, count in stats.get("drops", {}).items():
        if count:
            drops[without_module(reason)] += count
    for reason in sorted(set(drops) | set(test.drops)):
        if drops[reason] != test.drops[reason]:
            problems.append(
                f"{test.path}: {drops[reason]} dropped as {reason}, "
                f"not {test.drops[reason]}"
            )
    return problems + _compare_values(test, stats)


def _compare_values(test: PacketTest, stats: dict[str, Any]) -> list[str]:
    results = stats["control"]["values"][-len(test.values) :] if test.values else []
    return [
        f"{test.path}:{line}: {call} returns {found['value']}, not {number}"
        for (line, call, number), found in zip(test.values, results, strict=True)
        if found["value"] != number
    ]


def _nearest(want: Expected, sent: list[tuple[int, bytes]]) -> bytes | None:
    """The frame of the same port and length that differs in the fewest bytes."""
    same = [
        data for port, data in sent if port == want.port and len(data) == len(want.data)
    ]
    return min(
        same,
        key=lambda data: sum(map(ne, data, want.data)),
        default=None,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace packets`."""
    parser.add_argument("tests", type=Path, nargs="+", metavar="FILE.packets")
    parser.add_argument(
        "--on",
        default="x86,swc",
        help="where to run, separated by commas: x86, or a level for the simulator",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = __doc__
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Returns 0 if all tests pass everywhere, else 1."""
    failures = 0
    with tempfile.TemporaryDirectory() as images:
        for path in args.tests:
            test = read_test(path)
            for where in args.on.split(","):
                problems = run_test(test, where, Path(images))
                failures += bool(problems)
                for problem in problems:
                    print(f"[{where}] {problem}", file=sys.stderr)
                verdict = "wrong" if problems else "right"
                print(f"{path} on {where}: {len(test.sent)} frames in, {verdict}")
    return 1 if failures else 0
