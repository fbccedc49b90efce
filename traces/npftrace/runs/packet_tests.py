"""Runs packet tests on x86 and on the simulator."""

import argparse
import bisect
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import ne
from pathlib import Path
from typing import Any

from npftrace.arguments import between
from npftrace.check.drop_counts import without_module
from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture, write_capture
from npftrace.frames.dissection import differences
from npftrace.frames.flows import summary
from npftrace.runs import orders, packet_file
from npftrace.runs.packet_file import (
    LEAD_NS,
    PORTS,
    Call,
    Expected,
    PacketTest,
    Place,
    read_test,
)

CLOCK_GHZ = 0.6
#: Where a test runs besides the simulator: compiled in process, or ahead of time to
#: an executable.
ON_X86 = ("x86", "exe")


#: Runs a tool; InputError if it fails. Files are named by absolute paths.
CallTool = Callable[..., None]


def _tool(*command: str | Path) -> None:
    """Runs a tool; InputError if it fails."""
    try:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True
        )
    except FileNotFoundError as error:
        message = f"there is no {command[0]} on the PATH: build Karakal first"
        raise InputError("E-traces-152", message) from error
    if done.returncode != 0:
        raise InputError("E-traces-152", f"{command[0]}: {done.stderr.strip()}")


def timed_calls(test: PacketTest) -> list[tuple[Call, bool]]:
    """The calls in the order of the control file's lines, and whether each runs at
    the end, when the last packet has gone."""
    return [(call, call.before == len(test.sent)) for call in test.calls]


def control_file(test: PacketTest, by_packet: bool) -> str:
    """The control file. Calls are timed by packet, or for the simulator, which may
    have a packet in flight then, by a cycle at which no packet is in flight."""
    lines = []
    for call, is_at_end in timed_calls(test):
        if call.is_in_batch:
            when = ""
        elif is_at_end:
            when = "@end "
        elif call.before == 0:
            when = ""
        elif by_packet:
            when = f"@packet {call.before} "
        else:
            when = f"@cycle {_cycle_before(test, call.before)} "
        lines.append(f"{when}{call.text}")
    return "\n".join(lines) + "\n"


def _cycle_before(test: PacketTest, number: int) -> int:
    """The cycle at which calls before a frame begin."""
    return int((test.sent[number].time_ns - LEAD_NS) * CLOCK_GHZ)


def _run_tool(
    test: PacketTest, control: Path, tool: CallTool, *command: str | Path
) -> None:
    """Runs a tool on a test. Its messages about lines of the control file name the
    lines of the test."""
    places = [call.place for call, _ in timed_calls(test)]

    def place(match: re.Match[str]) -> str:
        return f"{places[int(match[1]) - 1]}:"

    try:
        tool(*command)
    except InputError as error:
        message = re.sub(rf"{re.escape(str(control))}:(\d+):", place, error.args[0])
        raise InputError(error.error_id, message) from error


def _image_of(program: Path, level: str, images: Path, tool: CallTool) -> Path:
    """The program compiled for a level, once for all of its tests."""
    image = images / f"{program.stem}.{level}.ixp"
    if not image.exists():
        report = f"--report={image.with_suffix('.json')}"
        tool("bakerc", program, f"--level={level}", report, "-o", image)
    return image


def _executable_of(program: Path, images: Path, tool: CallTool) -> Path:
    """The program as an executable, made once for all of its tests. Packets run in
    stages together."""
    made = images / f"{program.stem}.exe"
    if not made.exists():
        stages = ("--burst=8", "--sub-batch=8", "--cut-seed=1")
        tool("bakerc", "--target=x86", "--emit=exe", program, *stages, "-o", made)
    return made


def _engines_of(image: Path) -> int:
    """The fewest engines that the image can use: one per aggregate."""
    return len(json.loads(image.with_suffix(".json").read_text())["aggregates"])


