// Assembles a test's text.

#ifndef KARAKAL_TESTS_TARGET_IXP_ASSEMBLEDTEXT_H
#define KARAKAL_TESTS_TARGET_IXP_ASSEMBLEDTEXT_H

#include "target-ixp/assembler/Assembler.h"

#include <gtest/gtest.h>

/// Assembles `text`. On errors, fails the test and returns nothing.
inline std::optional<karakal::target::AssembledProgram>
assembled(const std::string &text) {
  std::vector<karakal::target::Diagnostic> diagnostics;
  auto program = karakal::target::assembleText(text, "t.uc", {}, diagnostics);
  for (const auto &diagnostic : diagnostics)
    ADD_FAILURE() << diagnostic.str();
  return program;
}

#endif // KARAKAL_TESTS_TARGET_IXP_ASSEMBLEDTEXT_H
