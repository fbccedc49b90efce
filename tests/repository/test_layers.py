"""The layer table is obeyed: no include that it does not allow."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT, Layer, folder_of, layers, tracked

# What an include of an outside library begins with.
OUTSIDE = {
    "mlir/": "MLIR",
    "llvm/": "LLVM",
    "llvm-c/": "LLVM",
    "unicorn/": "UNICORN",
    "pcap": "PCAP",
    "antlr4-runtime": "ANTLR",
    "boost/": "BOOST_GRAPH",
}
# MLIR's own headers use LLVM's support library, so MLIR allows both.
IMPLIED = {"MLIR": {"MLIR", "LLVM"}}
# Header-only libraries that `support` hands on to everyone.
EVERYWHERE = ("nlohmann/",)

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def violation(layer: Layer, include: str) -> str | None:
    """Why `layer` may not include `include`, or None if it may."""
    folder = include.split("/")[0]
    if folder in layers():
        if folder == layer.folder or folder in layer.may_include:
            return None
        return f"{layer.folder} may not include {folder}"
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
    assert violation(sim, "target-ixp/Image.h") is None


def test_includes_obey_the_table() -> None:
    wrong = []
    for path in tracked("*.h", "*.cpp", "*.td"):
        layer = layers().get(folder_of(path))
        if layer is None:
            continue
        for include in INCLUDE.findall(path.read_text()):
            if why := violation(layer, include):
                wrong.append(f"{path.relative_to(ROOT)}: {include}: {why}")
    assert not wrong, "\n".join(wrong)


def test_every_code_folder_has_a_row() -> None:
    free = {"tools", "tests", "apps", "runtime", "docs"}
    folders = {folder_of(p) for p in tracked("*.h", "*.cpp")}
    assert folders <= set(layers()) | free
