"""The sizes of files, functions and folders, and the density of assertions.

    python tests/repository/sizes.py [FOLDER…]

prints, for the folders named or for all, the largest files and functions, and the
assertions per thousand lines. C++ is parsed by tree-sitter and Python by its own
parser, because a regular expression sees only signatures of one line.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT, folder_of, tracked

#: Endings of source files. `.mlir`, `.test` and `.packets` are test cases.
SOURCES = ("*.h", "*.cpp", "*.py", "*.td", "*.def", "*.g4", "*.uc", "*.baker", "*.ll")
ASSERTION = re.compile(
    r"\b(KARAKAL_ASSERT|KARAKAL_UNREACHABLE|static_assert|llvm_unreachable)\b"
)


@dataclass(frozen=True, order=True)
class Sized:
    """A file or function and its lines."""

    lines: int
    name: str


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def text_of(path: Path) -> str:
    return path.read_text()


def files(folders: tuple[str, ...] = ()) -> list[Path]:
    """The tracked source files, or those below `folders`."""
    found = tracked(*SOURCES)
    return [p for p in found if not folders or name_of(p).startswith(folders)]


def file_sizes(folders: tuple[str, ...] = ()) -> list[Sized]:
    return [Sized(len(text_of(p).splitlines()), name_of(p)) for p in files(folders)]


@cache
def parser() -> Parser:
    return Parser(Language(tree_sitter_cpp.language()))


def cpp_functions(text: str) -> Iterator[Sized]:
    """The functions that `text` defines, members and lambdas' owners included."""
    open_nodes: list[Node] = [parser().parse(text.encode()).root_node]
    while open_nodes:
        node = open_nodes.pop()
        if node.type == "function_definition":
            declarator = node.child_by_field_name("declarator")
            name = declarator.text if declarator else None
            lines = node.end_point[0] - node.start_point[0] + 1
            yield Sized(lines, (name or b"?").decode().split("(")[0].strip())
        open_nodes.extend(node.children)


def python_functions(text: str) -> Iterator[Sized]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield Sized(node.end_lineno - node.lineno + 1, node.name)


def function_sizes(folders: tuple[str, ...] = ()) -> list[Sized]:
    """All functions, named `file: function`."""
    found = []
    for path in files(folders):
        if path.suffix == ".py":
            functions = python_functions(text_of(path))
        elif path.suffix in (".h", ".cpp"):
            functions = cpp_functions(text_of(path))
        else:
            continue
        found += [Sized(f.lines, f"{name_of(path)}: {f.name}") for f in functions]
    return found


def flat_counts() -> dict[str, int]:
    """The number of source files directly in each folder, with headers."""
    counts: dict[str, int] = {}
    for path in files():
        folder = name_of(path.parent)
        counts[folder] = counts.get(folder, 0) + 1
    return counts


def assertion_density(folder: str) -> float:
    """Assertions per thousand lines of C++ in a top-level folder."""
    texts = [text_of(p) for p in tracked(f"{folder}/*.h", f"{folder}/*.cpp")]
    lines = sum(len(text.splitlines()) for text in texts)
    assertions = sum(len(ASSERTION.findall(text)) for text in texts)
    return 1000 * assertions / max(lines, 1)


INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def cycles() -> list[list[str]]:
    """Groups of C++ components that include each other in a circle. A component
    is a header with its source file."""
    paths = {name_of(p): p for p in tracked("*.h", "*.cpp")}

    def component(name: str) -> str:
        return name.rsplit(".", 1)[0]

    graph: dict[str, set[str]] = {component(name): set() for name in paths}
    for name, path in paths.items():
        for include in INCLUDE.findall(text_of(path)):
            if include in paths and component(include) != component(name):
                graph[component(name)].add(component(include))
    return circles_of(graph)


def circles_of(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one node (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def python_cycles() -> list[list[str]]:
    """Groups of modules of npftrace that import each other in a circle."""
    package = ROOT / "traces/npftrace"
    modules = {
        ".".join(p.relative_to(package.parent).with_suffix("").parts): p
        for p in tracked("traces/npftrace/*.py", "traces/npftrace/**/*.py")
    }
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        graph[name] = set()
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                named = [f"{node.module}.{a.name}" for a in node.names]
                for target in (*named, node.module):
                    if target in modules and target != name:
                        graph[name].add(target)
    return circles_of(graph)


def main(folders: tuple[str, ...]) -> None:
    for title, sizes in (
        ("files", file_sizes(folders)),
        ("functions", function_sizes(folders)),
    ):
        print(f"largest {title}:")
        for sized in sorted(sizes, reverse=True)[:20]:
            print(f"{sized.lines:6d} {sized.name}")
    print("assertions per thousand lines:")
    for folder in sorted({folder_of(p) for p in tracked("*.cpp")} - {"tests"}):
        print(f"{assertion_density(folder):6.1f} {folder}")
    for cycle in cycles() + python_cycles():
        print("circle:", *cycle)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
