"""`bakerc --target=x86`: the library sends the frames of `bakerc --run`."""

from __future__ import annotations

import ctypes
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture
from npftrace.tables.control import Call, read_control
from testkit.applications import SOURCES
from testkit.paths import ROOT
from testkit.runs import run_on_x86
from testkit.tools import requires, run
from testkit.workloads import PORTS, exceptional_workload

pytestmark = requires("bakerc")
BURST = 24
FRAMES_MAX = 4096


class CFrame(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.POINTER(ctypes.c_uint8)),
        ("bytes", ctypes.c_uint32),
        ("port", ctypes.c_uint32),
        ("time_ns", ctypes.c_uint64),
    )


class Counts(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint64)
        for name in (
            "received", "forwarded", "dropped", "consumed", "copied", "transmitted",
            "oversize", "no_buffer",
        )
    )  # fmt: skip


def build(source: Path, folder: Path, compiler: str = "cc") -> tuple[Path, Path]:
    """The object of a program as a shared library, and its header."""
    made, header = folder / "program.o", folder / "program.h"
    library = folder / "program.so"
    run("bakerc", "--target=x86", source, "-o", made)
    run("bakerc", "--target=x86", "--emit=header", source, "-o", header)
    subprocess.run([compiler, "-shared", made, "-o", library], check=True)
    return library, header


class Program:
    """A loaded library."""

    def __init__(self, name: str, library: Path, header: Path) -> None:
        self.name = name
        self.loaded = ctypes.CDLL(str(library))
        self.functions = re.findall(r"^uint32_t (\w+)\(", header.read_text(), re.M)
        self.call("init")

    def call(self, function: str, *arguments: object) -> int:
        return int(getattr(self.loaded, f"{self.name}_{function}")(*arguments))

    def control(self, call: Call) -> None:
        """Makes a call of a control file, which must not be refused."""
        ending = "_" + call.function.replace(".", "_")
        (function,) = [name for name in self.functions if name.endswith(ending)]
        arguments = [ctypes.c_uint64(value) for value in call.args]
        assert getattr(self.loaded, function)(*arguments) == 0, call

    def batch(self, frames: list[Frame]) -> list[Frame]:
        given = (CFrame * len(frames))()
        for at, frame in zip(given, frames, strict=True):
            data = (ctypes.c_uint8 * len(frame.data)).from_buffer_copy(frame.data)
            at.data = ctypes.cast(data, ctypes.POINTER(ctypes.c_uint8))
            at.bytes, at.port = len(frame.data), frame.port
            at.time_ns = frame.time_ns
        sent = (CFrame * FRAMES_MAX)()
        count = self.call("batch", given, len(frames), sent)
        return [
            Frame(at.time_ns, at.port, ctypes.string_at(at.data, at.bytes))
            for at in sent[:count]
        ]

    def counts(self) -> dict[str, int]:
        counts = Counts()
        self.call("statistics", ctypes.byref(counts))
        return {name: getattr(counts, name) for name, _ in Counts._fields_}

    def drops(self) -> dict[str, int]:
        name, count = (
            getattr(self.loaded, f"{self.name}_drop_{what}")
            for what in ("name", "count")
        )
        name.restype, count.restype = ctypes.c_char_p, ctypes.c_uint64
        reasons = range(self.call("drop_reason_count"))
        return {name(reason).decode(): count(reason) for reason in reasons}


def test_a_packet_for_no_port_is_dropped(tmp_path: Path) -> None:
    source = ROOT / "tests/packets/language/ports.baker"
    program = Program("ports", *build(source, tmp_path))
    frames = [
        Frame(0, 0, bytes(12) + kind.to_bytes(2, "big") + bytes(46))
        for kind in (3, 4, 0x80, 0x101, 0xFF)
    ]
    assert [f.port for f in program.batch(frames)] == [3, 1]
    counts = program.counts()
    assert (counts["received"], counts["forwarded"], counts["dropped"]) == (5, 2, 3)
    assert program.drops()["no_port"] == 3


def bursts(frames: list[Frame]) -> Iterator[list[Frame]]:
    for start in range(0, len(frames), BURST):
        yield frames[start : start + BURST]


@pytest.mark.parametrize("app", SOURCES)
def test_the_library_agrees_with_a_run(app: str, tmp_path: Path) -> None:
    load = exceptional_workload(app, tmp_path, 2000)
    out, stats = run_on_x86(SOURCES[app], load, tmp_path)
    library, header = build(SOURCES[app], tmp_path)
    program = Program(app.replace("-", "_"), library, header)
    for call in read_control(load.control):
        program.control(call)
    sent: list[Frame] = []
    for burst in bursts(read_capture(load.trace, PORTS).frames):
        sent += program.batch(burst)
    expected = read_capture(out, PORTS).frames
    assert [(f.port, f.data) for f in sent] == [(f.port, f.data) for f in expected]
    counts = program.counts()
    for key in ("received", "forwarded", "dropped", "consumed", "transmitted"):
        assert counts[key] == stats["packets"][key], key
    assert program.drops() == stats["drops"]


