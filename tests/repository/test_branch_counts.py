"""The branch counts of ixpsim are those of its present code."""

import json
import re
import shlex
import subprocess

import pytest

from testkit.paths import BUILD, ROOT

COUNTS = ROOT / "sim-ixp/branch-counts.proftext"
#: Files where a simulation spends its time.
FILES = (
    "engine/MicroengineRun.cpp",
    "engine/ControlPath.cpp",
    "bus/Chassis.cpp",
    "memory/Sram.cpp",
)
#: The least part of a file's counted functions that take their counts. Those that
#: have changed since `./dev train` do not.
PART_MIN = 0.75
#: A function's definition in LLVM's text, and whether it has an entry count.
DEFINITION = re.compile(r'^define .*@"?([\w.$]+)"?\(.*?( !prof !\d+)? \{$', re.M)


def compiled(file: str) -> str:
    """LLVM's text for a file, as the build compiles it."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    entry = next(one for one in commands if one["file"].endswith(f"sim-ixp/{file}"))
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if "clang++" in word) :]
    words[words.index("-o") + 1] = "-"
    command = [*words, "-fno-lto", "-S", "-emit-llvm"]
    return subprocess.run(
        command, cwd=entry["directory"], check=True, text=True, stdout=subprocess.PIPE
    ).stdout


@pytest.mark.parametrize("file", FILES)
def test_frequent_functions_take_their_counts(file: str) -> None:
    if "CMAKE_BUILD_TYPE:STRING=Release" not in (BUILD / "CMakeCache.txt").read_text():
        pytest.skip("only release builds take the counts")
    counted = set(re.findall(r"^(?:\w+\.cpp;)?(_Z[\w.$]+)$", COUNTS.read_text(), re.M))
    found = DEFINITION.findall(compiled(file))
    takes = {name: bool(count) for name, count in found if name in counted}
    assert len(takes) >= 3
    without = sorted(name for name, count in takes.items() if not count)
    print("\n".join(without))
    help = "the code has changed much; count again: ./dev train"
    assert len(without) <= (1 - PART_MIN) * len(takes), help
