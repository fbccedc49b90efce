"""Update streams: what is read of them and when they are played."""

import gzip
from pathlib import Path

import pytest

from npftrace.errors import InputError
from npftrace.tables.updates import PACKETS_PER_SECOND, read_times, schedule


def line(second: int, what: str = "A") -> str:
    return f"BGP4MP|{second}|{what}|193.203.0.69|15737|10.0.0.0/8"


def test_times_are_spread_over_their_second(tmp_path: Path) -> None:
    path = tmp_path / "updates"
    path.write_text("\n".join(map(line, (100, 100, 103, 103, 103, 103))))
    assert read_times(path) == [0, 0.5, 3, 3.25, 3.5, 3.75]


def test_other_lines_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "updates.gz"
    text = "\n".join([line(5), line(6, "STATE"), line(7, "W")])
    path.write_bytes(gzip.compress(text.encode()))
    assert read_times(path) == [0, 2]


@pytest.mark.parametrize("text", ["", line(1, "STATE"), line(1) + "\nnonsense"])
def test_a_file_that_is_none_is_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "updates"
    path.write_text(text)
    with pytest.raises(InputError, match=r"no update|bgpdump"):
        read_times(path)


def test_speed_brings_updates_nearer() -> None:
    times = [0.0, 1.0, 2.0]
    assert schedule(times, 1, 1000) == [0]
    assert schedule(times, 10000, 1000) == [0, int(PACKETS_PER_SECOND / 10000), 976]
