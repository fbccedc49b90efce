// A strict interpreter of words for tests.
//
// One context of a microengine with flat memories, for tests of the code
// generator. It has no timing; code that would depend on timing is an error:
// reading a transfer register before its signal, a local-memory pointer within
// three words of its write, condition codes or latches across a swap, carry
// after a logical operation, an incomplete multiply or count sequence. It
// shares only the instruction table with the compiler.

#ifndef KARAKAL_TESTS_CODEGEN_ME_TINYENGINE_H
#define KARAKAL_TESTS_CODEGEN_ME_TINYENGINE_H

#include "target-ixp/table/Instruction.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace karakal::tests {

class TinyEngine {
public:
  explicit TinyEngine(const std::vector<uint64_t> &words);

  /// Runs until halt or kill. Returns the error, or an empty string.
  std::string run(uint64_t stepsMax);

  /// Word memories by word address (byte address / 4).
  std::map<uint32_t, uint32_t> sram, dram, scratch;
  std::array<std::deque<uint32_t>, 16> rings;
  std::map<uint32_t, std::deque<uint32_t>> queues; ///< by queue word
  std::array<bool, 16> inputStates{};
  /// ACTIVE_CTX_STS: context 3 of engine 5, active.
  uint32_t contextStatus = 0x8000002b;
  std::map<uint32_t, uint32_t> csrs;
  uint64_t steps = 0;
  std::set<uint32_t> localWritten; ///< words of local memory
  std::set<uint32_t> executed;     ///< words of the program

private:
  using Instruction = target::Instruction;
  using Operand = target::Operand;

  struct Pending {
    Instruction command;
    uint32_t address;
  };

  void fail(const std::string &what) {
    if (problem.empty())
      problem = what;
  }
  void step();
  bool stepArithmetic(const Instruction &i);
  bool stepShift(const Instruction &i);
  bool stepConstant(const Instruction &i);
  bool stepMultiply(const Instruction &i);
  bool stepBranch(const Instruction &i);
  bool stepContext(const Instruction &i);
  void stepCommand(const Instruction &i);
  unsigned countOf(const Instruction &command);
  void complete(const Pending &pending);
  bool condition(const Instruction &i);
  void branch(const Instruction &i, uint32_t target);
  void swapAfter(unsigned slots);
  void swapped();
  uint32_t csr(unsigned offset);
  void writeCsr(unsigned offset, uint32_t value);

  uint32_t read(const Operand &o);
  void write(const Operand &o, uint32_t value);
  uint32_t localAddress(const Operand &o);
  void postModify(const Operand &o);
  uint32_t shifted(const Instruction &i, uint32_t b);
  void logical(const Instruction &i, uint32_t a, uint32_t result);
  void arithmetic(const Instruction &i, uint32_t a, uint32_t b, bool carryIn);
  std::map<uint32_t, uint32_t> &memory(target::Op op);

  std::vector<Instruction> program;
  std::string problem;
  bool isOver = false;
  uint32_t pc = 0;
  /// The branch target after `slotsLeft` more words.
  std::optional<uint32_t> goTo;
  unsigned slotsLeft = 0;

  std::array<uint32_t, 16> gprA{}, gprB{}, sOut{}, dOut{};
  std::array<std::optional<uint32_t>, 16> sIn, dIn;
  std::array<uint32_t, 640> local{};
  std::array<uint32_t, 2> pointer{}, nextPointer{};
  std::array<unsigned, 2> pointerAge{{100, 100}};
  struct Flags {
    bool n = false, z = false;
    std::optional<bool> c, v;
  };
  std::optional<Flags> flags;
  std::optional<uint32_t> previousA, previousResult;
  /// The last constant, and the step that loaded it.
  uint32_t constant = 0;
  uint64_t constantStep = 0;
  std::optional<uint32_t> csrValue;
  unsigned multiplyStep = 0, countStep = 0;
  uint32_t factorA = 0, factorB = 0, counted = 0;
  std::vector<Pending> inFlight;
  /// Words until a deferred swap, when the commands it waits for complete.
  unsigned swapIn = 0;
  uint16_t swapMask = 0;
};

} // namespace karakal::tests

#endif // KARAKAL_TESTS_CODEGEN_ME_TINYENGINE_H
