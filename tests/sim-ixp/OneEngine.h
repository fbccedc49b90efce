// A chip on which engine 0 runs a program.
//
// Programs are written as instructions, encoded to words and decoded again when
// they are loaded, so that a test of semantics also tests the words.

#ifndef KARAKAL_TESTS_SIM_IXP_ONEENGINE_H
#define KARAKAL_TESTS_SIM_IXP_ONEENGINE_H

#include "sim-ixp/engine/PrepareProgram.h"
#include "sim-ixp/run/Chip.h"
#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/Instruction.h"
#include "target-ixp/table/InstructionTable.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace karakal::sim::testing {

using namespace karakal::target;
using Program = std::vector<Instruction>;

/// Keeps the first fault.
class FaultObserver : public ChipObserver {
public:
  void onFault(uint32_t engine, const std::string &what) override {
    if (fault.empty())
      fault = std::to_string(engine) + ": " + what;
  }
  void onEmptyGet(const Command &) override { ++emptyGets; }
  std::string fault;
  uint32_t emptyGets = 0;
};

/// The words of a program; a test failure if an instruction breaks a rule.
inline std::vector<uint64_t> assemble(const Program &program) {
  std::vector<uint64_t> words;
  for (const Instruction &instruction : program) {
    Result<uint64_t> word = encode(instruction);
    EXPECT_TRUE(static_cast<bool>(word))
        << "instruction " << words.size() << ": "
        << (word ? "" : word.error().message);
    words.push_back(word ? *word : 0);
  }
  return words;
}

/// A 32-bit constant in two instructions.
inline void loadConstant(Program &program, Operand dest, uint32_t value) {
  program.push_back(immed(dest, value & 0xffff));
  program.push_back(immedWord(1, dest, value >> 16));
}

class OneEngine : public ::testing::Test {
protected:
  /// Loads `program` into engine `index` and starts the contexts of `mask`.
  void load(const Program &program, uint32_t index = 0, uint32_t mask = 1) {
    if (!chip)
      chip = std::make_unique<Chip>(parameters, observer);
    Microengine &engine = chip->engine(index);
    engine.load(
        std::make_shared<MicroProgram>(prepareProgram(assemble(program))));
    engine.start(mask);
  }

  /// Runs until all contexts have stopped or `cycles` have passed.
  void finish(uint64_t cycles = 100000) {
    chip->runTo(cycles);
    EXPECT_EQ(observer.fault, "");
  }

  /// Runs `program`, followed by a stop, in context 0 of engine 0.
  void run(Program program) {
    program.push_back(ctxArbKill());
    load(program);
    finish();
    EXPECT_FALSE(chip->engine(0).isAlive()) << "the program did not end";
  }

  uint32_t a(uint32_t n) { return chip->engine(0).peek(reg::gprA + n); }
  uint32_t b(uint32_t n) { return chip->engine(0).peek(reg::gprB + n); }
  uint32_t in(uint32_t n) { return chip->engine(0).peek(reg::sIn + n); }
  uint32_t lm(uint32_t n) { return chip->engine(0).peek(reg::localMemory + n); }
  /// Cycle at which the last context stopped (after its dead slots).
  uint64_t endCycle() { return chip->engine(0).localTime(); }

  /// a1 = left, b1 = right, then a2 = the operation's result.
  uint32_t result(Op op, uint32_t left, uint32_t right) {
    chip.reset();
    Program program;
    loadConstant(program, gprA(1), left);
    loadConstant(program, gprB(1), right);
    program.push_back(alu(op, gprA(2), gprA(1), gprB(1)));
    run(program);
    return a(2);
  }

  ChipParameters parameters;
  FaultObserver observer;
  std::unique_ptr<Chip> chip;
};

} // namespace karakal::sim::testing

#endif // KARAKAL_TESTS_SIM_IXP_ONEENGINE_H
