"""docs/passes.md agrees with the folders' Passes.td."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pass_page import page

from repository import ROOT


def test_the_pass_page_is_current() -> None:
    assert (ROOT / "docs/passes.md").read_text() == page(), (
        "run: python tests/repository/pass_page.py > docs/passes.md"
    )
