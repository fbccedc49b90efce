"""Submissions that misbehave lose the points of their line, and nothing else: the
other line keeps its points, no process remains, and nothing outside changes."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from npftrace.grade.grader import Grade, grade
from npftrace.grade.lab import Lab, read_lab
from npftrace.grade.limits import Limits
from npftrace.grade.report import as_text
from npftrace.grade.sandbox import Sandbox
from npftrace.grade.usage import usage
from testkit.paths import BUILD
from testkit.tools import requires, run_npftrace

LAB = """
title: Hostile
files: [program.py, answers.yaml]
limits: {cpu_seconds: 1, wall_seconds: 60, memory_mib: 256, disk_mib: 4, processes: 12}
lines:
  - title: The answer is right
    points: 4
    run: [cp answers.yaml copy.yaml]
    expect: [{value: "copy.yaml:n", equals: 3}]
  - title: The program works
    points: 3
    run: [python3 program.py > out.txt]
    expect: [{matches: out.txt, pattern: "^done$"}]
"""
#: Names the processes of these tests in the list of all.
MARK = f"npftrace-hostile-{os.getpid()}"

FORKS = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass\n"
SHARES_MEMORY = """
import os, time
for _ in range(5):
    if os.fork() == 0:
        block = bytearray(80 << 20)
        time.sleep(60)
time.sleep(60)
"""
SHARES_TIME = """
import os, time
while True:
    if os.fork() == 0:
        while time.process_time() < 0.4: pass
        os._exit(0)
    os.wait()
"""
STAYS = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for n in range(3): os.close(n)
        time.sleep(60)
    os._exit(0)
os.wait()
raise SystemExit("it goes on")
"""
CONNECTS = """
import socket
reached = []
for family, place in ((2, ("127.0.0.1", PORT)), (1, "\\0MARK"), (1, "SOCKET")):
    try:
        socket.socket(family).connect(place)
        reached.append(place)
    except OSError as error:
        print(error)
if not reached:
    raise SystemExit("nothing was reached")
print("done")
"""
WRITES = """
reached = []
for folder in ("/", "/usr", "/etc", "/in", "OUTSIDE", "/dev", "SOURCE", "BUILD"):
    try:
        open(folder + "/x", "w")
        reached.append(folder)
    except OSError as error:
        print(error)
if not reached:
    raise SystemExit("nothing was reached")
print("done")
"""
KILLS = """
import os
os.kill(OTHER, 9)
print("done")
"""

#: What a program does: its text, and what its student reads.
PROGRAMS = {
    "loops": ("while True: pass", "more than 1 s of processor time"),
    "loops-together": (SHARES_TIME, "more than 1 s of processor time"),
    "forks": (FORKS, "it used more than 1 s of processor time"),
    "stays": (STAYS, "it goes on"),
    "allocates": ("print(len(bytearray(1 << 30)))", "MemoryError"),
    "allocates-together": (SHARES_MEMORY, "more than 256 MiB of memory"),
    "fills-the-disk": (
        "for n in range(99): open(str(n), 'w').write('x' * (1 << 20))",
        "it wrote more than 4 MiB",
    ),
    "makes-a-large-file": (
        "open('x', 'wb').truncate(1 << 40)",
        "File too large",
    ),
    "makes-many-files": (
        "for n in range(12000): open(f'{n:0200}', 'w')",
        "it wrote more than 4 MiB",
    ),
    "prints-for-ever": ("while True: print('y' * 999)", "printed more than 512 KiB"),
    "opens-a-socket": (CONNECTS, "nothing was reached"),
    "writes-outside": (WRITES, "nothing was reached"),
    "kills-others": (KILLS, "No such process"),
}

apart = pytest.mark.skipif(
    BUILD.name == "build-sanitize",
    reason="grading limits address space, which sanitizers reserve",
)


