"""Files stay small. Prints the ten largest files and functions."""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT, tracked

SOURCES = ("*.h", "*.cpp", "*.py", "*.td", "*.g4", "*.uc", "*.baker", "*.ll")
FILE_LINES_MAX = 1000
# A function that begins at column 0 and whose closing brace does, too.
FUNCTION = re.compile(r"^(?!namespace|struct|class|enum|union|extern)\S.*\{$")


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


def functions(path: Path) -> list[tuple[int, str]]:
    """(length, name) of each top-level function of a C++ file."""
    found = []
    start: int | None = None
    head = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if start is None and FUNCTION.match(line):
            start, head = number, line
        elif line == "}" and start is not None:
            found.append((number - start + 1, f"{path.relative_to(ROOT)}: {head}"))
            start = None
    return found


def test_no_file_is_over_the_limit(capsys: object) -> None:
    sizes = sorted(((lines_of(p), p) for p in tracked(*SOURCES)), reverse=True)
    for count, path in sizes[:10]:
        print(f"{count:5d} {path.relative_to(ROOT)}")
    over = [f"{p}: {n} lines" for n, p in sizes if n > FILE_LINES_MAX]
    assert not over, "\n".join(over)


def test_functions_are_short() -> None:
    found = [f for p in tracked("*.cpp") for f in functions(p)]
    for length, name in sorted(found, reverse=True)[:10]:
        print(f"{length:5d} {name}")
    lengths = sorted(length for length, _ in found)
    if lengths:
        assert lengths[int(len(lengths) * 0.9)] <= 40


def test_readme_is_a_page() -> None:
    assert lines_of(ROOT / "README.md") <= 150


def test_nothing_generated_is_tracked() -> None:
    out = subprocess.run(
        ["git", "ls-files", "build", ".venv", "report"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout == ""
