"""A checkout of three small files: which faults its tests find, and which not."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.mutants.judge import Judge, Verdict, Verdicts, failed_test, in_stages
from bench.mutants.record import Record, record_all
from bench.mutants.report import row, summary
from bench.mutants.sample import Mutant, candidates, tracked
from bench.mutants.suites import Ran, Suites, Test, Unguarded, Workplace, guard
from bench.mutants.tree import Tree

FILES = {
    "cmake/Layers.cmake": """
  "small      | | "
""",
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.25)
project(Small CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
enable_testing()
include(GoogleTest)
find_package(GTest REQUIRED)
include_directories("${PROJECT_SOURCE_DIR}")
add_library(small small/Small.cpp)
add_executable(sum small/Main.cpp)
target_link_libraries(sum small)
add_executable(small-tests tests/SmallTest.cpp)
target_link_libraries(small-tests small GTest::gtest_main)
gtest_discover_tests(small-tests DISCOVERY_MODE PRE_TEST)
""",
    "CMakePresets.json": """
{"version": 3, "configurePresets": [{"name": "default", "generator": "Ninja",
 "binaryDir": "${sourceDir}/build",
 "cacheVariables": {"CMAKE_CXX_COMPILER": "clang++-19"}}]}
""",
    "small/Small.h": """
#include <string>
int sum(const int *from, int count);
int smaller(int a, int b);
int larger(int a, int b);
int spin(int a);
std::string twice(const std::string &text);
""",
    "small/Small.cpp": """
#include "small/Small.h"
#include <algorithm>
int sum(const int *from, int count) {
  int all = 0;
  for (int i = 0; i < count; ++i)
    all += from[i];
  return all;
}
int smaller(int a, int b) {
  static int calls = 0;
  calls += a;
  return std::min(a, b);
}
int larger(int a, int b) { return std::max(a, b); }
int spin(int a) {
  while (a > 0)
    a -= 2;
  return a;
}
int unused(int a) { return a * 3; }
std::string twice(const std::string &text) { return text + text; }
""",
    "small/Main.cpp": """
#include "small/Small.h"
#include <cstdio>
int main(int argc, char **argv) {
  if (argc == 1)
    return 2;
  int count = argc - 1;
  std::printf("%d arguments", count);
}
""",
    "tests/SmallTest.cpp": """
#include "small/Small.h"
#include <gtest/gtest.h>
TEST(Small, SumsAll) { int of[] = {1, 2, 3, 40}; EXPECT_EQ(sum(of, 3), 6); }
TEST(Small, TakesTheSmaller) {
  EXPECT_EQ(smaller(1, 2), 1);
  EXPECT_EQ(smaller(2, 1), 1);
  EXPECT_EQ(smaller(2, 2), 2);
}
TEST(Small, TakesTheLarger) { EXPECT_EQ(larger(2, 2), 2); }
TEST(Small, SpinsToZero) { EXPECT_EQ(spin(4), 0); }
TEST(Small, FailsByItself) { EXPECT_EQ(larger(1, 2), 3); }
""",
    "tests/lit.cfg.py": """
import os
import lit.formats
config.name = "karakal"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.test_source_root = os.path.dirname(__file__)
build = os.environ["KARAKAL_BUILD"]
config.test_exec_root = os.path.join(build, "tests-lit")
config.substitutions.append(("%build", build))
config.environment |= {k: v for k, v in os.environ.items() if "KARAKAL_MUTANT" in k}
""",
    "tests/usage.test": "RUN: not %build/bin/sum\n",
    "tests/test_price.py": """
import functools
import subprocess
import os
import pytest
from npftrace.price import price, shipping

@functools.cache
def said():
    program = os.environ["KARAKAL_BUILD"] + "/bin/sum"
    return subprocess.run([program, "a"], capture_output=True, text=True).stdout

def test_a_dozen_costs_less():
    said()
    assert price(11) == 110
    assert price(12) == 108

@pytest.fixture(scope="module")
def parcel():
    return shipping(3)

def test_heavy_parcels_cost_more(parcel):
    assert parcel == 15
    assert said() == "1 arguments"
""",
    "traces/npftrace/__init__.py": "",
    "traces/npftrace/price.py": '''"""Prices."""


def price(count):
    if count >= 12:
        return count * 9
    return count * 10


def shipping(weight):
    return weight * 5


def unused(weight):
    return weight * 7
''',
}


