"""Every file and folder that a document names exists."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from repository import ROOT, tracked

INLINE_CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
# Made by a command of the same document, or a placeholder.
GENERATED = re.compile(r"\b(?:build|report|NAME|DIR|FILE|FOLDER)\b")


def top_level() -> set[str]:
    return {path.relative_to(ROOT).parts[0] for path in tracked("*/*")}


def missing_paths(text: str) -> list[str]:
    """Paths in inline code that begin with a folder of the checkout and do not
    exist. A file may be named without its ending, as in `passes/pac/PacPlan`."""
    missing = []
    folders = top_level()
    for code in INLINE_CODE.findall(
        re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    ):
        if "/" not in code or not PATH.fullmatch(code) or GENERATED.search(code):
            continue
        path = ROOT / code
        exists = path.exists() or any(path.parent.glob(path.name + ".*"))
        if code.split("/")[0] in folders and not exists:
            missing.append(code)
    return missing


@pytest.mark.parametrize("document", tracked("*.md"), ids=lambda d: d.stem)
def test_named_paths_exist(document: Path) -> None:
    assert missing_paths(document.read_text()) == []


def test_a_path_that_does_not_exist_is_found() -> None:
    text = "`passes/pac/Missing.cpp`, `passes/Passes.td`, `passes/`, `and/or`"
    assert missing_paths(text) == ["passes/pac/Missing.cpp"]
