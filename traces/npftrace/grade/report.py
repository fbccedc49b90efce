"""Grades as text, as Gradescope's results, and as a table for all submissions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from npftrace.grade.grader import Grade, GradedLine

#: Gradescope shows hidden lines when the teacher publishes the grades.
VISIBILITY = {False: "visible", True: "after_published"}


def number(points: float) -> str:
    return f"{points:g}"


def as_text(grade: Grade) -> str:
    """For a terminal: a line of points for each line of the rubric, evidence below."""
    lab = grade.lab
    out = [f"{lab.title}: {grade.submission}"]
    out += [f"  {problem}" for problem in grade.problems]
    for graded in grade.lines:
        points = f"{number(graded.points)}/{number(graded.line.points)}"
        hidden = " (hidden)" if graded.line.is_hidden else ""
        out.append(f"{points:>9}  {graded.line.title}{hidden}")
        if graded.points < graded.line.points:
            out += [
                f"{'':11}{text}"
                for each in graded.evidence
                for text in each.split("\n")
            ]
    out.append(f"{number(grade.points):>4}/{number(lab.points)} points")
    if not any(line.is_hidden for line in lab.lines):
        out.append("     (public lines only)")
    return "\n".join(out)


def _test(number_of: int, graded: GradedLine) -> dict[str, Any]:
    return {
        "name": graded.line.title,
        "number": str(number_of),
        "score": graded.points,
        "max_score": graded.line.points,
        "status": "passed" if graded.points == graded.line.points else "failed",
        "output": "\n".join(graded.evidence),
        "output_format": "text",
        "visibility": VISIBILITY[graded.line.is_hidden],
    }


def as_gradescope(grade: Grade) -> dict[str, Any]:
    """`results.json` of Gradescope's autograder. It holds no times, so that the
    same submission gives the same bytes."""
    return {
        "score": grade.points,
        "output": "\n".join([grade.lab.title, *grade.problems]),
        "output_format": "text",
        "visibility": "visible",
        "tests": [_test(n, graded) for n, graded in enumerate(grade.lines, 1)],
    }


def as_csv(grades: Iterable[Grade]) -> str:
    """A row for each submission, a column for each line of the rubric."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row, grade in enumerate(grades):
        if row == 0:
            titles = [line.title for line in grade.lab.lines]
            writer.writerow(["submission", "points", *titles, "problems"])
        points = [number(graded.points) for graded in grade.lines]
        problems = "; ".join(grade.problems)
        writer.writerow([grade.submission, number(grade.points), *points, problems])
    return out.getvalue()
