"""The folders of npftrace import each other in the order that the package lists."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT, tracked

PACKAGE = ROOT / "traces/npftrace"
#: Modules of the package itself that import from any folder.
TOP = {"cli", "__main__"}


def folders() -> list[str]:
    """The folders that the package's docstring lists, bottom-up."""
    docstring = ast.get_docstring(ast.parse((PACKAGE / "__init__.py").read_text()))
    return re.findall(r"^    (\w+)  ", docstring or "", re.M)


def imported(text: str) -> Iterator[str]:
    """The folders or top-level modules of npftrace that a module imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "npftrace":
                names = [f"npftrace.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("npftrace."):
                yield name.split(".")[1]


def violations(folder: str, text: str) -> list[str]:
    """Imports that a module of `folder` may not have; "." is the package."""
    order = [".", *folders()]
    return [
        f"{folder} may not import {name}"
        for name in imported(text)
        if name in TOP or (name in order and order.index(name) > order.index(folder))
    ]


def test_every_folder_is_listed() -> None:
    found = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    assert found == set(folders())


def test_modules_import_only_from_folders_before_theirs() -> None:
    wrong = []
    for path in tracked("traces/npftrace/*.py", "traces/npftrace/**/*.py"):
        parts = path.relative_to(PACKAGE).parts
        if path.stem not in TOP:
            folder = parts[0] if len(parts) > 1 else "."
            wrong += [f"{path}: {why}" for why in violations(folder, path.read_text())]
    assert not wrong, "\n".join(wrong)


def test_an_import_from_a_later_folder_is_found() -> None:
    text = "from npftrace.check import report\nimport npftrace.cli\n"
    assert violations("frames", text) == [
        "frames may not import check",
        "frames may not import cli",
    ]
    assert violations("runs", "from npftrace import errors, frames") == []
