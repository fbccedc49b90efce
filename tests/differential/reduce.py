"""Reduces a program on which x86 and the simulator disagree.

    python tests/differential/reduce.py FOLDER [--level=o1] [--mes=1]

FOLDER has the files of a seed that differential.py stored. Lines and whole
blocks are removed as long as x86 runs the program and the simulator still sends
other packets or fails, or compilation for it fails. The rest is printed and
written to FOLDER/reduced.baker. x86 counts as right, so a bug that both share is
not found.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from differential.differential import Different, Tools
from testkit.captures import read_pcapng
from testkit.paths import BUILD


class Reducer:
    def __init__(self, tools: Tools, folder: Path, level: str, engines: int) -> None:
        self.tools = tools
        self.folder = folder
        self.level = level
        self.engines = engines
        self.tried = 0

    def is_wrong(self, lines: list[str]) -> bool:
        """Whether x86 runs the program and the simulator differs."""
        self.tried += 1
        with tempfile.TemporaryDirectory() as name:
            return self.is_wrong_in(Path(name), lines)

    def is_wrong_in(self, work: Path, lines: list[str]) -> bool:
        source, image = work / "program.baker", work / "program.ixp"
        source.write_text("\n".join(lines) + "\n")
        trace = f"--trace={self.folder / 'trace.pcap'}"
        control = [f"--control={self.folder / 'loaded.txt'}"]
        if not any("control int" in line or "  table " in line for line in lines):
            control = []
        wanted, found = work / "x86.pcapng", work / "ixp.pcapng"
        run, level = self.tools.run, f"--level={self.level}"
        if run(
            "bakerc", source, "--run", trace, *control, f"--out={wanted}"
        ).returncode:
            return False
        if run("bakerc", source, level, "-o", image).returncode:
            return True
        simulated = run(
            "ixpsim", image, trace, *control, f"--out={found}", "--quiet",
            f"--mes={self.engines}",
        )  # fmt: skip
        if simulated.returncode:
            return True
        return read_pcapng(wanted) != read_pcapng(found)

    def reduce(self, lines: list[str]) -> list[str]:
        """Removes pieces, large ones first, until none can be removed."""
        before = len(lines) + 1
        while len(lines) < before:
            before = len(lines)
            size = max(len(lines) // 2, 1)
            while size:
                lines = self.without_pieces(lines, size)
                size //= 2
            print(f"{len(lines)} lines after {self.tried} trials", file=sys.stderr)
        return lines

    def without_pieces(self, lines: list[str], size: int) -> list[str]:
        at = 0
        while at < len(lines):
            end = block_end(lines, at) if size == 1 else at + size
            shorter = lines[:at] + lines[end:]
            if shorter and self.is_wrong(shorter):
                lines = shorter
            else:
                at += size
        return lines


def block_end(lines: list[str], start: int) -> int:
    """The line after the block that begins in a line, else the next line."""
    depth = 0
    for at in range(start, len(lines)):
        depth += lines[at].count("{") - lines[at].count("}")
        if depth <= 0:
            return at + 1
    return start + 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])

    parser.add_argument("folder", type=Path)
    parser.add_argument("--level", default="o1")
    parser.add_argument("--mes", type=int, default=1)
    parser.add_argument("--build", type=Path, default=BUILD)
    options = parser.parse_args()
    tools = Tools(Path(options.build), timeout=20)
    reducer = Reducer(tools, options.folder, options.level, options.mes)
    lines = (options.folder / "program.baker").read_text().splitlines()
    try:
        if not reducer.is_wrong(lines):
            print("x86 and the simulator agree on it", file=sys.stderr)
            return 1
        lines = reducer.reduce(lines)
    except Different as hang:
        print(hang, file=sys.stderr)
        return 1
    text = "\n".join(lines) + "\n"
    (options.folder / "reduced.baker").write_text(text)
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
