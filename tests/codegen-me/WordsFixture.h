// Builds a program of words for tests of the passes over it.

#ifndef KARAKAL_TESTS_CODEGEN_ME_WORDSFIXTURE_H
#define KARAKAL_TESTS_CODEGEN_ME_WORDSFIXTURE_H

#include "codegen-me/words/WordProgram.h"

#include "target-ixp/table/Printer.h"

#include <gtest/gtest.h>

namespace karakal::codegen {

/// Builds the items of one function.
class Words : public testing::Test {
protected:
  Words() {
    program.functions.push_back("f");
    program.bind(program.newLabel());
  }
  Item &add(const target::Instruction &i) { return program.add(i); }
  void glued(const target::Instruction &i) { program.add(i).isGlued = true; }
  void end() { program.add(target::ctxArbKill()); }
  /// Begins a loop after a prologue of one word; returns the loop's label.
  unsigned beginLoop(const target::Instruction &prologue) {
    unsigned label = program.newLabel();
    add(prologue);
    program.bind(label);
    program.currentFrequency = 1;
    return label;
  }
  std::vector<std::string> text() {
    std::vector<std::string> lines;
    for (const Item &item : program.items)
      lines.push_back(item.kind == Item::Kind::Label
                          ? "label"
                          : target::print(item.instruction));
    return lines;
  }
  unsigned count(const std::string &start) {
    unsigned n = 0;
    for (const std::string &line : text())
      n += line.compare(0, start.size(), start) == 0;
    return n;
  }
  WordProgram program;
};

} // namespace karakal::codegen

#endif // KARAKAL_TESTS_CODEGEN_ME_WORDSFIXTURE_H
