"""`npftrace grade`: limits, isolation, expectations, and the forms of its results."""

from __future__ import annotations

import json
import re
import shutil
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import npftrace
from npftrace.errors import InputError
from npftrace.frames.capture import Frame, write_capture
from npftrace.grade.command import grade_all
from npftrace.grade.expectations import check
from npftrace.grade.grader import grade
from npftrace.grade.lab import find_lab, read_lab
from npftrace.grade.limits import Limits, Outcome, reason_of
from npftrace.grade.report import as_csv
from npftrace.grade.sandbox import Sandbox
from npftrace.grade.workbench import submitted, why_failed
from testkit.paths import BUILD
from testkit.tools import run_npftrace

SMALL = Limits(cpu_seconds=1, wall_seconds=10, memory_mib=256, disk_mib=4, processes=16)

apart = pytest.mark.skipif(
    BUILD.name == "build-sanitize",
    reason="grading limits address space, which sanitizers reserve",
)


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox(limits=SMALL)


def shell(sandbox: Sandbox, script: str, limits: Limits | None = None) -> Outcome:
    return sandbox.run(["bash", "-c", script], {"mine.txt": b"mine\n"}, limits)


@apart
def test_a_command_reads_its_inputs_and_leaves_its_outputs(sandbox: Sandbox) -> None:
    script = "cat mine.txt; cp mine.txt yours.txt; echo no >&2; exit"
    found = shell(sandbox, script)
    assert (found.status, found.printed, found.complained) == (0, "mine\n", "no\n")
    assert found.files == {"yours.txt": b"mine\n"}
    failed = shell(sandbox, f"{script} 3")
    assert (failed.status, failed.printed, failed.files) == (3, "mine\n", {})


@apart
def test_a_script_imports_the_grader_and_fails_the_same_twice(sandbox: Sandbox) -> None:
    script = b"import npftrace\nprint(npftrace.__file__)\nmissing\n"
    # Two runs have two folders.
    one, two = (
        sandbox.run(["python3", "it.py", word], {"it.py": script}) for word in "ab"
    )
    assert one.printed == f"{npftrace.__file__}\n"
    assert 'File "it.py", line 3' in one.complained
    assert one.complained == two.complained


@apart
@pytest.mark.parametrize(
    ("script", "ended"),
    [
        ("while :; do :; done", "more than 1 s of processor time"),
        ("yes", "it printed more than 512 KiB"),
        ("head -c 9000000 /dev/zero > big", "more than 4 MiB"),
        ("for i in {1..9}; do head -c 1M /dev/zero > $i; done", "more than 4 MiB"),
    ],
    ids=["loops", "prints-for-ever", "writes-a-large-file", "writes-many-files"],
)
def test_a_limit_ends_a_command(sandbox: Sandbox, script: str, ended: str) -> None:
    found = shell(sandbox, script)
    assert found.status != 0
    assert ended in found.ended


@apart
def test_a_command_that_sleeps_is_ended(sandbox: Sandbox) -> None:
    found = shell(sandbox, "sleep 1000", Limits(wall_seconds=1))
    assert "within 1 s" in found.ended


@apart
def test_memory_is_limited(sandbox: Sandbox) -> None:
    words = ["python3", "-c", "print(len(bytes(1 << 30)))"]
    assert "MemoryError" in sandbox.run(words, {}).complained


FORKS = """
import os, time
try:
    for _ in range(99):
        if os.fork() == 0:
            time.sleep(1000)
except BlockingIOError:
    print("no more")
"""


@apart
def test_processes_are_limited_and_end_with_the_command(sandbox: Sandbox) -> None:
    found = sandbox.run(["python3", "-c", FORKS], {})
    assert (found.status, found.printed, found.ended) == (0, "no more\n", "")


@apart
def test_the_rest_of_the_computer_is_out_of_reach(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("other work")
    secret.chmod(0o644)
    assert shell(sandbox, f"cat {secret}").status != 0
    for place in ("/usr", "/etc", "/", str(Path(__file__).parents[3])):
        assert shell(sandbox, f"touch {place}/x").status != 0
        mounts = shell(sandbox, "cat /proc/self/mountinfo").printed
        assert not re.search(rf" {place} rw", mounts)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connected = shell(sandbox, f"exec 3<>/dev/tcp/127.0.0.1/{port}")
    assert connected.status != 0
    assert shell(sandbox, "ps -e -o comm= | grep -c python").printed == "0\n"


@apart
def test_solutions_are_out_of_reach(sandbox: Sandbox) -> None:
    labs = Path(__file__).parents[3] / "labs"
    assert any(labs.glob("*/teacher"))
    assert shell(sandbox, f"ls -A {labs} | wc -l").printed.strip() == "0"


@apart
def test_the_same_command_runs_once(sandbox: Sandbox) -> None:
    script = "date +%N"
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: shell(sandbox, script), range(4)))
    assert all(one is found[0] for one in found)


