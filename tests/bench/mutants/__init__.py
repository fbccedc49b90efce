"""Mutation testing: does a test notice a fault that is seeded into the sources?

A mutant is one small change of one expression or statement. A copy of the
checkout holds all sampled mutants at once, each behind a run-time switch: the
environment variable KARAKAL_MUTANT=NUMBER turns one on. So the copy is built
once.

    sites.py         a site and how it becomes a switch
    cpp_sites.py     the sites of a C++ file
    python_sites.py  the sites of a Python file
    sample.py        folders, and the sites that a seed selects
    tree.py          the copy and its build
    suites.py        the tests: GoogleTest, lit, pytest
    record.py        which tests reach which mutants
    judge.py         runs the tests that reach a mutant
    report.py        what is printed and written
    command.py       the benchmark

A switch also records: with KARAKAL_MUTANT_LOG=FILE each process marks in the
file which mutants it executed, and of those whose operands are numbers, whether
the change made a difference to the value. A test in which it made none cannot
fail, so it is not run for that mutant.

Left out, in C++:

- what the compiler evaluates: constexpr, static_assert, template arguments,
  case labels, enumerators, array bounds, sizeof, noexcept, attributes
- preprocessor lines, and the arguments of macros (assertions among them)
- text: string literals, what is concatenated or streamed with them, the
  arguments beside a message; functions named dump, describe or explain
- loop conditions as a whole and the increment of a `for`: turning them round
  makes endless loops, which every test notices
- capacity hints (reserve, shrink_to_fit)
- what does not compile as a switch, such as a null pointer constant, `-` on
  strings, or a constant that narrows inside braces

In Python: annotations, decorators, assert, raise, f-strings and other text,
assignments to plain names, chained comparisons.
"""
