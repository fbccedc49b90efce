"""Traces that `npftrace make` writes, with their answers."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from npftrace.cli import main
from npftrace.frames.capture import Frame, read_capture
from npftrace.tables.control import Call, read_control


@dataclass
class Trace:
    """Frames of 4 ports, the answer to each, and the control calls."""

    frames: list[Frame]
    answers: list[dict[str, Any]]
    calls: list[Call]

    def of(self, outcome: str) -> list[tuple[int, Frame]]:
        """The frames, with their numbers, that have this outcome or reason."""
        return [
            (number, frame)
            for number, (frame, answer) in enumerate(
                zip(self.frames, self.answers, strict=True)
            )
            if answer.get("reason", answer["outcome"]) == outcome
        ]


@pytest.fixture(scope="session")
def make_trace(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Trace]:
    """Makes a trace: `make_trace(kind, options)`."""
    made: dict[tuple[str, str], Trace] = {}

    def make(kind: str, options: str) -> Trace:
        if (kind, options) not in made:
            folder: Path = tmp_path_factory.mktemp(kind)
            files = [folder / name for name in ("t.pcap", "c.txt", "a.jsonl")]
            flags = ("--out", "--control", "--answers")
            words = [str(w) for pair in zip(flags, files, strict=True) for w in pair]
            assert main(["make", kind, *words, *options.split()]) == 0
            lines = files[2].read_text().splitlines()
            made[kind, options] = Trace(
                read_capture(files[0], 4).frames,
                [json.loads(line) for line in lines],
                read_control(files[1]),
            )
        return made[kind, options]

    return make
