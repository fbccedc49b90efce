# ruff: noqa: F821 (lit defines `config`)
"""lit configuration: run as `lit.py tests/` with KARAKAL_BUILD set."""

import os
import shutil

import lit.formats

config.name = "karakal"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".baker", ".mlir", ".ll", ".uc", ".test"]
config.excludes = ["data", "Inputs", "foreign", "kernels", "packets"]
config.test_source_root = os.path.dirname(__file__)

root = os.path.dirname(config.test_source_root)
build = os.environ.get("KARAKAL_BUILD", os.path.join(root, "build"))
config.test_exec_root = os.path.join(build, "tests-lit")

filecheck = shutil.which("FileCheck-19") or "/usr/lib/llvm-19/bin/FileCheck"
config.substitutions.append(("%root", root))
config.substitutions.append(("%build", build))
config.substitutions.append((r"\bFileCheck\b", filecheck))
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), "/usr/lib/llvm-19/bin", os.environ["PATH"]]
)
# Which mutant is on; see tests/bench/mutants.
config.environment |= {k: v for k, v in os.environ.items() if "KARAKAL_MUTANT" in k}