def test_large_results_are_not_kept() -> None:
    sandbox = Sandbox("none")
    for mib, is_kept in ((1, True), (9, False)):
        script = f"head -c {mib}M /dev/zero > big"
        one, two = shell(sandbox, script), shell(sandbox, script)
        assert len(one.files["big"]) == len(two.files["big"]) == mib << 20
        assert (one is two) == is_kept


def test_a_signal_is_told_by_what_it_means() -> None:
    assert reason_of(3, SMALL) == ""
    assert "processor time" in reason_of(128 + 24, SMALL)
    assert "4 MiB" in reason_of(128 + 25, SMALL)
    assert "SIGSEGV" in reason_of(128 + 11, SMALL)
    many = "\n".join(f"error {n}" for n in range(40))
    said = why_failed("bakerc", Outcome(1, "", many))
    assert said.startswith("bakerc: exit status 1\n  error 0\n")
    # Compilers name the first error in the first line, Python in the last.
    assert said.endswith("  … 28 more lines\n  error 37\n  error 38\n  error 39")


FILES = {
    "s.json": b'{"rate": {"gbps": 2.0}, "engines": [{"id": 4}], "none": null}',
    "a.yaml": b"answer: Memory\nrows: {3: 7}\nlist: [1]\n",
    "bad.yaml": b"a: [",
    "text.txt": b"one\ntwo 2\n",
}


@pytest.mark.parametrize(
    ("expected", "share", "evidence"),
    [
        ({"value": "s.json:rate.gbps", "at_least": 2}, 1, "2, asked: at least 2"),
        ({"value": "s.json:rate.gbps", "at_most": 1.5}, 0, "asked: at most 1.5"),
        ({"value": "s.json:engines.0.id", "equals": 4}, 1, "exactly 4"),
        ({"value": "a.yaml:rows.3", "near": 7.3, "within": 0.05}, 1, "within 5%"),
        ({"value": "a.yaml:rows.3", "near": 7.6, "within": 0.05}, 0, "within 5%"),
        ({"value": "a.yaml:answer", "equals": "memory"}, 1, "memory"),
        ({"value": "a.yaml:answer", "equals": "engine"}, 0, "which is wrong"),
        ({"value": 3, "tiers": {2: 1, 4: 0.5}}, 0.5, "asked: at most 2"),
        ({"value": 9, "tiers": {2: 1, 4: 0.5}}, 0, "asked: at most 2"),
        (
            {"value": 1.9, "at_least": {"times": 0.9, "of": "s.json:rate.gbps"}},
            1,
            "at least 1.8",
        ),
        ({"value": {"sum": [1, "a.yaml:rows.3"]}, "equals": 8}, 1, "exactly 8"),
        ({"value": {"over": [9, 0]}, "at_most": 8}, 0, "not a number"),
        ({"matches": "text.txt", "pattern": r"^two \d"}, 1, "yes"),
        ({"matches": "text.txt", "pattern": "three"}, 0, "no"),
        ({"value": "s.json:rate.mpps", "at_least": 1}, 0, "s.json has no rate.mpps"),
        ({"value": "s.json:none", "at_least": 1}, 0, "no answer for none"),
        ({"value": "a.yaml:answer", "at_least": 1}, 0, "'Memory' is not a number"),
        ({"value": "other.json:x", "at_least": 1}, 0, "other.json was not made"),
        ({"value": "bad.yaml:a", "at_least": 1}, 0, "bad.yaml cannot be read"),
        ({"same_frames": ["text.txt", "text.txt"]}, 0, "text.txt"),
    ],
)
def test_expectations(expected: dict[str, Any], share: float, evidence: str) -> None:
    found = check(expected, FILES)
    assert (found.share, evidence in "\n".join(found.evidence)) == (share, True), found


def test_frames_that_differ_are_counted(tmp_path: Path) -> None:
    files = {}
    for name, last, count in (("right", 0, 3), ("differs", 1, 3), ("lacks", 0, 2)):
        path = tmp_path / f"{name}.pcapng"
        data = [bytes([n]) * 60 for n in range(count - 1)] + [bytes([9, last]) * 30]
        write_capture(path, [Frame(0, 0, each) for each in data], 4)
        files[path.name] = path.read_bytes()
    for name, said in (
        ("differs", "3 frames were sent, but 1 differs"),
        ("lacks", "2 frames were sent, 3 should have been"),
    ):
        found = check({"same_frames": [f"{name}.pcapng", "right.pcapng"]}, files)
        assert (found.share, found.evidence[0]) == (0, said)


def test_what_follows_a_must_that_fails_is_left_out(tmp_path: Path) -> None:
    line = (
        "  - title: It is also right\n    points: 1\n    expect:\n"
        '      - {value: "answers.yaml:n", equals: 2, must: true}\n'
        '      - {name: beside it, value: "answers.yaml:n", at_most: 3}\n'
    )
    lab = read_lab(make_lab(tmp_path / "lab", line))
    (found,) = grade_all(lab, [hand_in(tmp_path / "one", "n: 3\n")], Sandbox("none"), 1)
    assert found.points == 4.0
    assert "beside it" not in "\n".join(found.lines[1].evidence)