@pytest.fixture(scope="module", params=["bubblewrap", "namespaces"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if not shutil.which({"bubblewrap": "bwrap"}.get(request.param, "unshare")):
        pytest.skip(f"{request.param} is not installed")
    found = Sandbox(request.param)
    if found.run(["true"], {}).status != 0:
        pytest.skip(f"{request.param} does not work here")
    return found


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "lab.yaml").write_text(LAB)
    return read_lab(folder)


def hand_in(folder: Path, program: str) -> Path:
    (folder / "program.py").write_text(f"# {MARK}\n{program}")
    (folder / "answers.yaml").write_text("n: 3\n")
    return folder


def graded(program: str, lab: Lab, sandbox: Sandbox, folder: Path) -> Grade:
    folder.mkdir()
    return grade(lab, hand_in(folder, program), sandbox)


def outside(program: str, folder: Path, port: int) -> str:
    """The program with the places of this computer that it is to reach."""
    places = {
        "PORT": str(port),
        "MARK": MARK,
        "SOCKET": str(folder / "socket"),
        "OUTSIDE": str(folder),
        "OTHER": str(os.getpid()),
        "SOURCE": str(Path(__file__).parents[3]),
        "BUILD": str(BUILD),
    }
    for name, place in places.items():
        program = program.replace(name, place)
    return program


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[int]:
    """Servers that a program must not reach: their port."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as named,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        named.bind(str(tmp_path / "socket"))
        (tmp_path / "socket").chmod(0o777)
        abstract.bind(f"\0{MARK}")
        for each in (named, abstract):
            each.listen()
        yield server.getsockname()[1]


@apart
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_costs_its_points_only(
    name: str, lab: Lab, sandbox: Sandbox, tmp_path: Path, listeners: int
) -> None:
    tmp_path.chmod(0o777)
    program, says = PROGRAMS[name]
    before = set(tmp_path.iterdir())
    found = graded(
        outside(program, tmp_path, listeners), lab, sandbox, tmp_path / "mine"
    )
    text = as_text(found)
    assert [line.points for line in found.lines] == [4.0, 0.0], text
    assert says in text
    assert not descendants()
    assert set(tmp_path.iterdir()) - before == {tmp_path / "mine"}
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == [
        "answers.yaml",
        "program.py",
    ]


def descendants() -> list[str]:
    """The commands that this process has started and that still run."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [word for path in tasks for word in path.read_text().split()]


@apart
def test_a_program_that_works_gets_its_points(
    lab: Lab, sandbox: Sandbox, tmp_path: Path
) -> None:
    found = graded("print('done')", lab, sandbox, tmp_path / "mine")
    assert found.points == 7, as_text(found)


@apart
@requires("bakerc")
def test_the_tools_run(sandbox: Sandbox) -> None:
    found = sandbox.run(["bakerc", "--help"], {}, Limits())
    assert found.status == 0, found.complained


@apart
def test_neighbours_keep_their_points(
    lab: Lab, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Graded at the same time as programs that loop, fork, fill and print."""
    bad = ("loops", "forks", "fills-the-disk", "prints-for-ever")
    programs = {name: PROGRAMS[name][0] for name in bad}
    programs |= {f"works-{n}": f"print('done')  # {n}" for n in range(8)}
    for name, program in programs.items():
        (tmp_path / "all" / name).mkdir(parents=True)
        hand_in(tmp_path / "all" / name, program)
    run_npftrace(
        "grade", lab.folder, tmp_path / "all", "--all", "--jobs=4",
        f"--isolation={sandbox.method}", f"--csv={tmp_path / 'points.csv'}",
    )  # fmt: skip
    rows = (tmp_path / "points.csv").read_text().splitlines()
    assert rows == [
        "submission,points,The answer is right,The program works,problems",
        *(f"{name},4,4,0," for name in sorted(bad)),
        *(f"works-{n},7,4,3," for n in range(8)),
    ]


def test_use_is_added_up() -> None:
    """A child of a child counts; the bound of `allocates-together` needs it."""
    script = "block = bytearray(64 << 20); print(flush=True); input()"
    words = ["sh", "-c", f"python3 -c '{script}'; true"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe) as process:
        assert process.stdout and process.stdout.readline() == b"\n"
        found = usage(process.pid)
        process.communicate(b"\n")
    assert found.memory_bytes > 64 << 20
    assert found.cpu_seconds > 0
    assert usage(process.pid).memory_bytes == 0
