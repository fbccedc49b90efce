"""`npftrace grade LAB DIR`: grades the folder DIR, or every folder in it.

LAB is a lab's folder, or its number in the folder --labs. Prints the points of
each line of the rubric and, where points are missing, the evidence. The
submission's programs run apart from everything else, within limits of time,
memory and output, without a network: by bubblewrap where it is installed, else in
namespaces. The same submission gets the same points and the same text.

    npftrace grade labs/01-first-packets my-folder
    npftrace grade 1 my-folder --json=results.json
    npftrace grade 1 all-folders --all --csv=points.csv

Exit status 0 means that the work was graded, whatever its points are.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from npftrace.arguments import between
from npftrace.errors import InputError
from npftrace.grade.grader import Grade, grade
from npftrace.grade.isolation import METHODS
from npftrace.grade.lab import Lab, find_lab, read_lab
from npftrace.grade.report import as_csv, as_gradescope, as_text, number
from npftrace.grade.sandbox import Sandbox
from npftrace.progress import progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace grade`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = __doc__
    parser.add_argument("lab", metavar="LAB", help="folder or number of a lab")
    parser.add_argument("folder", type=Path, metavar="DIR", help="what is handed in")
    parser.add_argument(
        "--labs", type=Path, default=Path("labs"), help="where numbered labs are"
    )
    parser.add_argument(
        "--all", action="store_true", help="each folder in DIR is a submission"
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="results in Gradescope's format; with --all a folder of such files",
    )
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="points of all submissions"
    )
    parser.add_argument(
        "--jobs",
        type=between(1, 256),
        default=os.cpu_count() or 1,
        help="submissions that are graded at the same time (default: one per core)",
    )
    parser.add_argument(
        "--isolation",
        choices=("auto", *METHODS),
        default="auto",
        help="how programs are kept apart (default: the best that works here); "
        "none is for submissions of people you trust",
    )
    parser.set_defaults(run=run)


def _submissions(folder: Path, is_each: bool) -> list[Path]:
    if not folder.is_dir():
        raise InputError("E-traces-182", "is not a folder", folder)
    if not is_each:
        return [folder]
    found = sorted(
        path for path in folder.iterdir() if path.is_dir() and path.name[0] != "."
    )
    if not found:
        raise InputError("E-traces-182", "holds no folders to grade", folder)
    return found


def grade_all(
    lab: Lab,
    folders: list[Path],
    sandbox: Sandbox,
    jobs: int,
    keep: Callable[[Grade], None] = lambda _: None,
) -> list[Grade]:
    """Grades folders at the same time; the result is in their order. `keep` gets each
    grade when it is ready."""
    with (
        progress(lab.title, len(folders) * len(lab.lines)) as advance,
        ThreadPoolExecutor(jobs) as pool,
    ):

        def one(folder: Path) -> Grade:
            found = grade(lab, folder, sandbox, advance)
            keep(found)
            return found

        return list(pool.map(one, folders))


def _write_json(path: Path, found: Grade) -> None:
    text = json.dumps(as_gradescope(found), indent=2, ensure_ascii=False)
    path.write_text(text + "\n")


def run(args: argparse.Namespace) -> int:
    """Grades and prints; returns 0."""
    lab = read_lab(find_lab(args.lab, args.labs))
    folders = _submissions(args.folder, args.all)
    if args.json and args.all:
        args.json.mkdir(parents=True, exist_ok=True)

    def keep(found: Grade) -> None:
        if args.json:
            file = args.json / f"{found.submission}.json" if args.all else args.json
            _write_json(file, found)

    grades = grade_all(lab, folders, Sandbox(args.isolation), args.jobs, keep)
    if args.csv:
        args.csv.write_text(as_csv(grades))
    for found in grades:
        points = f"{number(found.points)}/{number(lab.points)}"
        print(f"{points:>9}  {found.submission}" if args.all else as_text(found))
    return 0