LEVELS = """
#include "mpls.h"
int main(void) {
  mpls_init();
  unsigned used = mpls_use_level(9);
  unsigned known = __builtin_cpu_supports("x86-64-v4")   ? 4
                   : __builtin_cpu_supports("x86-64-v3") ? 3
                                                         : 2;
  return used == known && mpls_use_level(0) == 2 && mpls_use_level(2) == 2
             ? (int)used
             : 1;
}
"""


def newer_instructions(made: Path) -> dict[str, int]:
    """How many instructions of x86-64-v3 an object has in functions for each level,
    by the ends of their names: nothing for x86-64-v2."""
    counts = {"": 0, ".v3": 0, ".v4": 0}
    text = subprocess.run(
        ["objdump", "-d", made], capture_output=True, text=True, check=True
    ).stdout
    for name, code in re.findall(r"^[0-9a-f]+ <(\S+)>:\n((?:.+\n)*)", text, re.M):
        level = name[-3:] if name.endswith((".v3", ".v4")) else ""
        counts[level] += len(
            re.findall(r"\b(?:movbe|bzhi|rorx|shlx|shrx|sarx|andn)\b", code)
        )
    return counts


def test_the_code_is_that_of_the_processor(tmp_path: Path) -> None:
    """`init` takes the level that the C compiler's own library finds; code for
    each level sends the same frames."""
    load = exceptional_workload("mpls", tmp_path, 1000)
    library, header = build(SOURCES["mpls"], tmp_path)
    header.rename(tmp_path / "mpls.h")
    main, program = tmp_path / "main.c", tmp_path / "levels"
    main.write_text(LEVELS)
    subprocess.run(["cc", main, tmp_path / "program.o", "-o", program], check=True)
    best = subprocess.run([program]).returncode
    assert best in {2, 3, 4}
    uses = newer_instructions(tmp_path / "program.o")
    assert uses[""] == 0
    assert min(uses[".v3"], uses[".v4"]) > 5
    frames = read_capture(load.trace, PORTS).frames
    sent = []
    for level in range(2, best + 1):
        mpls = Program("mpls", library, tmp_path / "mpls.h")
        assert mpls.call("use_level", level) == level
        for call in read_control(load.control):
            mpls.control(call)
        sent.append([frame for burst in bursts(frames) for frame in mpls.batch(burst)])
    assert sent[0]
    assert all(each == sent[0] for each in sent)


def test_frames_beyond_the_limits(tmp_path: Path) -> None:
    program = Program("mpls", *build(SOURCES["mpls"], tmp_path))
    short, longest, too_long = (Frame(0, 0, bytes(n)) for n in (20, 1522, 1523))
    program.batch([short, longest, too_long])
    counts = program.counts()
    assert (counts["received"], counts["oversize"]) == (2, 1)