@dataclass
class Small:
    """The checkout with the verdicts on all its mutants."""

    judge: Judge
    of_number: dict[int, Mutant]
    verdicts: dict[str, Verdict]
    places: list[Workplace]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    try:
        guard()
    except Unguarded as why:
        pytest.skip(f"no mutant runs here: {why}")
    root = tmp_path_factory.mktemp("small")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    home = tmp_path_factory.mktemp("mutants")
    tree = Tree(root, home, seed=1)
    of_number = tree.make(100)
    suites = Suites(tree)
    places = [Workplace(tree, home / f"worker-{n}") for n in range(2)]
    records = record_all(suites, places, tell=print)
    judge = Judge(suites, records, Verdicts(home / "verdicts.jsonl"), more_seconds=1)
    verdicts = {}
    for number, mutant in of_number.items():
        name = f"{Path(mutant.file).name}: {mutant.site.was} -> {mutant.site.becomes}"
        known = judge.known(number, mutant)
        verdicts[name] = known or judge.judge(number, mutant, places[0])
    return Small(judge, of_number, verdicts, places)


def verdict(small: Small, start: str) -> Verdict:
    """That on the mutant whose name begins so; a seed chooses how it ends."""
    found = {n: v for n, v in small.verdicts.items() if n.startswith(start)}
    assert len(found) == 1, (found.keys(), small.verdicts.keys())
    return next(iter(found.values()))


def test_a_fault_is_killed_by_the_test_that_sees_it(small: Small) -> None:
    killed = verdict(small, "Small.cpp: i < count ->")
    assert killed.killer == "bin/small-tests Small.SumsAll"


def test_an_endless_loop_is_killed(small: Small) -> None:
    killed = verdict(small, "Small.cpp: a -= 2; -> nothing")
    assert killed.killer == "bin/small-tests Small.SpinsToZero"


def test_an_equivalent_mutant_survives(small: Small) -> None:
    survived = verdict(small, "Small.cpp: calls += a; -> nothing")
    assert survived.why == "no test fails"
    assert len(survived.passed) == 1


def test_a_mutant_that_no_test_executes_survives(small: Small) -> None:
    assert verdict(small, "Small.cpp: a * 3 ->").why == "no test executes it"
    assert verdict(small, "price.py: weight * 7 ->").why == "no test executes it"


def test_a_change_that_no_value_shows_survives_without_a_run(small: Small) -> None:
    survived = verdict(small, "Small.cpp: std::max(a, b) ->")
    assert survived.why == "the value is the same in all tests"
    assert not survived.passed
    assert verdict(small, "Small.cpp: std::min(a, b) ->").killed


def test_a_lit_test_kills(small: Small) -> None:
    assert verdict(small, "Main.cpp: 2 ->").killer == "lit usage.test"


def test_a_python_mutant_is_killed(small: Small) -> None:
    price, parcel = "test_a_dozen_costs_less", "test_heavy_parcels_cost_more"
    assert verdict(small, "price.py: count * 10 ->").killer.endswith(price)
    assert verdict(small, "price.py: weight * 5 ->").killer.endswith(parcel)


def test_a_later_test_notices_what_an_earlier_one_cached(small: Small) -> None:
    killed = verdict(small, "Main.cpp: argc - 1 ->")
    assert killed.killer.endswith("test_heavy_parcels_cost_more")


def test_a_mutant_that_does_not_compile_is_dropped(small: Small) -> None:
    assert not any("text + text" in name for name in small.verdicts)


def test_a_test_that_fails_by_itself_kills_nothing(small: Small) -> None:
    assert not any("FailsByItself" in v.killer for v in small.verdicts.values())
    (record,) = (r for r in small.judge.records if r.test.name.endswith("ByItself"))
    assert not record.passed


def test_a_second_call_runs_nothing(small: Small) -> None:
    suites, file = small.judge.suites, small.judge.verdicts.file
    again = Judge(suites, small.judge.records, Verdicts(file))
    for number, mutant in small.of_number.items():
        assert again.known(number, mutant) is not None


