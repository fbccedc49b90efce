"""A program with a table of every kind of key."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.tools import run


@pytest.fixture(scope="session")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source; image and packets lie beside it, with the endings .ixp and .pcap."""
    source = tmp_path_factory.mktemp("every-kind") / "t.baker"
    shutil.copy(Path(__file__).parent / "Inputs/every_kind.baker", source)
    run("bakerc", source, "-o", source.with_suffix(".ixp"))
    write_pcap(source.with_suffix(".pcap"), [bytes(60)] * 3)
    return source