def test_the_object_is_the_same_each_time(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one.o", "other.o")]
    for path in paths:
        run("bakerc", "--target=x86", SOURCES["mpls"], "-o", path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_two_programs_link_into_one(tmp_path: Path) -> None:
    objects = []
    for app in ("mpls", "firewall"):
        objects.append(tmp_path / f"{app}.o")
        run("bakerc", "--target=x86", SOURCES[app], "-o", objects[-1])
    library = tmp_path / "both.so"
    subprocess.run(["cc", "-shared", *objects, "-o", library], check=True)
    both = ctypes.CDLL(str(library))
    both.mpls_init()
    both.firewall_init()
    assert both.mpls_drop_reason_count() != both.firewall_drop_reason_count()


@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_header_is_for_c_and_cpp(language: str, tmp_path: Path) -> None:
    header = tmp_path / "l3_switch.h"
    run(
        "bakerc", "--target=x86", "--emit=header", SOURCES["l3-switch"], "-o", header
    )  # fmt: skip
    subprocess.run(
        ["cc", "-x", language, "-Wall", "-Wextra", "-Werror", "-pedantic",
         "-fsyntax-only", header],
        check=True,
    )  # fmt: skip


WORDS = """
protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }
module delete {
  u32 sum;
  ppf p { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> p.in_cc; p.out_cc -> tx; }
  control u32 register(u32 class, u8 new, bool template, u64 auto, u32 uint8_t) {
    sum += class + (u32)new + (template ? 1 : 0) + (u32)auto + uint8_t;
    return sum;
  }
  control u32 typename(u32 this, u32 this_, u32 double, u32 unix) {
    return this + 2 * this_ + 4 * double + 8 * unix;
  }
}
module set { control u32 time(u32 volatile) { return volatile; } }
delete.p.ppf(ether_pkt * ph) { channel_put(out_cc, ph); }
"""
USES_WORDS = """
#include "words.h"
int main(void) {
  words_init();
  return words_delete_register(1, 2, true, 3, 4) == 11 &&
         words_delete_typename(1, 2, 3, 4) == 49 && words_set_time_(7) == 7 &&
         words_set_time(5) == UINT64_MAX ? 0 : 1;
}
"""


@pytest.mark.parametrize("language", ["c", "c++"])
def test_words_of_c_and_cpp_are_names(language: str, tmp_path: Path) -> None:
    """Parameters and functions may have names that are keywords, types or macros."""
    source, main = tmp_path / "words.baker", tmp_path / "main.c"
    source.write_text(WORDS)
    main.write_text(USES_WORDS)
    made = tmp_path / "words.o"
    run("bakerc", "--target=x86", source, "-o", made)
    header = tmp_path / "words.h"
    run("bakerc", "--target=x86", "--emit=header", source, "-o", header)
    compiled, program = tmp_path / "main.o", tmp_path / "main"
    subprocess.run(
        ["cc", "-x", language, "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", main,
         "-o", compiled],
        check=True,
    )  # fmt: skip
    subprocess.run(["cc", compiled, made, "-o", program], check=True)
    assert subprocess.run([program]).returncode == 0
    assert "uint32_t class_, uint8_t new_, bool template_" in header.read_text()


MILLISECOND = 1_000_000


def test_timers_run_by_the_clock_of_the_host(tmp_path: Path) -> None:
    source = ROOT / "apps/examples/neighbours/neighbours.baker"
    program = Program("neighbours", *build(source, tmp_path))
    set_time = program.loaded.neighbours_set_time
    set_time.restype = ctypes.c_uint64
    start = 1_700_000_000 * 1000 * MILLISECOND

    def at(milliseconds: int) -> int:
        """Milliseconds from the start to the next timer, after it is told."""
        due = set_time(ctypes.c_uint64(start + milliseconds * MILLISECOND))
        return (due - start) // MILLISECOND

    for port in (0, 1):
        mac = ctypes.c_uint64(0x020000000001 + port)
        assert program.loaded.neighbours_neighbours_use(port, port + 1, mac) == 0
    # Every 10 ms a hello leaves by each of two ports.
    assert at(0) == 10
    assert at(9) == 10
    assert program.batch([]) == []
    assert at(10) == 20
    assert [frame.port for frame in program.batch([])] == [0, 1]
    # Late: once instead of three times, and then in step again.
    assert at(45) == 50
    sent = program.batch([])
    assert [(frame.port, frame.time_ns - start) for frame in sent] == [
        (0, 45 * MILLISECOND),
        (1, 45 * MILLISECOND),
    ]
    assert at(49) == 50
    assert program.batch([]) == []
    program.call("init")
    assert at(70) == 80


def test_options_that_do_not_fit_are_errors() -> None:
    source = SOURCES["mpls"]
    for options, message in (
        (["--emit=obj"], "--emit=obj, header and exe need --target=x86"),
        (["--target=x86", "--emit=asm"], "emits ast, baker, obj, header or exe"),
        (["--target=x86", "--mes=2"], "--mes and --mapping are for chips"),
        (["--target=x86", "--run", "--trace=x"], "--run runs on this computer"),
    ):
        assert message in run("bakerc", source, *options, status=2).stderr


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    missing = tmp_path / "no-such-folder" / "x.o"
    done = run("bakerc", "--target=x86", SOURCES["mpls"], "-o", missing, status=1)
    assert "E-support-002" in done.stderr
    assert not missing.exists()


COPIES = """
protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }
module m {
  ppf p { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> p.in_cc; p.out_cc -> tx; }
}
m.p.ppf(ether_pkt * ph) {
  for (u32 i = 0; i < 5000; i++) {
    ether_pkt * copy = packet_copy(ph);
    channel_put(out_cc, copy);
  }
  channel_put(out_cc, ph);
}
"""
ONE_FRAME = """
#include "copies.h"
int main(void) {
  static const uint8_t bytes[60];
  static copies_frame sent[COPIES_FRAMES_MAX];
  copies_frame frame = {bytes, sizeof bytes, 0, 0};
  copies_init();
  return (int)copies_batch(&frame, 1, sent);
}
"""


def test_a_packet_without_a_buffer_ends_the_process(tmp_path: Path) -> None:
    source, main = tmp_path / "copies.baker", tmp_path / "main.c"
    source.write_text(COPIES)
    main.write_text(ONE_FRAME)
    for form, ending in (("obj", "o"), ("header", "h")):
        made = tmp_path / f"copies.{ending}"
        run("bakerc", "--target=x86", f"--emit={form}", source, "-o", made)
    program = tmp_path / "main"
    subprocess.run(["cc", main, tmp_path / "copies.o", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == -signal.SIGABRT
    assert "no free buffer; 1 for packet_create, 0 for packet_copy" in done.stderr
