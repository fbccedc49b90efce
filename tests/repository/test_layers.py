"""The layer table is obeyed: no include that it does not allow."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT, Layer, folder_of, layers, room_of, rooms, row_of, tracked

# The first part of includes of outside libraries.
OUTSIDE = {
    "mlir/": "MLIR",
    "llvm/": "LLVM",
    "llvm-c/": "LLVM",
    "unicorn/": "UNICORN",
    "pcap": "PCAP",
    "lzma.h": "COMPRESSION",
    "zlib.h": "COMPRESSION",
    "zstd.h": "COMPRESSION",
    "antlr4-runtime": "ANTLR",
    "boost/": "BOOST_GRAPH",
    "pybind11/": "PYBIND11",
    "rte_": "DPDK",
}
# MLIR's own headers use LLVM's support library, so MLIR allows both.
IMPLIED = {"MLIR": {"MLIR", "LLVM"}}
# Header-only libraries that every layer may use.
EVERYWHERE = ("nlohmann/",)

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def violation(layer: Layer, include: str, room: str = ".") -> str | None:
    """Why `room` of `layer` may not include `include`, or None if it may."""
    row = row_of(include)
    if row == layer.folder:
        order = rooms().get(row, (".",))
        if room_of(include) in order[: order.index(room) + 1]:
            return None
        return f"{row}/{room} may not include {row}/{room_of(include)}"
    if row is not None:
        if row in layer.may_include:
            return None
        return f"{layer.folder} may not include {row}"
    if include.startswith(EVERYWHERE):
        return None
    for prefix, library in OUTSIDE.items():
        if include.startswith(prefix):
            allowed = set(layer.outside)
            for name in layer.outside:
                allowed |= IMPLIED.get(name, set())
            if library not in allowed:
                return f"{layer.folder} may not include {library}"
    return None


def test_table_has_no_cycle() -> None:
    seen: set[str] = set()
    for layer in layers().values():
        assert layer.may_include <= seen, f"{layer.folder} includes a later row"
        seen.add(layer.folder)


def test_a_forbidden_include_is_found() -> None:
    sim = layers()["sim-ixp"]
    assert violation(sim, "llvm/IR/Module.h")
    assert violation(sim, "codegen-me/CodeGenMe.h")
    assert violation(sim, "target-ixp/image/Image.h") is None
    assert violation(sim, "target-ixp/assembler/Assembler.h")
    assert violation(sim, "pybind11/pybind11.h")
    assert violation(sim, "sim-ixp/run/Chip.h", "memory")
    assert violation(sim, "sim-ixp/bus/Chassis.h", "memory") is None


def test_includes_obey_the_table() -> None:
    wrong = []
    for path in tracked("*.h", "*.cpp", "*.td"):
        name = str(path.relative_to(ROOT))
        row = row_of(name)
        if row is None:
            continue
        for include in INCLUDE.findall(path.read_text()):
            if why := violation(layers()[row], include, room_of(name)):
                wrong.append(f"{name}: {include}: {why}")
    assert not wrong, "\n".join(wrong)


def test_every_room_is_listed_and_exists() -> None:
    for folder, names in rooms().items():
        found = {
            room_of(str(p.relative_to(ROOT)))
            for p in tracked(f"{folder}/*.h", f"{folder}/*.cpp", f"{folder}/*.td")
            if row_of(str(p.relative_to(ROOT))) == folder
        }
        assert found == set(names), folder


def test_every_code_folder_has_a_row() -> None:
    free = {"tools", "tests", "apps", "runtime", "docs", "labs"}
    folders = {folder_of(p) for p in tracked("*.h", "*.cpp")}
    assert folders <= {layer.split("/")[0] for layer in layers()} | free
