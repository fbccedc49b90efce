"""Files, functions and folders stay small, and the code asserts what it relies on.

Each limit has a list of named exceptions with their reasons. An exception that is
not needed fails too, so the lists only shrink.
"""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from sizes import (
    Sized,
    assertion_density,
    circles_of,
    cpp_functions,
    cycles,
    file_sizes,
    flat_counts,
    function_sizes,
    python_cycles,
)

from repository import ROOT, layers

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
FUNCTION_LINES_90TH = 40
FLAT_FILES_MAX = 30
ASSERTIONS_PER_1000_MIN = 6

LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
#: Folders of test cases: one case a file.
FULL_FOLDERS = {
    "tests/baker-lang/errors": "one program for each diagnostic",
    "tests/baker-lang/lowering": "one program for each construct",
}


def check(sizes: list[Sized], limit: int, named: dict[str, str]) -> None:
    """Exactly the named ones are over the limit."""
    for sized in sorted(sizes, reverse=True)[:10]:
        print(f"{sized.lines:5d} {sized.name}")
    over = {sized.name for sized in sizes if sized.lines > limit}
    assert over - set(named) == set()
    assert set(named) - over == set(), "no longer needs to be named"


def test_files_are_short() -> None:
    check(file_sizes(), FILE_LINES_MAX, LONG_FILES)


def test_functions_are_short() -> None:
    sizes = function_sizes()
    check(sizes, FUNCTION_LINES_MAX, LONG_FUNCTIONS)
    lengths = sorted(sized.lines for sized in sizes)
    assert lengths[len(lengths) * 9 // 10] <= FUNCTION_LINES_90TH


def test_a_signature_of_several_lines_is_seen() -> None:
    body = "  int x;\n" * 70
    text = f"static int\nf(int a,\n  int b) {{\n{body}}}\nclass C {{ void g() {{}} }};"
    assert sorted(cpp_functions(text)) == [Sized(1, "g"), Sized(74, "f")]


def test_no_folder_is_crowded() -> None:
    counts = [Sized(count, folder) for folder, count in flat_counts().items()]
    check(counts, FLAT_FILES_MAX, FULL_FOLDERS)


def test_no_files_include_each_other_in_a_circle() -> None:
    assert cycles() == []
    assert python_cycles() == []


@pytest.mark.parametrize("folder", sorted({row.split("/")[0] for row in layers()}))
def test_folders_assert_what_they_rely_on(folder: str) -> None:
    assert assertion_density(folder) >= ASSERTIONS_PER_1000_MIN


def test_a_circle_is_found() -> None:
    assert circles_of({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c"]]


def test_readme_is_a_page() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_nothing_generated_is_tracked() -> None:
    out = subprocess.run(
        ["git", "ls-files", "build", ".venv", "report"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout == ""
