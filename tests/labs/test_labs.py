"""Every lab: its starter, its solution and typical wrong solutions get the points
and the messages that its teacher expects.

One sandbox serves all submissions of a lab. It runs a command with the same inputs
once, so a wrong solution costs only what differs from the right one.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from labs.figures import figures
from npftrace.grade.grader import Grade, grade
from npftrace.grade.lab import Lab, read_lab
from npftrace.grade.report import as_text
from npftrace.grade.sandbox import Sandbox
from testkit.paths import BUILD, ROOT
from testkit.tools import requires, run_command

LABS = sorted(path.parent for path in (ROOT / "labs").glob("*/lab.yaml"))
#: Of each lab.
POINTS, WRONG_COUNT = 10, 5

pytestmark = [
    requires("bakerc", "baker-opt", "ixpsim", "ixp-as"),
    pytest.mark.skipif(
        BUILD.name == "build-sanitize",
        reason="grading limits address space, which sanitizers reserve",
    ),
]


@dataclass(frozen=True)
class Case:
    """A submission with the points and the text that it must get."""

    lab: Path
    name: str
    edits: tuple[dict[str, str], ...]
    points: float
    says: str

    def files(self, lab: Lab) -> dict[str, str]:
        part = "starter" if self.name == "starter" else "teacher/solution"
        found = {name: (self.lab / part / name).read_text() for name in lab.files}
        for edit in self.edits:
            text = found[edit["file"]]
            assert edit["replace"] in text, f"{self.name}: no '{edit['replace']}'"
            found[edit["file"]] = text.replace(edit["replace"], edit["by"])
        return found


def expected(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(
        (folder / "teacher" / "wrong.yaml").read_text()
    )
    return found


def cases() -> Iterator[Case]:
    for folder in LABS:
        found = expected(folder)
        first = found["starter"]
        yield Case(folder, "starter", (), first["points"], first["says"])
        yield Case(folder, "solution", (), POINTS, "")
        for wrong in found["wrong"]:
            edits = tuple(wrong["edits"])
            yield Case(folder, wrong["name"], edits, wrong["points"], wrong["says"])


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox()


def graded(case: Case, sandbox: Sandbox, folder: Path) -> Grade:
    lab = read_lab(case.lab)
    for name, text in case.files(lab).items():
        (folder / name).write_text(text)
    return grade(lab, folder, sandbox)


@pytest.mark.parametrize("case", list(cases()), ids=lambda c: f"{c.lab.name}-{c.name}")
def test_a_submission_gets_its_points(
    case: Case, sandbox: Sandbox, tmp_path: Path
) -> None:
    found = graded(case, sandbox, tmp_path)
    text = as_text(found)
    assert found.points == case.points, text
    assert re.search(case.says, text), text


@pytest.mark.parametrize("folder", LABS, ids=lambda folder: folder.name)
def test_a_lab_is_complete(folder: Path) -> None:
    """Ten points, five typical mistakes, and a README that names what is graded."""
    lab = read_lab(folder)
    assert lab.points == POINTS
    assert any(line.is_hidden for line in lab.lines)
    assert len(expected(folder)["wrong"]) >= WRONG_COUNT
    readme = (folder / "README.md").read_text()
    for line in lab.lines:
        row = f"| {line.title} | {line.points:g} |"
        assert line.is_hidden or row in readme, f"README.md lacks the row {row}"
    hidden = sum(line.points for line in lab.lines if line.is_hidden)
    assert f"| hidden tests | {hidden:g} |" in readme
    for part in ("What you learn", "The task", "Hints", "What is graded"):
        assert f"## {part}" in readme
    assert ".svg)" in readme
    for name in lab.files:
        assert f"`{name}`" in readme


def test_there_are_ten_labs() -> None:
    assert [folder.name[:2] for folder in LABS] == [f"{n:02d}" for n in range(1, 11)]
    for page in (ROOT / "labs/README.md", ROOT / "docs/course.md"):
        assert all(f"{folder.name}/README.md" in page.read_text() for folder in LABS)


@pytest.mark.parametrize("folder", LABS, ids=lambda folder: folder.name)
def test_figures_are_current(folder: Path) -> None:
    for name, text in figures(folder.name).items():
        assert (folder / name).read_text() == text, "run: python tests/labs/figures.py"


def test_a_student_gets_no_teachers_files(tmp_path: Path) -> None:
    folder, archive = tmp_path / "course", tmp_path / "course.tar.gz"
    for out in (folder, archive):
        run_command(ROOT / "dev", "labs", f"--student={out}")
    with tarfile.open(archive) as tar:
        packed = {name for name in tar.getnames() if not tar.getmember(name).isdir()}
    written = {
        f"{folder.name}/{path.relative_to(folder)}"
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }
    assert packed == written
    assert not any("/teacher/" in name for name in packed)
    first = LABS[0].name
    assert f"course/labs/{first}/starter/reflector.baker" in packed
    # The public lines are all that such a tree can grade.
    assert not any(line.is_hidden for line in read_lab(folder / "labs" / first).lines)


def test_a_student_tree_replaces_nothing(tmp_path: Path) -> None:
    done = run_command(ROOT / "dev", "labs", f"--student={tmp_path}", status=1)
    assert "exists" in done.stderr
    assert list(tmp_path.iterdir()) == []
