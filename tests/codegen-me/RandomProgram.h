// Generates random LLVM IR without undefined behaviour.
//
// The text of a module with one function
//
//   void @body(ptr addrspace(1) %in, ptr addrspace(1) %out,
//              ptr addrspace(2) %dram, ptr addrspace(3) %scratch)
//
// that reads InputWords words, computes with integers of 1 to 128 bits, with
// branches, loops, calls, stack arrays and memories, and writes OutputWords
// words. The same text runs on the host and on a microengine.

#ifndef KARAKAL_TESTS_CODEGEN_ME_RANDOMPROGRAM_H
#define KARAKAL_TESTS_CODEGEN_ME_RANDOMPROGRAM_H

#include <cstdint>
#include <string>

namespace karakal::tests {

constexpr unsigned InputWords = 104;
constexpr unsigned OutputWords = 104;

struct ProgramShape {
  unsigned statements = 30;
  unsigned depthMax = 2;   ///< of nested branches and loops
  unsigned functions = 1;  ///< callees
  unsigned liveValues = 8; ///< kept alive from start to end
  bool memory = true;      ///< stack arrays, loads and stores of runs
  bool division = true;
  bool memories = false; ///< runs of words of DRAM and scratch, too
  bool wide = false;     ///< integers of up to 128 bits
};

std::string randomProgram(uint64_t seed, const ProgramShape &shape);

/// The address in SRAM of the words of withMain's program.
constexpr uint32_t InputAddress = 0x1000, OutputAddress = 0x2000;
/// Adds an entry to `program` that calls its body once and halts.
std::string withMain(const std::string &program);

} // namespace karakal::tests

#endif // KARAKAL_TESTS_CODEGEN_ME_RANDOMPROGRAM_H
