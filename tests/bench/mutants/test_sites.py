"""Which sites a source has, and what their switches do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from bench.mutants.cpp_sites import cpp_sites, other_numbers
from bench.mutants.python_sites import python_sites, with_import
from bench.mutants.sites import Lines, Site, render
from bench.mutants.tree import HERE, Instrumented, Tree


def changes(sites: list[Site]) -> set[str]:
    return {f"{site.was} -> {site.becomes}" for site in sites}


def cpp(text: str) -> set[str]:
    return changes(cpp_sites(text.encode()))


def python(text: str) -> set[str]:
    return changes(python_sites(text.encode()))


def one(sites: list[Site], was: str, becomes: str) -> Site:
    (site,) = (s for s in sites if (s.was, s.becomes) == (was, becomes))
    return site


# The sites of C++.


def test_a_comparison_moves_its_bound_or_turns_round() -> None:
    assert cpp("bool f(int a, int b) { return a < b; }") == {
        "a < b -> a <= b",
        "a < b -> a >= b",
    }


def test_a_number_in_an_operation_changes_with_it() -> None:
    assert cpp("int f(int a) { return a & 0xf; }") == {
        "a & 0xf -> a | 0xf",
        "a & 0xf -> a & 0x10",
        "a & 0xf -> a & 0",
    }


def test_conditions_are_negated_and_logic_is_exchanged() -> None:
    assert cpp("void f(bool a, bool b) { if (a && b) throw 'x'; }") == {
        "a && b -> a || b",
        "a && b -> !(a && b)",
    }


def test_early_returns_and_continues_are_removed_but_not_the_last_return() -> None:
    text = "int f(int a) { for (;;) { if (a) continue; } if (a) return a; return g(); }"
    assert {c for c in cpp(text) if c.endswith("nothing")} == {
        "continue; -> nothing",
        "return a; -> nothing",
    }


def test_calls_and_assignments_are_removed() -> None:
    assert cpp("void f(A &a) { a.g(x); a.b = x; int c = h(x); }") == {
        "a.g(x); -> nothing",
        "a.b = x; -> nothing",
    }


def test_bounds_are_exchanged() -> None:
    found = cpp("int f(int a) { return std::max<int>(a, b); }")
    assert found == {"std::max<int>(a, b) -> std::min<int>(a, b)"}


@pytest.mark.parametrize(
    "text",
    [
        "constexpr int a = 1 + 2;",
        "constexpr int f(int a) { return a + 1; }",
        "static_assert(sizeof(A) == 4);",
        "enum E { A = 1 + 2 };",
        "A<1 + 2> a;",
        "int a[4];",
        "void f() { switch (g()) { case 1 + 2: h: ; } }",
        "void f() { if constexpr (N < 4) { ; } }",
        "#if A > 3\n#endif",
        "#define A(x) (x + 1)",
        "void f() { KARAKAL_ASSERT(a < b, 4); }",
        'void f() { os << "a" << a + 1; }',
        "void f() { os << a; }",
        'S f() { return "a" + g(4); }',
        'E f() { return error("too many of them", 4); }',
        "void describeAll() { g(4); }",
        "void f() { v.reserve(4); }",
    ],
)
def test_left_out(text: str) -> None:
    assert {c for c in cpp(text) if "reserve(4);" not in c} <= {"4 -> 5", "4 -> 0"}
    if "reserve" not in text:
        assert cpp(text) == set()


@pytest.mark.parametrize(
    ("literal", "others"),
    [
        ("0", ("1",)),
        ("7", ("8", "0")),
        ("0xffu", ("0x100u", "0u")),
        ("1'000", ("1001", "0")),
        ("010", ("9", "0")),
        ("0.5", ("1.5", "0.0")),
        ("2.0f", ("3.0f", "0.0f")),
        ("1_mb", ()),
    ],
)
def test_other_numbers(literal: str, others: tuple[str, ...]) -> None:
    assert other_numbers(literal) == others


# The sites of Python.


def test_python_operations() -> None:
    assert python("x = a + 1 if a < b else min(a, b)\n") == {
        "a + 1 -> a - 1",
        "a + 1 -> a + 2",
        "a + 1 -> a + 0",
        "a < b -> a <= b",
        "a < b -> a >= b",
        "a < b -> not (a < b)",
        "min(a, b) -> max(a, b)",
    }


def test_python_statements() -> None:
    text = """
def f(a):
    for b in a:
        if b:
            continue
        a.b = b
        a.g(b)
    return a
