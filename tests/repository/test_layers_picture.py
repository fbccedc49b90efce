"""docs/layers.svg shows what cmake/Layers.cmake says."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from layers_picture import PICTURE, arrows, reachable, svg

from repository import layers


def test_the_picture_is_current() -> None:
    assert PICTURE.read_text() == svg(), (
        "run: python tests/repository/layers_picture.py"
    )


def test_the_arrows_imply_every_allowed_include_and_no_more() -> None:
    reach: dict[str, set[str]] = {}
    for name in layers():  # bottom-up
        direct = {below for above, below in arrows() if above == name}
        reach[name] = direct.union(*(reach[r] for r in direct))
    assert reach == {name: set(rows) for name, rows in reachable().items()}