def run_test(
    test: PacketTest,
    where: str,
    images: Path,
    tool: CallTool = _tool,
    one_by_one: bool = True,
) -> list[str]:
    """Runs a test on `x86`, as an executable (`exe`) or, compiled for the level
    `where`, on the simulator; returns its problems. Compiled programs are cached in
    the folder `images`, and `tool` runs the tools. The simulator uses one context of
    each aggregate, or all contexts and engines."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace, control = folder / "in.pcapng", folder / "control.txt"
        out, stats = folder / "out.pcapng", folder / "stats.json"
        write_capture(trace, test.sent, PORTS)
        control.write_text(control_file(test, where in ON_X86))
        run = [f"--out={out}", f"--stats={stats}"]
        if test.calls:
            run.append(f"--control={control}")
        if where == "exe":
            made = _executable_of(test.program, images, tool)
            _run_tool(test, control, tool, made, trace, *run)
            found = read_capture(out, PORTS, allow_empty=True).frames
            return _compare(test, found, json.loads(stats.read_text()))
        run.append(f"--trace={trace}")
        if where == "x86":
            _run_tool(test, control, tool, "bakerc", test.program, "--run", *run)
        else:
            image = _image_of(test.program, where, images, tool)
            run += ["--quiet", "--trace-times"]
            if one_by_one:
                run += [f"--mes={_engines_of(image)}", "--threads=1"]
            _run_tool(test, control, tool, "ixpsim", image, *run)
        found = read_capture(out, PORTS, allow_empty=True).frames
        return _compare(test, found, json.loads(stats.read_text()))


@dataclass
class Races:
    """What many orders of arrival showed."""

    #: The problems of each order that only contexts at work together have.
    problems: list[str] = field(default_factory=list)
    races: int = 0
    #: Orders in which the test is wrong on x86 too.
    other_outcomes: int = 0


def find_races(
    test: PacketTest,
    where: str,
    images: Path,
    count: int,
    seed: int,
    tool: CallTool = _tool,
) -> Races:
    """Runs a test in `count` orders of arrival on all contexts."""
    races = Races()
    for order in orders.orders(test, count, seed):
        ordered = orders.in_order(test, order, seed)
        problems = run_test(ordered, where, images, tool, one_by_one=False)
        if problems and run_test(ordered, "x86", images, tool):
            races.other_outcomes += 1
        elif problems:
            races.races += 1
            lines = [str(ordered.send_places[0].path)] + [
                str(place.line) for place in ordered.send_places
            ]
            races.problems.append(f"frames of {lines[0]} by line: {lines[1:]}")
            races.problems += problems
    return races


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
        what = f"not sent by port {want.port}: {summary(want.data)}"
        problems.append(f"{want.place}: {what}")
        near = _nearest(want, unexplained)
        if near:
            problems += [f"  {line}" for line in differences(want.data, near)]
    for port, data in unexplained:
        place = _cause(test, found, port, data)
        problems.append(f"{place}: not expected by port {port}: {summary(data)}")
    return problems + _compare_drops(test, stats) + _compare_values(test, stats)


def _cause(test: PacketTest, found: list[Frame], port: int, data: bytes) -> Place:
    """The place of the last `send` before a frame that left."""
    left = max(f.time_ns for f in found if (f.port, f.data) == (port, data))
    times = [frame.time_ns for frame in test.sent]
    return test.send_places[max(0, bisect.bisect_right(times, left) - 1)]


def _compare_drops(test: PacketTest, stats: dict[str, Any]) -> list[str]:
    """Drops are compared by reason. A test may leave out the module's name."""
    counted: Counter[str] = Counter(stats.get("drops", {}))
    short: Counter[str] = Counter()
    for reason, count in counted.items():
        short[without_module(reason)] += count
    problems, explained = [], Counter[str]()
    last = test.send_places[-1]
    for reason, count in test.drops.items():
        known = counted if reason in counted else short
        place = next(place for name, place in test.drop_places if name == reason)
        if reason not in known:
            declared = ", ".join(sorted(short)) or "none"
            problems.append(
                f"{place}: the program declares no drop reason {reason}; "
                f"declared: {declared}"
            )
        elif known[reason] != count:
            problems.append(
                f"{place}: {known[reason]} dropped as {reason}, not {count}"
            )
        explained[without_module(reason)] += known[reason]
    for reason in sorted(short):
        if short[reason] > explained[reason]:
            extra = short[reason] - explained[reason]
            problems.append(f"{last}: {extra} dropped as {reason}, not 0")
    return problems


def _compare_values(test: PacketTest, stats: dict[str, Any]) -> list[str]:
    results = {
        value["line"]: value["value"]
        for value in stats.get("control", {}).get("values", [])
    }
    problems = []
    for line, (call, _) in enumerate(timed_calls(test), 1):
        if call.result is None:
            continue
        if line not in results:
            problems.append(f"{call.place}: {call.text} returns no value")
        elif results[line] != call.result:
            what = f"returns {results[line]}, not {call.result}"
            problems.append(f"{call.place}: {call.text} {what}")
    return problems


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
        help="where to run, separated by commas: x86, exe (compiled ahead of time), or "
        "a level for the simulator",
    )
    parser.add_argument(
        "--orders",
        type=between(1, 100_000),
        metavar="N",
        help="on the simulator, also let the frames arrive together in N orders at all "
        "contexts, so that races show",
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="of the orders (default: 1)"
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = packet_file.__doc__
    parser.set_defaults(run=run)


def _report(where: str, problems: list[str]) -> None:
    for problem in problems:
        print(f"[{where}] {problem}", file=sys.stderr)


def _run_orders(
    test: PacketTest, where: str, images: Path, args: argparse.Namespace
) -> bool:
    """Looks for races and prints the result; whether there is one."""
    races = find_races(test, where, images, args.orders, args.seed)
    _report(where, races.problems)
    parts = [f"wrong in {races.races}" if races.races else "no race"]
    if races.other_outcomes:
        parts.append(f"{races.other_outcomes} have another outcome by their order")
    verdict = "; ".join(parts)
    print(f"{test.path} on {where}: {args.orders} orders of arrival, {verdict}")
    return races.races > 0


def run(args: argparse.Namespace) -> int:
    """Returns 0 if all tests pass everywhere, else 1."""
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        images = Path(name)
        for path in args.tests:
            test = read_test(path)
            for where in args.on.split(","):
                problems = run_test(test, where, images)
                failures += bool(problems)
                _report(where, problems)
                verdict = "wrong" if problems else "right"
                print(f"{path} on {where}: {len(test.sent)} frames in, {verdict}")
                if args.orders and where not in ON_X86 and not problems:
                    failures += _run_orders(test, where, images, args)
    return 1 if failures else 0