"""
    assert python(text) == {
        "b -> not (b)",
        "continue -> nothing",
        "a.b = b -> nothing",
        "a.g(b) -> nothing",
    }


@pytest.mark.parametrize(
    "text",
    [
        "assert a < b, a + 1",
        "raise E(a + 1)",
        "x: T[4] = y",
        "x = f'{a + 1}'",
        "x = 'a' + b",
        "x = '%d' % (a + 1)",
        "a < b < c",
        "@d(4)\ndef f() -> T[4]: ...",
        "if __name__ == '__main__': x = y",
    ],
)
def test_left_out_in_python(text: str) -> None:
    assert python(text) == set()


# Switches.

PROGRAM = b"""
#include <algorithm>
#include <cstdio>
#include <cstdlib>
struct Bits { unsigned value = 3; };
static int count(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 2)
      continue;
    sum += i * 2 + 1;
  }
  return std::min(sum, 100);
}
int main(int argc, char **argv) {
  Bits bits;
  std::printf("%d", count(std::atoi(argv[1])) + int(bits.value));
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """A program with switches, and the number of each of its mutants."""
    folder = tmp_path_factory.mktemp("program")
    nodes: dict[tuple[int, int, int], Site] = {}
    for site in cpp_sites(PROGRAM):
        nodes.setdefault(site.node, site)
    sites = dict(enumerate(nodes.values(), 1))
    text, _ = render(PROGRAM, sites)
    (folder / "program.cpp").write_bytes(b'#include "MutantSwitch.h"\n' + text)
    compiler = ["clang++-19", "-std=c++17", "-O1", f"-I{HERE}", "program.cpp"]
    subprocess.run([*compiler, "-o", "program"], cwd=folder, check=True)
    numbers = {f"{s.was} -> {s.becomes}": number for number, s in sites.items()}
    return folder / "program", numbers


def said(program: Path, argument: int, **environment: str) -> str:
    done = subprocess.run(
        [program, str(argument)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_without_a_mutant_nothing_changes(program: tuple[Path, dict[str, int]]) -> None:
    assert said(program[0], 4) == str(1 + 3 + 7 + 3)


@pytest.mark.parametrize(
    ("change", "result"),
    [
        ("i < n -> i <= n", 1 + 3 + 7 + 9 + 3),
        ("i == 2 -> i != 2", 5 + 3),
        ("continue; -> nothing", 1 + 3 + 5 + 7 + 3),
        ("i * 2 + 1 -> i * 2 - 1", -1 + 1 + 5 + 3),
        ("i * 2 -> i / 2", 1 + 1 + 2 + 3),
        ("sum += i * 2 + 1; -> nothing", 3),
        ("sum += i * 2 + 1 -> sum -= i * 2 + 1", -11 + 3),
        ("std::min(sum, 100) -> std::max(sum, 100)", 100 + 3),
        ("3 -> 4", 1 + 3 + 7 + 4),
    ],
)
def test_each_switch_makes_its_change(
    program: tuple[Path, dict[str, int]], change: str, result: int
) -> None:
    path, numbers = program
    assert said(path, 4, KARAKAL_MUTANT=str(numbers[change])) == str(result)


def test_a_record_tells_executed_from_different(
    program: tuple[Path, dict[str, int]], tmp_path: Path
) -> None:
    path, numbers = program
    log = tmp_path / "log"
    log.write_bytes(bytes(1 << 20))
    assert said(path, 1, KARAKAL_MUTANT_LOG=str(log)) == "4"
    reached = log.read_bytes()
    assert reached[numbers["i < n -> i <= n"]] == 3
    assert reached[numbers["i * 2 -> i / 2"]] == 1  # 0 both ways
    assert reached[numbers["continue; -> nothing"]] == 0


def test_an_error_is_blamed_on_the_innermost_switch(tmp_path: Path) -> None:
    source = b"int f(int a) { return g(a + 1) + 2; }\n"
    sites = cpp_sites(source)
    outer = one(sites, "g(a + 1) + 2", "g(a + 1) - 2")
    inner = one(sites, "a + 1", "a - 1")
    text, spans = render(source, {7: outer, 8: inner})
    tree = Tree(tmp_path, tmp_path, 1)
    tree.files["folder/File.cpp"] = Instrumented(Lines(text), spans)
    column = text.index(b"a), (1)") + 1
    error = f"../folder/File.cpp:1:{column}: error: invalid operands\n"
    note = "../folder/File.cpp:1:25: note: in instantiation of\n"
    assert tree.to_blame(error + note) == {8}
    assert tree.to_blame("/usr/include/a.h:3:1: error: no\n" + note) == {7}
    failed = "FAILED: [code=1] folder/CMakeFiles/folder.dir/File.cpp.o\n"
    assert tree.to_blame(failed + "/usr/include/a.h:3:1: error: no\n") == {7, 8}


@pytest.fixture
def switch(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The switches of Python, as the copy imports them."""
    import bench.mutants.mutant_switch as module

    monkeypatch.setitem(sys.modules, "npftrace.mutant_switch", module)
    monkeypatch.setattr(module, "_active", 0)
    return module


PYTHON = b'''"""A docstring."""

from __future__ import annotations


def count(n):
    total = 0
    for i in range(n):
        if i == 2:
            continue
        total += min(i, 10)
    return total
'''


@pytest.mark.parametrize(
    ("was", "becomes", "result"),
    [
        ("i == 2", "i != 2", 2),
        ("i == 2", "i == 3", 0 + 1 + 2 + 4),
        ("i == 2", "not (i == 2)", 2),
        ("continue", "nothing", 0 + 1 + 2 + 3 + 4),
        ("min(i, 10)", "max(i, 10)", 40),
        ("0", "1", 9),
    ],
)
def test_each_python_switch_makes_its_change(
    switch: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    was: str,
    becomes: str,
    result: int,
) -> None:
    site = one(python_sites(PYTHON), was, becomes)
    text = with_import(PYTHON, render(PYTHON, {5: site})[0])
    module: dict[str, object] = {}
    exec(compile(text, "module.py", "exec"), module)
    count = module["count"]
    assert callable(count)
    assert count(5) == 0 + 1 + 3 + 4
    monkeypatch.setattr(switch, "_active", 5)
    assert count(5) == result


def test_every_site_of_the_package_compiles() -> None:
    for path in (HERE.parents[2] / "traces/npftrace").rglob("*.py"):
        source = path.read_bytes()
        nodes = {site.node: site for site in python_sites(source)}
        text = render(source, dict(enumerate(nodes.values(), 1)))[0]
        compile(with_import(source, text), str(path), "exec")