def make_lab(folder: Path, line: str = "") -> Path:
    (folder / "tests").mkdir(parents=True)
    (folder / "tests" / "limit.json").write_text('{"limit": 3}')
    (folder / "lab.yaml").write_text(
        "title: Tiny\nfiles: [answers.yaml]\nlimits: {cpu_seconds: 5}\nlines:\n"
        "  - title: It is small\n    points: 4\n"
        "    run: [cp answers.yaml copy.yaml]\n"
        '    expect: [{value: "copy.yaml:n", at_most: "limit.json:limit"}]\n' + line
    )
    return folder


def hand_in(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "answers.yaml").write_text(text)
    return folder


def test_progress_goes_on_after_each_line(tmp_path: Path) -> None:
    line = (
        "  - title: It is odd\n    points: 1\n    expect:\n"
        '      - {value: "answers.yaml:n", equals: 3}\n'
    )
    lab = read_lab(make_lab(tmp_path / "lab", line))
    steps: list[int] = []
    folder = hand_in(tmp_path / "one", "n: 3\n")
    found = grade(lab, folder, Sandbox("none"), steps.append)
    assert steps == [1] * len(found.lines) == [1, 1]


@apart
def test_many_submissions_are_graded_in_order(tmp_path: Path) -> None:
    lab = read_lab(make_lab(tmp_path / "lab"))
    folders = [
        hand_in(tmp_path / "all" / f"s{i:02d}", f"n: {i % 5}\n") for i in range(20)
    ]
    grades = grade_all(lab, folders, Sandbox("none"), 4)
    assert [found.submission for found in grades] == [f.name for f in folders]
    assert [found.points for found in grades] == [4.0, 4.0, 4.0, 4.0, 0.0] * 4
    assert as_csv(grades).splitlines()[:2] == [
        "submission,points,It is small,problems",
        "s00,4,4,",
    ]


@apart
def test_results_are_the_same_twice(tmp_path: Path) -> None:
    lab, all_folders = make_lab(tmp_path / "lab"), tmp_path / "all"
    hand_in(all_folders / "good", "n: 3\n")
    hand_in(all_folders / "bad", "n: 4\n")
    (all_folders / "empty").mkdir()
    for out in ("one", "two"):
        run_npftrace(
            "grade", lab, all_folders, "--all", f"--json={tmp_path / out}",
            f"--csv={tmp_path / out}.csv",
        )  # fmt: skip
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / out).iterdir()}
        for out in ("one", "two")
    )
    assert one == two
    assert (tmp_path / "one.csv").read_text() == (
        "submission,points,It is small,problems\n"
        "bad,0,0,\nempty,0,0,answers.yaml is missing\ngood,4,4,\n"
    )
    result = json.loads(one["bad.json"])
    assert result["score"] == 0
    assert result["tests"][0] == {
        "name": "It is small",
        "number": "1",
        "score": 0.0,
        "max_score": 4.0,
        "status": "failed",
        "output": "wrong: copy.yaml:n: 4, asked: at most 3",
        "output_format": "text",
        "visibility": "visible",
    }
    single = run_npftrace("grade", lab, all_folders / "good")
    assert "4/4  It is small" in single.stdout


def test_links_and_large_files_are_not_taken(tmp_path: Path) -> None:
    lab = read_lab(make_lab(tmp_path / "lab"))
    other = hand_in(tmp_path / "other", "n: 1\n")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "answers.yaml").symlink_to(other / "answers.yaml")
    assert submitted(lab, mine) == ({}, ["answers.yaml is missing"])
    large = hand_in(tmp_path / "large", "#" * (2 << 20))
    assert submitted(lab, large) == ({}, ["answers.yaml is larger than 1 MiB"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("  - {title: x, points: 1}\n", "needs title, points, and packets or expect"),
        ("  - {title: x, point: 1}\n", "a line has only expect"),
        ("more: 1\n", "'more' is not one of files, limits, lines, title"),
        ("  - [\n", "cannot be read"),
    ],
)
def test_a_wrong_rubric_is_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_lab(make_lab(tmp_path / "lab", line))
    assert message in str(error.value)
    assert error.value.error_id == "E-traces-181"


def test_a_lab_is_found_by_its_number(tmp_path: Path) -> None:
    lab = make_lab(tmp_path / "07-tiny")
    assert find_lab("7", tmp_path) == lab
    assert find_lab(str(lab), tmp_path) == lab
    for name in ("8", "tiny"):
        with pytest.raises(InputError, match="there is no lab"):
            find_lab(name, tmp_path)


def test_a_computer_without_isolation_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(InputError, match="install bubblewrap"):
        Sandbox()
    with pytest.raises(InputError, match="holds no folders to grade"):
        from npftrace.grade.command import _submissions

        _submissions(tmp_path, True)
