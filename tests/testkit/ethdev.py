"""Whether this build's bakersw has DPDK's ports."""

from __future__ import annotations

import pytest

from testkit.paths import BUILD

MODULE = BUILD / "lib/karakal/bakersw-ethdev.so"
WHY_NOT = "no DPDK: ./dev dpdk installs its packages and builds bakersw's module"


def needs_ethdev() -> pytest.MarkDecorator:
    """Skips a test, or with `pytestmark` a file, where there is no module."""
    return pytest.mark.skipif(not MODULE.exists(), reason=WHY_NOT)
