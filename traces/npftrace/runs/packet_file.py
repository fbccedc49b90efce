"""Reads a packet test: a file of frames to send and frames to expect.

    # A frame to an unknown address is flooded; a known one goes to its port.
    program switch.baker
    let frame = Ether(src="02:00:00:00:00:0a", dst="02:00:00:00:00:0b")
    control port_of(02:00:00:00:00:0b, 2)
    send 0 frame / Raw(b"hello")
      expect 2 frame / Raw(b"hello")
    wait 1ms
    send 1 frame / IP(src="0.0.0.0")
      drop bad_source
    value ports_known() = 0x1

An indented line continues the line above, unless it begins with one of these
words:

    program FILE    the Baker program (default: the test's name with .baker)
    include FILE    the statements of another file
    let NAME = E    names an expression
    control CALL    a call of a control function, before the next `send`
    begin           the `control` lines up to `commit` are a batch: all are made at
    commit          once, or none
    send PORT E     a frame arrives at a port
    wait TIME       time passes before the next `send`: 10us, 1ms, 0.5s
    expect PORT E   a frame leaves by a port
    drop REASON     a packet is dropped for this reason
    value CALL = N  the control function returns N here; N may be hexadecimal

File names are relative to the test's folder. Expressions are those of scapy.
Frames are padded to 60 bytes, as on the wire. A frame that is not expected is an
error. Frames of one port may leave in any order.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from npftrace.errors import InputError
from npftrace.frames.capture import Frame
from npftrace.frames.wire import pad
from npftrace.runs.expressions import ExpressionError, Expressions

PORTS = 4

#: Frames are this far apart: 30,000 cycles of the chip, so that a test can rely on
#: their order.
GAP_NS = 50_000
#: The same where control calls run between two frames. The XScale core works in chip
#: time, so they begin `LEAD_NS` before the second frame.
CONTROL_GAP_NS = 5_000_000
LEAD_NS = 4_000_000
TIME_UNITS_NS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
#: A longer wait would simulate for hours.
WAIT_MAX_NS = 10 * TIME_UNITS_NS["s"]
WORDS = (
    "program", "include", "let", "control", "begin", "commit", "send", "wait", "expect",
    "drop", "value",
)  # fmt: skip
#: What a batch can have.
BATCH_WORDS = ("let", "control", "commit")


@dataclass(frozen=True)
class Place:
    """A line of a test file or of a file that it includes."""

    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass
class Expected:
    """A frame that must leave, and the place of its `expect`."""

    place: Place
    port: int
    data: bytes


@dataclass
class Call:
    """A call of a control function, or the `begin` or `commit` of a batch."""

    place: Place
    #: The number of frames sent before it.
    before: int
    text: str
    #: What a `value` expects; None for a `control`.
    result: int | None = None
    #: Whether it has the time of the `begin` before it.
    is_in_batch: bool = False


@dataclass
class PacketTest:
    """The statements of a test file."""

    path: Path
    program: Path
    calls: list[Call] = field(default_factory=list)
    #: The times are those at which the frames arrive.
    sent: list[Frame] = field(default_factory=list)
    #: The place of each `send`.
    send_places: list[Place] = field(default_factory=list)
    #: The numbers of the frames before which time passes or a call runs.
    barriers: set[int] = field(default_factory=set)
    expected: list[Expected] = field(default_factory=list)
    #: The reason of each `drop` and its place.
    drop_places: list[tuple[str, Place]] = field(default_factory=list)

    @property
    def drops(self) -> Counter[str]:
        return Counter(reason for reason, _ in self.drop_places)


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
        self.expressions = Expressions()
        beside = path.with_suffix(".baker")
        self.test = PacketTest(path, beside if beside.exists() else Path())
        self.place = Place(path, 0)
        self.waited_ns = 0
        #: The place of the `begin` whose `commit` is to come.
        self.batch: Place | None = None

    def fail(self, message: str) -> InputError:
        return InputError("E-traces-151", message, self.place.path, self.place.line)

    def read(self, path: Path) -> None:
        """Executes the statements of a file."""
        for line, statement in _statements(path):
            self.place = Place(path, line)
            word, _, rest = statement.partition(" ")
            if word not in WORDS:
                raise self.fail(f"'{word}' is not one of {', '.join(WORDS)}")
            if self.batch and word not in BATCH_WORDS:
                raise self.fail(
                    f"the batch of line {self.batch.line} has 'control' lines and ends "
                    f"with 'commit'; '{word}' cannot be in it"
                )
            try:
                getattr(self, f"do_{word}")(rest.strip())
            except ExpressionError as error:
                raise self.fail(str(error)) from error

    def do_program(self, rest: str) -> None:
        self.test.program = self.place.path.parent / rest

    def do_include(self, rest: str) -> None:
        if self.place.path != self.test.path:
            raise self.fail("an included file cannot include another")
        self.read(self.place.path.parent / rest)

    def do_let(self, rest: str) -> None:
        name, equals, text = rest.partition("=")
        if not equals or not name.strip().isidentifier():
            raise self.fail("expected 'let NAME = EXPRESSION'")
        self.expressions.names[name.strip()] = self.expressions.value(text.strip())

    def do_control(self, rest: str) -> None:
        self._add_call(rest, is_in_batch=self.batch is not None)

    def do_begin(self, rest: str) -> None:
        if rest:
            raise self.fail("'begin' stands alone in its line")
        self._add_call("begin")
        self.batch = self.place

    def do_commit(self, rest: str) -> None:
        if rest:
            raise self.fail("'commit' stands alone in its line")
        if not self.batch:
            raise self.fail("there is no 'begin' before")
        self._add_call("commit", is_in_batch=True)
        self.batch = None

    def _add_call(self, text: str, is_in_batch: bool = False) -> None:
        before = len(self.test.sent)
        call = Call(self.place, before, text, is_in_batch=is_in_batch)
        self.test.calls.append(call)

    def do_value(self, rest: str) -> None:
        call, _, number = rest.rpartition("=")
        try:
            result = int(number.strip(), 0)
        except ValueError:
            result = None
        if not call.strip() or result is None:
            raise self.fail("expected 'value CALL = NUMBER'")
        before = len(self.test.sent)
        self.test.calls.append(Call(self.place, before, call.strip(), result))

    def do_wait(self, rest: str) -> None:
        time = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(us|ms|s)", rest)
        if not time:
            raise self.fail("expected 'wait TIME', such as 10us, 1ms or 0.5s")
        self.waited_ns += round(float(time[1]) * TIME_UNITS_NS[time[2]])
        if not self.test.sent:
            raise self.fail("time passes from the first 'send' on")
        if self.waited_ns > WAIT_MAX_NS:
            raise self.fail("a test waits ten seconds of the chip's time at most")

    def do_send(self, rest: str) -> None:
        test = self.test
        port, data = self._frame(rest)
        number = len(test.sent)
        has_calls = any(call.before == number for call in test.calls)
        arrival = self.waited_ns
        if number:
            gap = CONTROL_GAP_NS if has_calls else GAP_NS
            arrival += test.sent[-1].time_ns + gap
        if number and (has_calls or self.waited_ns):
            test.barriers.add(number)
        self.waited_ns = 0
        test.sent.append(Frame(arrival, port, data))
        test.send_places.append(self.place)

    def do_expect(self, rest: str) -> None:
        self.test.expected.append(Expected(self.place, *self._frame(rest)))

    def do_drop(self, rest: str) -> None:
        self.test.drop_places.append((rest, self.place))

    def _frame(self, rest: str) -> tuple[int, bytes]:
        port, _, text = rest.partition(" ")
        if not port.isdigit() or int(port) >= PORTS or not text.strip():
            raise self.fail(f"expected a port from 0 to {PORTS - 1} and a frame")
        return int(port), pad(self.expressions.frame(text.strip()))

    def run(self) -> PacketTest:
        test = self.test
        self.read(test.path)
        if self.batch:
            self.place = self.batch
            raise self.fail("the batch has no 'commit'")
        if not test.sent:
            raise self.fail("the test sends no frame")
        if not test.program.name:
            raise self.fail("no program is named: 'program FILE'")
        return test


def read_test(path: Path) -> PacketTest:
    """Reads a test file; InputError if it is wrong."""
    return _Reader(path).run()