def test_without_time_the_tests_that_are_left_are_counted(small: Small) -> None:
    empty = Verdicts(small.judge.verdicts.file.with_name("other.jsonl"))
    hasty = Judge(small.judge.suites, small.judge.records, empty, seconds_max=0)
    number = next(n for n, m in small.of_number.items() if m.site.was == "i < count")
    survived = hasty.judge(number, small.of_number[number], small.places[0])
    assert survived.why == "no test fails, 1 tests were not run"
    assert hasty.known(number, small.of_number[number]) is None


def test_no_test_can_change_the_devices(small: Small) -> None:
    device = Path("/dev/karakal-mutants-test")
    ran = small.places[0].run(["touch", str(device)], Path("/"), 10)
    assert not device.exists()
    assert not ran.passed
    assert small.places[0].run(["sh", "-c", ": > /dev/null"], Path("/"), 10).passed


def test_the_summary_adds_up(small: Small) -> None:
    judged = [
        (m, small.judge.verdicts.known.get(m.key) or Verdict(m.key))
        for m in small.of_number.values()
    ]
    of = summary(judged)
    assert of["sampled"] == len(small.of_number)
    assert of["killed"] + len(of["survivors"]) == of["sampled"]
    assert ("below 85" in row("small", of)) == (of["killed_percent"] < 85)


def test_the_order_of_a_folder_depends_on_its_lines_alone(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    text = FILES["small/Small.cpp"]
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "Small.cpp").write_text(text)
    before = candidates(tmp_path, "small", tracked(tmp_path), seed=1)
    (folder / "Small.cpp").rename(folder / "Moved.cpp")
    (folder / "Moved.cpp").write_text(f"// A comment.\n{text}int f() {{ g(4); }}\n")
    after = candidates(tmp_path, "small", tracked(tmp_path), seed=1)
    keys = [mutant.key for mutant in before]
    assert [m.key for m in after if m.key in keys] == keys
    assert len(after) == len(before) + 2
    other = candidates(tmp_path, "small", tracked(tmp_path), seed=2)
    assert [m.key for m in other] != [m.key for m in after]


def test_a_second_build_tries_the_same_mutants() -> None:
    site = candidates.__annotations__  # any object: only the key is looked at
    mutants = [Mutant(str(n), "f", "f.cpp", 1, 1, site) for n in range(100)]  # type: ignore[arg-type]
    dropped = {str(n) for n in range(8)}
    assert Tree.tries(mutants, 40, set()) == 50
    assert Tree.tries(mutants, 40, dropped) == 50
    assert Tree.tries(mutants, 40, {str(n) for n in range(12)}) == 56
    assert Tree.tries(mutants, 200, dropped) == 250


def test_quick_tests_come_first_and_run_together() -> None:
    def record(kind: str, group: str, name: str, seconds: float) -> Record:
        return Record(Test(kind, group, name), True, seconds)

    records = [
        record("pytest", "a.py", "long", 20),
        record("gtest", "a-tests", "b", 0.1),
        record("pytest", "a.py", "longer", 25),
        record("gtest", "a-tests", "a", 0.05),
        record("lit", "lit", "c", 0.7),
    ]
    names = [[r.test.name for r in batch] for batch in in_stages(records)]
    assert names == [["a", "b"], ["c"], ["long"], ["longer"]]


@pytest.mark.parametrize(
    ("kind", "output", "name"),
    [
        ("gtest", "[ RUN      ] A.b\n[       OK ] A.b\n[ RUN      ] A.c\n", "A.c"),
        ("gtest", "[  FAILED  ] A.b (1 ms)\n[  FAILED  ] 1 test, listed:\n", "A.b"),
        ("lit", "FAIL: karakal :: A.b (1 of 2)\n", "A.b"),
        ("pytest", "", "A.c"),
    ],
)
def test_the_test_that_failed(
    tmp_path: Path, kind: str, output: str, name: str
) -> None:
    tests = [Test(kind, "group", n) for n in ("A.a", "A.b", "A.c")]
    running = tmp_path / "running"
    running.write_text("A.c")
    failed = failed_test(tests, Ran(1, 0.1, output), running)
    assert failed.name == name
