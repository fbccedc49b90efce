// Assembles the programs of tests.

#ifndef KARAKAL_TESTS_TARGET_IXP_MICROCODE_ASSEMBLED_H
#define KARAKAL_TESTS_TARGET_IXP_MICROCODE_ASSEMBLED_H

#include "target-ixp/assembler/Assembler.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace karakal::tests {

/// Assembles `text`. The test fails on errors.
inline target::AssembledProgram assembled(const std::string &text) {
  std::vector<target::Diagnostic> problems;
  auto program = target::assembleText(text, "test.uc", {}, problems);
  for (const target::Diagnostic &problem : problems)
    ADD_FAILURE() << problem.str();
  return *program;
}

} // namespace karakal::tests

#endif // KARAKAL_TESTS_TARGET_IXP_MICROCODE_ASSEMBLED_H
